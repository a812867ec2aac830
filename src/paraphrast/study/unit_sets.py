"""Sets of agreement units, for many alignments of one sentence pair at once.

The chance term of Ĉ needs a thousand alignments of every sentence pair, so they are
processed together: ``cells`` is (alignments, source words, target words). A set of
units is an integer array with one row per alignment, -1 where there is no unit; two
sets share a unit if they have the same integer at the same index. Units are words
(linked cells), atomic phrase pairs, or all phrase pairs; identical words and phrases
are left out (COHN08 §3).

The phrase pairs are those of `paraphrast.align.phrase_pairs`, which says what they are.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import Words
from paraphrast.align.phrase_pairs import batch_spans

Grid: TypeAlias = NDArray[np.bool_]
Units: TypeAlias = NDArray[np.int32]
Kind: TypeAlias = Literal["words", "atomic phrases", "phrases"]

KINDS: tuple[Kind, ...] = get_args(Kind)

_NONE = -1


def unit_sets(
    cells: Grid, source: Words, target: Words, kinds: tuple[Kind, ...] = KINDS
) -> dict[Kind, Units]:
    """Return the non-identical units of each alignment, (alignments, positions)."""
    if len(source) > len(target):  # the work grows with the square of the first side
        cells, source, target = cells.transpose(0, 2, 1), target, source
    common = _common_runs(source, target)
    result: dict[Kind, Units] = {}
    if "words" in kinds:
        result["words"] = np.where(cells & (common == 0), 0, _NONE).astype(np.int32)
    if "phrases" in kinds or "atomic phrases" in kinds:
        spans = _tight(cells)
        codes = np.where(_is_different(spans, common), spans.codes(), _NONE)
        if "phrases" in kinds:
            result["phrases"] = codes
        if "atomic phrases" in kinds:
            result["atomic phrases"] = np.where(_is_atomic(spans), codes, _NONE)
    return {kind: result[kind].reshape(len(cells), -1) for kind in kinds}


def concordance(first: Units, second: Units) -> NDArray[np.float64]:
    """Return |A ∩ B| / min(|A|, |B|) of each two sets, row by row.

    Two empty sets agree fully, and an empty set does not agree with any other.
    """
    shared = ((first == second) & (first != _NONE)).sum(axis=1)
    sizes = np.stack([(units != _NONE).sum(axis=1) for units in (first, second)])
    smaller, larger = sizes.min(axis=0), sizes.max(axis=0)
    agreed: NDArray[np.float64] = shared / np.maximum(smaller, 1)
    agreed[larger == 0] = 1.0
    return agreed


@dataclass(frozen=True, slots=True)
class _Spans:
    """Tight phrase pairs by their first and last source word.

    All are (alignments, first, last); ``low`` and ``high`` are the target side's first
    and last word where ``tight``, and undefined elsewhere.
    """

    tight: Grid
    low: Units
    high: Units

    def codes(self) -> Units:
        """Return a code for the target side; its position is the source side."""
        return self.low * np.int32(1 << 15) + self.high


def _tight(cells: Grid) -> _Spans:
    """Find the tight phrase pairs of all alignments in one search."""
    size, rows, columns = cells.shape
    owners = np.arange(size + 1)
    links, source, target = np.nonzero(cells)
    start, end, low, high = batch_spans(
        (owners * rows, owners * columns),
        (links * rows + source, links * columns + target),
        longest=max(rows, columns),
        boundaries="tight",
    )
    where = (start // rows, start % rows, (end - 1) % rows)
    shape = (size, rows, rows)
    spans = _Spans(np.zeros(shape, bool), np.zeros(shape, "i4"), np.zeros(shape, "i4"))
    spans.tight[where] = True
    spans.low[where], spans.high[where] = low % columns, (high - 1) % columns
    return spans


def _is_atomic(spans: _Spans) -> Grid:
    """Say which tight pairs smaller ones do not cover.

    ``cover[:, a, b]`` is the largest number of target words that tight pairs cover
    together which part the source words from a to b (exclusive) among them. Tight
    pairs with different source words share no target word, so a pair is composite
    when two or more parts cover as many target words as it has.
    """
    size, rows, _ = spans.tight.shape
    impossible = -(1 << 20)
    cover = np.full((size, rows + 1, rows + 1), impossible, np.int32)
    width = spans.high - spans.low + 1
    atomic = spans.tight.copy()
    for start in range(rows - 1, -1, -1):
        for last in range(start, rows):
            here = np.flatnonzero(spans.tight[:, start, last])
            wide = width[here, start, last]
            atoms = cover[here, start, last + 1] != wide
            atomic[here, start, last] = atoms
            cover[here, start, last + 1] = wide
            if last + 1 < rows:
                here, wide = here[atoms], wide[atoms]
                longer = cover[here, last + 1, last + 2 :] + wide[:, None]
                covered = cover[here, start, last + 2 :]
                cover[here, start, last + 2 :] = np.maximum(covered, longer)
    return atomic


def _common_runs(source: Words, target: Words) -> Units:
    """Return how many words from (i, j) on are the same: (source, target)."""
    numbers = {word: code for code, word in enumerate(dict.fromkeys(source + target))}
    same = np.equal.outer(
        np.array([numbers[word] for word in source]),
        np.array([numbers[word] for word in target]),
    )
    runs = np.zeros((len(source) + 1, len(target) + 1), np.int32)
    for i in range(len(source) - 1, -1, -1):
        runs[i, :-1] = np.where(same[i], runs[i + 1, 1:] + 1, 0)
    return runs[:-1, :-1]


def _is_different(spans: _Spans, common: Units) -> Grid:
    """Say which positions hold a tight pair whose two sides are not the same words."""
    starts = np.arange(spans.tight.shape[1])
    length = starts - starts[:, None]
    run = common[starts[:, None], spans.low]
    identical = (spans.high - spans.low == length) & (run > length)
    different: Grid = spans.tight & ~identical
    return different
