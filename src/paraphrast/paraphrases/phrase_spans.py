"""All phrase pairs of many aligned sentences at once.

The same phrase pairs as in `paraphrast.align.phrase_pairs`, found for a batch of
sentences by arithmetic on whole arrays: a batch is all its sentences in one row of
words, and the reach of every run of n words follows from that of n - 1. The compiled
extraction of `phrase` also counts orientations and examples, and knows no tight pairs.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Boundaries: TypeAlias = Literal["tight", "loose"]
Integers: TypeAlias = NDArray[np.int64]

_FAR = np.iinfo(np.int64).max // 2


@dataclass(frozen=True)
class Side:
    """Sentences in word numbers: sentence i is ``words[starts[i]:starts[i + 1]]``."""

    words: NDArray[np.int32]
    starts: Integers

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.starts) - 1

    def lengths(self) -> Integers:
        """Return the lengths of the sentences."""
        return self.starts[1:] - self.starts[:-1]


@dataclass(frozen=True)
class Spans:
    """Phrase pairs as indices into the two rows of words, and lengths."""

    source_starts: Integers
    source_lengths: Integers
    target_starts: Integers
    target_lengths: Integers


def phrase_spans(
    source: Side,
    target: Side,
    links: tuple[Integers, Integers],
    *,
    longest: int,
    boundaries: Boundaries,
) -> Spans:
    """Return the phrase pairs of at most ``longest`` words on either side.

    ``links`` are indices into the rows of words. With loose boundaries a phrase may
    begin and end with words that have no link (Och and Ney 2004); with tight ones it
    may not (COHN08 §3).
    """
    reach = _reach(links[0], links[1], len(source.words), longest)
    back = _reach(links[1], links[0], len(target.words), longest)
    sentences = np.repeat(np.arange(len(source)), source.lengths())
    linked = reach[0, 0] <= reach[1, 0]
    result: list[tuple[Integers, ...]] = []
    for length in range(1, min(longest, len(source.words)) + 1):
        low, high = reach[0, length - 1], reach[1, length - 1]
        last = len(source.words) - length + 1
        width = high[:last] - low[:last] + 1
        fits = (width > 0) & (width <= longest)
        fits &= sentences[:last] == sentences[length - 1 :]
        if boundaries == "tight":
            fits &= linked[:last] & linked[length - 1 :]
        starts = np.flatnonzero(fits)
        width, low = width[starts], low[starts]
        kept = (back[0, width - 1, low] >= starts) & (
            back[1, width - 1, low] < starts + length
        )
        starts, low, width = starts[kept], low[kept], width[kept]
        result.append((starts, np.full(len(starts), length), low, width))
    columns = [np.concatenate(column) for column in zip(*result, strict=True)]
    if not columns:
        columns = [np.zeros(0, np.int64)] * 4
    spans = Spans(*columns)
    if boundaries == "tight":
        return spans
    return _widen(spans, target, back[0, 0] <= back[1, 0], longest)


def _reach(
    from_: Integers, to: Integers, words: int, longest: int
) -> NDArray[np.int64]:
    """Return the first and last index that a run of words is linked to.

    The shape is (2, longest, words); a run without links reaches from far to -1.
    """
    reach = np.empty((2, longest, words), np.int64)
    reach[0], reach[1] = _FAR, -1
    np.minimum.at(reach[0, 0], from_, to)
    np.maximum.at(reach[1, 0], from_, to)
    for length in range(2, min(longest, words) + 1):
        last = words - length + 1
        for side, extreme in ((0, np.minimum), (1, np.maximum)):
            extreme(
                reach[side, length - 2, :last],
                reach[side, 0, length - 1 :],
                out=reach[side, length - 1, :last],
            )
    return reach


def _widen(
    spans: Spans, target: Side, linked: NDArray[np.bool_], longest: int
) -> Spans:
    """Add what each pair becomes with unlinked words around its target side."""
    before, after = _free(target, linked)
    ends = spans.target_starts + spans.target_lengths - 1
    room = longest - spans.target_lengths
    left, right = before[spans.target_starts], after[ends]
    parts = []
    for more_left in range(longest):
        for more_right in range(longest - more_left):
            fits = (left >= more_left) & (right >= more_right)
            chosen = np.flatnonzero(fits & (room >= more_left + more_right))
            if len(chosen):
                parts.append((chosen, more_left, more_right))
    if not parts:
        return spans
    return Spans(
        np.concatenate([spans.source_starts[chosen] for chosen, _, _ in parts]),
        np.concatenate([spans.source_lengths[chosen] for chosen, _, _ in parts]),
        np.concatenate([spans.target_starts[chosen] - a for chosen, a, _ in parts]),
        np.concatenate(
            [spans.target_lengths[chosen] + a + b for chosen, a, b in parts]
        ),
    )


def _free(side: Side, linked: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Return how many unlinked words of its sentence stand before and after a word."""
    places = np.arange(len(linked))
    lengths = side.lengths()
    first = np.repeat(side.starts[:-1], lengths)
    last = np.repeat(side.starts[1:], lengths) - 1
    seen = np.maximum.accumulate(np.where(linked, places, -1))
    before = np.empty_like(places)
    before[:1] = 0
    before[1:] = places[1:] - 1 - np.maximum(seen[:-1], first[1:] - 1)
    coming = np.minimum.accumulate(np.where(linked, places, len(linked))[::-1])[::-1]
    after = np.empty_like(places)
    after[-1:] = 0
    after[:-1] = np.minimum(coming[1:], last[:-1] + 1) - places[:-1] - 1
    return before, after


def run_hashes(
    words: NDArray[np.int32], word_hashes: NDArray[np.uint64], longest: int
) -> NDArray[np.uint64]:
    """Return a 64-bit number for every run of words, (longest, words).

    Two of ten million phrases get the same number with a chance of 1 in 400,000.
    """
    hashes = np.zeros((longest, len(words)), np.uint64)
    hashes[0] = word_hashes[words]
    for length in range(2, min(longest, len(words)) + 1):
        last = len(words) - length + 1
        mixed = hashes[length - 2, :last] * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed += hashes[0, length - 1 :]
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        hashes[length - 1, :last] = mixed
    return hashes
