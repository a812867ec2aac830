"""Word alignment near the diagonal: fast_align (Dyer et al. 2013) on whole arrays.

IBM Model 1 with a prior for links near the diagonal, trained in both directions at
once, with variational Bayes; the tension of the diagonal is fixed, not learned.
Sentences of similar length are processed together, as arrays of shape (sentences,
source, target).

Memory does not grow with the text: the expected count of a word pair has a slot in an
array of fixed size, chosen by a hash of the word indices. Two pairs may share a slot;
after the first iterations nearly all counts are close to zero, so collisions do little
harm. (sil-thot's fast_align in `align.statistical` is exact and keeps every pair of
words; this one is several times faster on millions of pairs.)
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.runs import Integers, Runs

# The tension of the diagonal in each round: weak at first, or no link far from the
# diagonal would ever be learnt; the last is for aligning too.
TENSIONS = (1.0, 2.0, 4.0, 4.0, 4.0)
NULL, PRIOR = 0.08, 0.01
MOST_CELLS = 150_000
_LEAST = np.float32(1e-30)
Floats = NDArray[np.float32]


class Diagonal:
    """The model: translation probabilities of words in both directions.

    Both directions of a word pair are stored as one complex number, because a slot in a
    large array costs one memory access whether it is four or eight bytes wide.
    """

    def __init__(self, source_words: int, target_words: int, *, slots: int) -> None:
        """Start from uniform probabilities; ``slots`` must be a power of two."""
        self._mask = np.uint32(slots - 1)
        self._tension = TENSIONS[-1]
        self._weights = np.full(slots, 1 + 1j, np.complex64)
        self._to_target = Direction(source_words, target_words)
        self._to_source = Direction(target_words, source_words)

    def train(self, batches: Callable[[], Iterable[tuple[Runs, Runs]]]) -> None:
        """Train on sentence pairs, which are read once per iteration."""
        counts = np.empty_like(self._weights)
        for self._tension in TENSIONS:
            counts.fill(0)
            for source, target in batches():
                for block in _blocks(source, target):
                    self._count(block, counts)
            for start in range(0, len(counts), 1 << 20):
                part = counts[start : start + (1 << 20)]
                both = part.view(np.float32) + np.float32(PRIOR)
                self._weights[start : start + (1 << 20)] = _exp_digamma(both).view(
                    np.complex64
                )
            self._to_target.learn()
            self._to_source.learn()

    def align(self, source: Runs, target: Runs) -> tuple[Integers, Integers]:
        """Return the links (grow-diag-final-and) as indices into the rows of words."""
        result = []
        for block in _blocks(source, target):
            forward, backward = self._link_probabilities(block, self._slots(block))
            null = self._to_target.null[block.target][:, None]
            best = np.maximum(forward.max(1, keepdims=True), null)
            forth = (forward >= best) & block.inside
            null = self._to_source.null[block.source][:, :, None]
            best = np.maximum(backward.max(2, keepdims=True), null)
            links = symmetrise(forth, (backward >= best) & block.inside)
            sentence, i, j = np.nonzero(links)
            pairs = block.sentences[sentence]
            result.append((source.starts[pairs] + i, target.starts[pairs] + j))
        if not result:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        sources, targets = zip(*result, strict=True)
        return np.concatenate(sources), np.concatenate(targets)

    def _link_probabilities(
        self, block: "Block", slots: Integers
    ) -> tuple[Floats, Floats]:
        """Return the probability of each link, in both directions."""
        prior = block.prior(self._tension)
        weights = self._weights.take(slots)
        share = np.float32(1 - NULL)
        forward = prior * (share / np.maximum(prior.sum(1, keepdims=True), _LEAST))
        forward *= weights.real
        forward *= self._to_target.scales[block.source][:, :, None]
        backward = prior * (share / np.maximum(prior.sum(2, keepdims=True), _LEAST))
        backward *= weights.imag
        backward *= self._to_source.scales[block.target][:, None, :]
        return forward, backward

    def _count(self, block: "Block", counts: NDArray[np.complex64]) -> None:
        slots = self._slots(block)
        forward, backward = self._link_probabilities(block, slots)
        null = self._to_target.null[block.target]
        total = forward.sum(1) + null
        forward /= total[:, None]
        self._to_target.count(block.source, forward.sum(2), block.target, null / total)
        null = self._to_source.null[block.source]
        total = backward.sum(2) + null
        backward /= total[:, :, None]
        self._to_source.count(block.target, backward.sum(1), block.source, null / total)
        both = np.empty(slots.shape, np.complex64)
        both.real, both.imag = forward, backward
        np.add.at(counts, slots.ravel(), both.ravel())

    def _slots(self, block: "Block") -> Integers:
        source = block.source.astype(np.uint32) * np.uint32(0x9E3779B1)
        target = block.target.astype(np.uint32) * np.uint32(0x85EBCA6B)
        mixed = source[:, :, None] ^ target[:, None, :]
        mixed ^= mixed >> np.uint32(15)
        return (mixed & self._mask).astype(np.int64)


class Direction:
    """The normalisers of one direction, and the probabilities of null links."""

    def __init__(self, given: int, words: int) -> None:
        """Start from uniform probabilities."""
        self._words = words
        self.scales = np.full(given, 1 / words, np.float32)
        self.null = np.full(words, NULL / words, np.float32)
        self._forget()

    def count(
        self,
        given: NDArray[np.int32],
        expected: Floats,
        words: NDArray[np.int32],
        null: Floats,
    ) -> None:
        """Add the expected counts of word pairs and of null links."""
        np.add.at(self._totals, given.ravel(), expected.ravel())
        np.add.at(self._nulls, words.ravel(), null.ravel())

    def learn(self) -> None:
        """Turn the counts into probabilities."""
        prior = np.float32(PRIOR)
        self.scales = np.float32(1) / _exp_digamma(self._totals + prior * self._words)
        self._nulls[0] = 0  # what fills sentences up is no word
        total = self._nulls.sum(keepdims=True) + prior * self._words
        weights = _exp_digamma(self._nulls + prior) / _exp_digamma(total)
        self.null = np.float32(NULL) * weights
        self._forget()

    def _forget(self) -> None:
        self._totals = np.zeros(len(self.scales), np.float32)
        self._nulls = np.zeros(len(self.null), np.float32)


@dataclass(frozen=True)
class Block:
    """Sentence pairs of similar length, padded with 0."""

    sentences: Integers
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    inside: NDArray[np.bool_]

    def prior(self, tension: float) -> Floats:
        """Return the prior for each link, not normalised; 0 outside a sentence."""
        sources = (self.source > 0).sum(1).astype(np.float32)[:, None, None]
        targets = (self.target > 0).sum(1).astype(np.float32)[:, None, None]
        i = np.arange(1, self.source.shape[1] + 1, dtype=np.float32)[None, :, None]
        j = np.arange(1, self.target.shape[1] + 1, dtype=np.float32)[None, None, :]
        distance = np.abs(i / sources - j / targets)
        distance *= np.float32(-tension)
        prior: Floats = np.exp(distance, out=distance)
        prior *= self.inside
        return prior


def _blocks(source: Runs, target: Runs) -> Iterator[Block]:
    """Sort sentence pairs by length and split them into blocks."""
    rows, columns = source.lengths(), target.lengths()
    some = np.flatnonzero((rows > 0) & (columns > 0))
    group = rows[some] // 3
    # Up in one group and down in the next, so that lengths never jump.
    order = some[np.lexsort((np.where(group % 2, -1, 1) * columns[some], group))]
    while len(order):
        ahead = order[: MOST_CELLS // int(columns[order[0]]) + 1]
        widest = np.maximum.accumulate(rows[ahead])
        widest *= np.maximum.accumulate(columns[ahead])
        cells = widest * np.arange(1, len(ahead) + 1)
        last = max(int(np.searchsorted(cells, MOST_CELLS, "right")), 1)
        chosen, order = order[:last], order[last:]
        left = _pad(source, chosen, rows[chosen])
        right = _pad(target, chosen, columns[chosen])
        inside = (left > 0)[:, :, None] & (right > 0)[:, None, :]
        yield Block(chosen, left, right, inside)


def _pad(side: Runs, chosen: Integers, lengths: Integers) -> NDArray[np.int32]:
    steps = np.arange(int(lengths.max()))
    inside = steps < lengths[:, None]
    indices = np.where(inside, side.starts[chosen][:, None] + steps, 0)
    return np.where(inside, side.words[indices], 0).astype(np.int32)


def symmetrise(forth: NDArray[np.bool_], back: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Join links of both directions by grow-diag-final-and, for many sentences.

    ``forth`` has at most one link for a target word and ``back`` at most one for a
    source word; the shape is (sentences, source, target). Neighbours are added for
    all points at once, one of the eight directions after the other.
    """
    union = forth | back
    links = forth & back
    grown = True
    while grown:
        grown = False
        for down, right in _NEIGHBOURS:
            near = _shift(links, down, right)
            new = near & union & ~links
            new &= ~links.any(2, keepdims=True) | ~links.any(1, keepdims=True)
            if new.any():
                links |= new
                grown = True
    for direction, axis in ((forth, 2), (back, 1)):
        new = direction & ~links.any(2, keepdims=True) & ~links.any(1, keepdims=True)
        # Of several links of one word, which only its second direction allows, the
        # first leaves none for the others.
        links |= new & (np.cumsum(new, axis) == 1)
    return links


_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def _shift(links: NDArray[np.bool_], down: int, right: int) -> NDArray[np.bool_]:
    moved = np.zeros_like(links)
    rows, columns = links.shape[1:]
    moved[
        :,
        max(down, 0) : rows + min(down, 0),
        max(right, 0) : columns + min(right, 0),
    ] = links[
        :,
        max(-down, 0) : rows + min(-down, 0),
        max(-right, 0) : columns + min(-right, 0),
    ]
    return moved


def _exp_digamma(values: Floats) -> Floats:
    """Return exp(digamma(x)) to within 4 per cent, and never zero."""
    shifted = values + np.float32(0.5)
    shifted += np.float32(1 / 24) / shifted
    shifted *= np.exp(np.float32(-1) / values)
    np.maximum(shifted, _LEAST, out=shifted)
    return shifted
