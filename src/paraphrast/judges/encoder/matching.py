"""How well the words of two texts answer one another, by an encoder's states.

The cosine of two mean states says that two texts are about the same; it hardly moves
when one word of many is lost or another is put in its place. So each word is matched
with the word of the other text that is nearest to it in meaning (Zhang et al. 2020,
BERTScore): ``overlap`` is F1 over all words, ``missing`` is how far the words that
answer worst are from their match. Rare words count more; the vocabulary, which goes
from frequent words to rare ones, says how rare a word is. Punctuation does not count.

Words that all have their match say nothing of who did it. ``crossed`` is the share of
neighbours that stand in the other order in the other text, as agent and patient do when
they are exchanged; it takes something off the rest. And a `Change` of the matrix that
turns states into meanings, learnt for single words, keeps more of a word's role.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.base import Matrix
from paraphrast.storage import weights as stored

SHARES = ("cosine", "overlap", "missing")
_KIND = "word-matching"
_WORST = 2  # words of each text that `missing` is about
_NEAR = 4  # words on from a word, to its last neighbour
_FLOOR = 16.0  # added to a rank: the most frequent word counts a quarter


@dataclass(frozen=True, eq=False, slots=True)
class Matching:
    """Shares of cosine, overlap and missing words; together they are 1.

    ``weights`` say how much each token of the vocabulary counts: (tokens,). ``crossed``
    is the part of the score that is lost if all neighbours stand in the other order.
    ``change`` is added to the matrix that turns states, when words are matched.
    """

    cosine: float
    overlap: float
    missing: float
    weights: NDArray[np.float64]
    crossed: float = 0.0
    change: "Change | None" = None

    def settings(self) -> list[Any]:
        """Return what identifies it."""
        digest = hashlib.sha256(self.weights.tobytes()).hexdigest()
        change = self.change.signature if self.change else None
        return [self.cosine, self.overlap, self.missing, self.crossed, digest, change]

    def combine(self, cosines: Matrix, matches: Sequence["Match"]) -> Matrix:
        """Return the score of each pair: 1 where both texts are the same."""
        overlap, missing, crossed = np.array(matches).reshape(-1, 3).T
        score = (
            self.cosine * cosines
            + self.overlap * overlap
            + self.missing * (1 - missing)
        )
        return np.asarray(score * (1 - self.crossed * crossed))

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
    # Logarithms differ in the last bit between processors; the hash must not.
    return np.where(is_word, np.round(weights, 6), 0.0)


@dataclass(frozen=True, eq=False, slots=True)
class Change:
    """A matrix of low rank, ``up`` (vector, rank) times ``down`` (rank, hidden)."""

    down: NDArray[Any]
    up: NDArray[Any]

    @property
    def signature(self) -> str:
        """Name it by the hash of its factors."""
        return stored.digest(_KIND, {}, {"down": self.down, "up": self.up})

    def product(self) -> NDArray[np.float32]:
        """Return the matrix: (vector, hidden)."""
        return self.up.astype(np.float32) @ self.down.astype(np.float32)

    def save(self, path: Path) -> None:
        """Write the factors; see `weights.save`."""
        stored.save(path, _KIND, {}, {"down": self.down, "up": self.up})


def load_change(path: Path) -> Change:
    """Read what `Change.save` wrote."""
    _, arrays = stored.load(path, _KIND)
    return Change(arrays["down"], arrays["up"])


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: vectors of length 1 and weights, each (words, …)."""

    vectors: Matrix
    weights: NDArray[np.float64]


class Match(NamedTuple):
    """How well the words of two texts answer one another, each figure 0 to 1."""

    overlap: float
    missing: float
    crossed: float


def match(first: Words, second: Words) -> Match:
    """Match the words of two texts; nothing answers a text without words."""
    if not len(first.weights) or not len(second.weights):
        return Match(0.0, 1.0, 0.0)
    cosines = np.clip(first.vectors @ second.vectors.T, 0.0, 1.0)
    shares, losses = zip(
        _answer(cosines.max(axis=1), first.weights),
        _answer(cosines.max(axis=0), second.weights),
        strict=True,
    )
    total = sum(shares)
    overlap = 2 * shares[0] * shares[1] / total if total else 0.0
    return Match(overlap, sum(losses) / 2, _cross(cosines, first, second))


def _answer(nearest: Matrix, weights: NDArray[np.float64]) -> tuple[float, float]:
    """Return the share of a text that is answered, and the loss of its worst words."""
    losses = np.sort((1 - nearest) * weights)[::-1]
    return float(nearest @ weights / weights.sum()), float(losses[:_WORST].mean())


def _cross(cosines: Matrix, first: Words, second: Words) -> float:
    """Return the share of neighbours, in either text, that change their order."""
    there = cosines.argmax(axis=1)
    ours = np.flatnonzero(cosines.argmax(axis=0)[there] == np.arange(len(there)))
    theirs = there[ours]  # the words that choose one another
    weights = first.weights[ours] + second.weights[theirs]
    back = np.argsort(theirs)
    turned, total = (
        sum(both)
        for both in zip(
            _turn(ours, theirs, weights),
            _turn(theirs[back], ours[back], weights[back]),
            strict=True,
        )
    )
    return turned / total if total else 0.0


def _turn(
    here: NDArray[np.intp], there: NDArray[np.intp], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the weight of neighbours that change their order, and of all.

    ``here`` are positions in rising order, ``there`` those of the words' matches.
    """
    turned = total = 0.0
    for step in range(1, min(_NEAR, len(here) - 1) + 1):
        near = weights[step:] * weights[:-step] / (here[step:] - here[:-step])
        total += float(near.sum())
        turned += float(near[there[step:] < there[:-step]].sum())
    return turned, total
