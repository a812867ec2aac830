"""Style, meaning, fluency and formality by an encoder: the models behind a judge.

Each averages the scores of one or more readers, with calibration fitted on held-out
text. Unreadable text has defined values: all styles equal, similar only to itself, not
fluent, and no formality.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from paraphrast.estimators.logistic_regression import softmax
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.matching import Matching, Words, match
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.encoder.surface import features, strip_surface
from paraphrast.judges.evaluator import StyleClassifier
from paraphrast.metrics.base import Matrix

_LEAST, _MOST = -3.0, 3.0  # the scale of formality
_PAIRS = 256  # whose tokens are held at a time


def signature(kind: str, settings: Mapping[str, Any], readers: Sequence[Reader]) -> str:
    """Return a model's name: its kind, its settings and its weights."""
    parts = [kind, dict(settings), [reader.signature for reader in readers]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class EncoderStyle:
    """Classifies styles; ``sharpness`` is the calibration factor."""

    styles: tuple[str, ...]
    readers: tuple[Reader, ...]
    head: str
    sharpness: float = 1.0
    specialists: tuple[StyleClassifier, ...] = ()

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        settings = {
            "head": self.head,
            "sharpness": self.sharpness,
            "specialists": [specialist.signature for specialist in self.specialists],
        }
        return signature("style", {**settings, "styles": self.styles}, self.readers)

    def beside(self, specialists: Sequence[StyleClassifier]) -> "EncoderStyle":
        """Return the model with specialists for some of its styles."""
        return replace(self, specialists=tuple(specialists))

    def among(self, styles: Sequence[str]) -> StyleClassifier | None:
        """Return the specialist for exactly these styles, if there is one."""
        for specialist in self.specialists:
            if set(specialist.styles) == set(styles):
                return specialist
        return None

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return P(style | text): (texts, styles)."""
        total = np.zeros((len(texts), len(self.styles)))
        for reader in self.readers:
            total += reader.heads.logits(self.head, reader.pool(texts))
        probabilities = softmax(self.sharpness * total / len(self.readers))
        readable = self.readers[0].readable(texts)
        return np.where(readable[:, None], probabilities, 1 / len(self.styles))


@dataclass(frozen=True, eq=False)
class EncoderSimilarity:
    """The cosine of meaning vectors, mapped to the scale of human ratings.

    ``knots`` are increasing cosines with the human similarity at each; 0 and 1 are
    fixed points. With ``matching``, the cosine is one part of the score, and how well
    the words of the two texts match each other the rest.
    """

    reader: Reader
    knots: tuple[tuple[float, float], ...] = ()
    matching: Matching | None = None

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        settings: dict[str, Any] = {"knots": self.knots}
        if self.matching:
            settings["matching"] = self.matching.settings()
        return signature("similarity", settings, [self.reader])

    def __call__(self, sources: Sequence[str], targets: Sequence[str]) -> Matrix:
        """Return the similarity of each pair, 0 to 1: (pairs,)."""
        given = ((0.0, 0.0), *self.knots, (1.0, 1.0))
        scores = self.scores(sources, targets)
        similarities = np.interp(scores, [x for x, _ in given], [y for _, y in given])
        same = [a.strip() == b.strip() for a, b in zip(sources, targets, strict=True)]
        return np.where(np.array(same, dtype=bool), 1.0, similarities)

    def scores(self, sources: Sequence[str], targets: Sequence[str]) -> Matrix:
        """Return what the knots put on people's scale: (pairs,)."""
        both = self.reader.heads.vectors(self.reader.pool([*sources, *targets]))
        ones, others = both[: len(sources)], both[len(sources) :]
        cosines = np.asarray(np.clip((ones * others).sum(axis=1), 0.0, 1.0))
        if self.matching is None:
            return cosines
        matches = [
            match(one, other)
            for first in range(0, len(sources), _PAIRS)
            for one, other in self._read_words(
                self.matching,
                sources[first : first + _PAIRS],
                targets[first : first + _PAIRS],
            )
        ]
        return self.matching.combine(cosines, matches)

    @cached_property
    def _word_heads(self) -> Heads:
        """Return the heads that turn the states of single words."""
        if self.matching is None or self.matching.change is None:
            return self.reader.heads
        return self.reader.heads.add_to_meaning(self.matching.change.product())

    def _read_words(
        self, matching: Matching, sources: Sequence[str], targets: Sequence[str]
    ) -> Iterator[tuple[Words, Words]]:
        """Return the words of both texts of each pair."""
        words = [
            matching.choose_words(tokens.ids, self._word_heads.turn(tokens.joined()))
            for tokens in self.reader.tokens([*sources, *targets])
        ]
        return zip(words[: len(sources)], words[len(sources) :], strict=True)


@dataclass(frozen=True, eq=False)
class EncoderFluency:
    """The probability that a text is acceptable, from weighted and calibrated heads.

    ``shares`` are the weights of the heads' logits, and ``bias`` is added.
    """

    reader: Reader
    shares: Mapping[str, float]
    bias: float

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        settings = {"shares": dict(self.shares), "bias": self.bias}
        return signature("fluency", settings, [self.reader])

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return each text's probability of being acceptable; 0 if unreadable."""
        rows = self.reader.pool(texts)
        total = np.full(len(texts), self.bias)
        for head, share in self.shares.items():
            total += share * self.reader.heads.logits(head, rows)[:, 0]
        probabilities = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
        return np.where(self.reader.readable(texts), probabilities, 0.0)


@dataclass(frozen=True, eq=False)
class EncoderFormality:
    """Formality from -3 to 3, with or without case and punctuation as features."""

    reader: Reader
    surface_features: bool = True

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        return signature("formality", {"looks": self.surface_features}, [self.reader])

    def robust(self) -> "EncoderFormality":
        """Return the variant that ignores case and punctuation."""
        return replace(self, surface_features=False)

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return each text's formality; NaN for unreadable text."""
        if self.surface_features:
            rows = self.reader.pool(texts)
            logits = self.reader.heads.logits("formality", rows, features(texts))
        else:
            rows = self.reader.pool([strip_surface(text) for text in texts])
            logits = self.reader.heads.logits("bare", rows)
        bounded = np.clip(logits[:, 0], _LEAST, _MOST)
        return np.where(self.reader.readable(texts), bounded, np.nan)
