"""Style scores: the mean over outputs of a value from 0 to 1 for the target style.

XU12 proposes three such scores, each trained on a corpus of the source style and one of
the target style, without parallel text. Models of plugins are used in the same way.

Cosine (§4.1): output, source corpus and target corpus are binary vectors o, s and t of
the n-grams they contain. The score is cos(o, t) / (cos(o, t) + cos(o, s)), in which the
length of o cancels. An output that shares nothing with either gets 0.5.

Language model (§4.2): P(target | sentence) by Bayes' rule. Two n-gram models, one per
style, give the sentence's likelihood in each; the two styles are equally likely
beforehand. ``sentence`` is the paper's formula. As it multiplies over words it is
nearly always close to 0 or 1; ``word`` compares the likelihoods per word (their
geometric means), which keeps gradations. Both agree on which style is more probable.
The models share a vocabulary, so that a word unknown to both favours neither.

Logistic regression (§4.3): P(target | the word n-grams of a sentence); the weights
maximise the likelihood of the two corpora, with an L2 penalty. ``presence`` counts
every n-gram as 1, which is the paper's feature vector; ``uneven`` counts it by how
unevenly the two corpora use it and scales each sentence to length 1, which classifies
held-out plays better (docs/judges.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.estimators import logistic_regression, ngram_model
from paraphrast.estimators.logistic_regression import LinearModel, softmax
from paraphrast.estimators.matrix import find_sorted
from paraphrast.estimators.ngram_features import (
    Hashes,
    NgramKinds,
    Vocabulary,
    occurrences,
    uneven,
    vocabulary,
)
from paraphrast.estimators.ngram_model import NgramModel
from paraphrast.metrics.base import Matrix, MeanMetric, Segment
from paraphrast.storage import weights
from paraphrast.text.model_words import words

Likelihood: TypeAlias = Literal["sentence", "word"]
Weighting: TypeAlias = Literal["uneven", "presence"]


class StyleModel(Protocol):
    """A trained model of one style against another."""

    @property
    def name(self) -> str:
        """Return the name of the score it gives."""

    @property
    def signature(self) -> str:
        """Return a name that changes with every setting and weight."""

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return how much each text has the target style, 0 to 1: (texts,)."""


@dataclass(frozen=True, slots=True)
class StyleScore(MeanMetric):
    """Mean over sentences of a model's score for the target style, 0 to 1."""

    model: StyleModel

    @property
    def name(self) -> str:
        """Return the model's name: ``style-cosine`` and so on."""
        return self.model.name

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's value, 0 to 1."""
        return self.model.values([s.output for s in segments])


@dataclass(frozen=True, eq=False)
class CosineStyle:
    """The n-grams of two styles, sorted; make one with `train_cosine`."""

    name: ClassVar[str] = "style-cosine"

    source: Hashes
    target: Hashes
    lengths: tuple[int, int]

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its n-grams."""
        arrays = {"source": self.source, "target": self.target}
        return weights.digest(self.name, {"lengths": self.lengths}, arrays)

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return the normalised cosine of each text with the target corpus."""
        result = occurrences(texts, NgramKinds(words=self.lengths, characters=(0, 0)))
        source, target = (
            np.bincount(
                result.rows,
                weights=find_sorted(corpus, result.hashes) >= 0,
                minlength=len(texts),
            )
            / np.sqrt(len(corpus))
            for corpus in (self.source, self.target)
        )
        both = source + target
        values = np.full(len(texts), 0.5)
        np.divide(target, both, out=values, where=both > 0)
        return values


def train_cosine(
    source: Sequence[str], target: Sequence[str], *, lengths: tuple[int, int] = (1, 5)
) -> CosineStyle:
    """Collect the n-grams of two styles, of ``lengths`` from and to."""
    _refuse_empty(source, target)
    kinds = NgramKinds(words=lengths, characters=(0, 0))
    return CosineStyle(
        np.unique(occurrences(source, kinds).hashes),
        np.unique(occurrences(target, kinds).hashes),
        lengths,
    )


@dataclass(frozen=True, eq=False)
class LanguageModelStyle:
    """A language model for each of two styles; `train_language_model` makes one."""

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


def train_language_model(
    source: Sequence[str],
    target: Sequence[str],
    *,
    order: int = 3,
    likelihood: Likelihood = "sentence",
) -> LanguageModelStyle:
    """Train a language model of each style."""
    _refuse_empty(source, target)
    sources, targets = ([words(text) for text in texts] for texts in (source, target))
    every = set(chain.from_iterable([*sources, *targets]))
    return LanguageModelStyle(
        ngram_model.train(sources, order=order, also=every),
        ngram_model.train(targets, order=order, also=every),
        likelihood,
    )


@dataclass(frozen=True, eq=False)
class LogisticStyle:
    """Weights of word n-grams for and against a style; `train_logistic` makes one."""

    name: ClassVar[str] = "style-logistic"

    vocabulary: Vocabulary
    linear: LinearModel

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        arrays = {
            "hashes": self.vocabulary.hashes,
            "worth": self.vocabulary.worth,
            "weights": self.linear.weights,
            "intercepts": self.linear.intercepts,
        }
        settings = {"words": self.vocabulary.kinds.words}
        return weights.digest(self.name, settings, arrays)

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return the probability that each text is in the target style."""
        matrix = self.vocabulary.matrix(occurrences(texts, self.vocabulary.kinds))
        return softmax(self.linear.scores(matrix))[:, 1]


def train_logistic(
    source: Sequence[str],
    target: Sequence[str],
    *,
    lengths: tuple[int, int] = (1, 3),
    weighting: Weighting = "uneven",
    strength: float = 3.0,
) -> LogisticStyle:
    """Train a classifier of two styles on word n-grams of ``lengths`` from and to.

    ``strength`` is the weight of the likelihood against the L2 penalty.
    """
    _refuse_empty(source, target)
    kinds = NgramKinds(words=lengths, characters=(0, 0))
    result = occurrences([*source, *target], kinds)
    labels = np.repeat([0, 1], [len(source), len(target)])
    if weighting == "uneven":
        ngrams = uneven(result, kinds, labels, classes=2, minimum=1, length=1.0)
    else:
        ngrams = vocabulary(result, kinds, minimum=1)
    linear = logistic_regression.train(
        ngrams.matrix(result), labels, classes=2, strength=strength
    )
    return LogisticStyle(ngrams, linear)


def _refuse_empty(source: Sequence[str], target: Sequence[str]) -> None:
    """Refuse a style without text."""
    for name, texts in (("source", source), ("target", target)):
        if not any(text.strip() for text in texts):
            raise ParaphrastError(
                f"the {name} style has no text. Give a file with some."
            )
