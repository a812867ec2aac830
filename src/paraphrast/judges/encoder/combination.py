"""A classifier of two styles that combines encoders, n-grams and a likelihood ratio.

An encoder knows what words mean and a language model which words follow which; they err
on different lines. Each kind of evidence gives log-odds of the second style against the
first. The combined odds are their weighted sum, fitted to a held-out play without an
intercept, because an offset shared by all lines of a play does not carry over to the
next. For grades each kind has the same weight, whatever its weight in the decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from paraphrast.judges.accuracy import LinearStyle
from paraphrast.judges.encoder.models import signature
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.style_grade import grade_odds
from paraphrast.metrics.base import Matrix


class Odds(Protocol):
    """A kind of evidence."""

    @property
    def signature(self) -> str:
        """Return a name that changes with every setting and weight."""

    def odds(self, texts: Sequence[str]) -> Matrix:
        """Return log-odds of the second style against the first: (texts,)."""


@dataclass(frozen=True, eq=False)
class EncoderOdds:
    """The mean evidence of encoders; each has a ``head`` for the two styles."""

    readers: tuple[Reader, ...]
    head: str

    @property
    def signature(self) -> str:
        """Name the evidence by the encoders' weights."""
        return signature("odds", {"head": self.head}, self.readers)

    def odds(self, texts: Sequence[str]) -> Matrix:
        """Return the mean of the encoders' log-odds."""
        total = np.zeros(len(texts))
        for reader in self.readers:
            logits = reader.heads.logits(self.head, reader.pool(texts))
            total += logits[:, 1] - logits[:, 0]
        return total / len(self.readers)


@dataclass(frozen=True, eq=False)
class LinearOdds:
    """The evidence of a linear classifier of the two styles."""

    model: LinearStyle

    @property
    def signature(self) -> str:
        """Return the classifier's."""
        return self.model.signature

    def odds(self, texts: Sequence[str]) -> Matrix:
        """Return its log-odds."""
        scores = self.model.scores(texts)
        return np.asarray(scores[:, 1] - scores[:, 0])


@dataclass(frozen=True, slots=True)
class Evidence:
    """A kind of evidence, its weight, and its own calibration."""

    kind: Odds
    weight: float
    sharpness: float


@dataclass(frozen=True, eq=False)
class CombinedStyle:
    """Classifies two styles; ``reader`` says which texts can be read at all."""

    styles: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    reader: Reader

    @cached_property
    def signature(self) -> str:
        """Name the model by its settings and the weights behind its evidence."""
        parts = [
            (evidence.kind.signature, evidence.weight, evidence.sharpness)
            for evidence in self.evidence
        ]
        settings = {"styles": self.styles, "evidence": parts}
        return signature("combination", settings, [self.reader])

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return P(style | text): (texts, styles); uniform for unreadable texts."""
        total = np.zeros(len(texts))
        for evidence in self.evidence:
            total += evidence.weight * evidence.kind.odds(texts)
        second = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
        second = np.where(self.reader.readable(texts), second, 0.5)
        return np.stack([1 - second, second], axis=1)

    def grades(self, texts: Sequence[str]) -> Matrix:
        """Return how much of each style a text has, 0 to 1: (texts, styles)."""
        total = np.zeros(len(texts))
        for evidence in self.evidence:
            total += grade_odds(evidence.sharpness * evidence.kind.odds(texts), texts)
        second = total / len(self.evidence)
        second = np.where(self.reader.readable(texts), second, 0.5)
        return np.stack([1 - second, second], axis=1)
