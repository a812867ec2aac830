"""XU12's language-model score (§4.2): P(target | sentence) by Bayes' rule.

Two n-gram models, one per style, give the sentence's likelihood in each; the two
styles are equally likely beforehand. ``sentence`` is the paper's formula. As it
multiplies over words it is nearly always close to 0 or 1; ``word`` compares the
likelihoods per word (their geometric means), which keeps shades. Both agree on which
style is likelier. The models share one vocabulary, so that a word neither knows
speaks for neither.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from paraphrast.estimators import ngram_model
from paraphrast.estimators.ngram_model import NgramModel
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.style_score import refuse_empty
from paraphrast.storage import weights
from paraphrast.text.model_words import words

Likelihood: TypeAlias = Literal["sentence", "word"]


@dataclass(frozen=True, eq=False)
class LanguageModelStyle:
    """A language model for each of two styles; make one with `train`."""

    name: ClassVar[str] = "style-language-model"

    source: NgramModel
    target: NgramModel
    likelihood: Likelihood

    @cached_property
    def signature(self) -> str:
        """Name the model by the hashes of its parts and the convention."""
        parts = [self.source.signature, self.target.signature, self.likelihood]
        return weights.digest(self.name, {"parts": parts}, {})

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return the probability that each text was written in the target style."""
        return np.asarray(1 / (1 + np.exp(-np.clip(self.odds(texts), -700, 700))))

    def odds(self, texts: Sequence[str]) -> Matrix:
        """Return log-odds of the target style against the source style: (texts,)."""
        if not texts:
            return np.zeros(0)
        tokens = [words(text) for text in texts]
        target, source = self.target.score(tokens), self.source.score(tokens)
        odds = target.sums() - source.sums()
        if self.likelihood == "word":
            odds /= target.lengths()
        return np.asarray(odds)


def train(
    source: Sequence[str],
    target: Sequence[str],
    *,
    order: int = 3,
    likelihood: Likelihood = "sentence",
) -> LanguageModelStyle:
    """Train a language model of each style."""
    refuse_empty(source, target)
    sources, targets = ([words(text) for text in texts] for texts in (source, target))
    every = set(chain.from_iterable([*sources, *targets]))
    return LanguageModelStyle(
        ngram_model.train(sources, order=order, also=every),
        ngram_model.train(targets, order=order, also=every),
        likelihood,
    )
