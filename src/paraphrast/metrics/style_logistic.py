"""XU12's logistic-regression score (§4.3): P(target | the n-grams of a sentence).

The sentence is the set of its word n-grams; the weights maximise the likelihood of
the two corpora, with an L2 penalty. ``presence`` counts every n-gram as 1, which is
the paper's feature vector; ``uneven`` counts it by how unevenly the two corpora use
it and scales each sentence to length 1, which tells held-out plays apart better
(docs/judges.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from paraphrast.estimators import logistic_regression
from paraphrast.estimators.logistic_regression import LinearModel, softmax
from paraphrast.estimators.ngram_features import (
    NgramKinds,
    Vocabulary,
    occurrences,
    uneven,
    vocabulary,
)
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.style_score import refuse_empty
from paraphrast.storage import weights

Weighting: TypeAlias = Literal["uneven", "presence"]


@dataclass(frozen=True, eq=False)
class LogisticStyle:
    """Weights of word n-grams for and against a style; make one with `train`."""

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


def train(
    source: Sequence[str],
    target: Sequence[str],
    *,
    lengths: tuple[int, int] = (1, 3),
    weighting: Weighting = "uneven",
    strength: float = 3.0,
) -> LogisticStyle:
    """Learn to tell two styles apart by word n-grams of ``lengths`` from and to.

    ``strength`` is how much the text weighs against the penalty on large weights.
    """
    refuse_empty(source, target)
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
