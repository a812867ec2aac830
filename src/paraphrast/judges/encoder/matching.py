"""How well the words of two texts answer one another, by an encoder's states.

The cosine of two mean states says that two texts are about the same; it hardly moves
when one word of many is lost or another is put in its place. So each word is matched
with the word of the other text that is nearest to it in meaning (Zhang et al. 2020,
BERTScore): ``overlap`` is F1 over all words, ``missing`` is how far the words that
answer worst are from their match. Rare words count more; the vocabulary, which goes
from frequent words to rare ones, says how rare a word is. Punctuation does not count.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.base import Matrix

SHARES = ("cosine", "overlap", "missing")
_WORST = 2  # words of each text that `missing` is about
_FLOOR = 16.0  # added to a rank: the most frequent word counts a quarter


@dataclass(frozen=True, eq=False, slots=True)
class Matching:
    """Shares of cosine, overlap and missing words; together they are 1.

    ``weights`` say how much each token of the vocabulary counts: (tokens,).
    """

    cosine: float
    overlap: float
    missing: float
    weights: NDArray[np.float64]

    def settings(self) -> list[Any]:
        """Return what identifies it."""
        digest = hashlib.sha256(self.weights.tobytes()).hexdigest()
        return [self.cosine, self.overlap, self.missing, digest]

    def combine(
        self, cosines: Matrix, matches: Sequence[tuple[float, float]]
    ) -> Matrix:
        """Return the score of each pair: 1 where both texts are the same."""
        overlap, missing = np.array(matches).reshape(-1, 2).T
        return np.asarray(
            self.cosine * cosines
            + self.overlap * overlap
            + self.missing * (1 - missing)
        )

    def choose_words(self, ids: Sequence[int], vectors: Matrix) -> "Words":
        """Return the words among tokens, or all tokens where there is no word."""
        weights = self.weights[list(ids)]
        if not weights.any():
            return Words(vectors, np.ones(len(weights)))
        return Words(vectors[weights > 0], weights[weights > 0])


def weigh_vocabulary(tokens: Sequence[str], most_frequent: int) -> NDArray[np.float64]:
    """Return how much each token counts: the rarest 1, punctuation nothing.

    ``tokens`` go from frequent to rare, from the number of the most frequent one on.
    """
    ranks = np.maximum(np.arange(len(tokens)) - most_frequent, 0)
    weights = np.log(ranks + _FLOOR) / np.log(len(tokens) + _FLOOR)
    is_word = [any(map(str.isalnum, token)) for token in tokens]
    return np.where(is_word, weights, 0.0)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: vectors of length 1 and weights, each (words, …)."""

    vectors: Matrix
    weights: NDArray[np.float64]


def match(first: Words, second: Words) -> tuple[float, float]:
    """Return overlap and missing, each 0 to 1; nothing answers a text without words."""
    if not len(first.weights) or not len(second.weights):
        return 0.0, 1.0
    cosines = np.clip(first.vectors @ second.vectors.T, 0.0, 1.0)
    shares, losses = zip(
        _answer(cosines.max(axis=1), first.weights),
        _answer(cosines.max(axis=0), second.weights),
        strict=True,
    )
    total = sum(shares)
    overlap = 2 * shares[0] * shares[1] / total if total else 0.0
    return overlap, sum(losses) / 2


def _answer(nearest: Matrix, weights: NDArray[np.float64]) -> tuple[float, float]:
    """Return the share of a text that is answered, and the loss of its worst words."""
    losses = np.sort((1 - nearest) * weights)[::-1]
    return float(nearest @ weights / weights.sum()), float(losses[:_WORST].mean())
