"""Phrase pairs consistent with an alignment (COHN08 §3; Och, Tillmann and Ney 1999).

A phrase pair joins a run of source words and a run of target words. It is consistent if
it contains a link and none of its words is linked outside. COHN08 also requires that
its outermost words are linked; such a pair is called tight here.

A tight pair is composite when smaller tight pairs cover all its words, none twice, in
any order; otherwise it is atomic. Unlinked words count: with reached-arrived, an-a and
nothing for "at", the pair "reached an", "arrived at a" is atomic (COHN08 Table 2), for
no smaller pair covers "at".

The functions of one sentence pair take cells (i, j) and return spans (source start,
source end, target start, target end), so that ``source[start:end]`` is the phrase,
ordered by source; `batch_spans` does the same for many. The search is compiled.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

import numpy as np

from paraphrast import _native
from paraphrast.align.links import Cell
from paraphrast.text.runs import Integers

Boundaries: TypeAlias = Literal["tight", "loose"]
Spans: TypeAlias = tuple[int, int, int, int]
Range: TypeAlias = tuple[int, int]
# By source start: where atomic pairs end, and how many target words they have.
Atoms: TypeAlias = dict[int, list[tuple[int, int]]]


@dataclass(frozen=True)
class PhrasePairs:
    """The tight phrase pairs of an alignment."""

    atomic: list[Spans]
    composite: list[Spans]


def phrase_pairs(cells: Iterable[Cell], *, longest: int | None = None) -> list[Spans]:
    """Return all tight phrase pairs, at most ``longest`` words on either side."""
    return _spans(list(cells), longest=longest)


def divide_pairs(cells: Iterable[Cell], *, longest: int | None = None) -> PhrasePairs:
    """Return the tight phrase pairs, divided into atomic and composite ones."""
    pairs = phrase_pairs(cells, longest=longest)
    groups = [list(group) for _, group in groupby(pairs, lambda spans: spans[0])]
    widths = {(start, end): high - low for start, end, low, high in pairs}
    atoms: Atoms = {}
    atomic: list[list[Spans]] = []
    composite: list[list[Spans]] = []
    # From right to left, so that what may follow a first part is known before it.
    for group in reversed(groups):
        start, end, low, high = group[0]
        atoms[start] = [(end, high - low)]
        atomic.append(group[:1])
        composite.append([])
        for spans in group[1:]:
            _, end, low, high = spans
            if _is_covered(start, end, high - low, atoms, widths):
                composite[-1].append(spans)
            else:
                atomic[-1].append(spans)
                atoms[start].append((end, high - low))
    return PhrasePairs(
        [spans for group in reversed(atomic) for spans in group],
        [spans for group in reversed(composite) for spans in group],
    )


def loose_phrase_pairs(
    cells: Iterable[Cell], source_words: int, target_words: int, *, longest: int
) -> list[Spans]:
    """Return all consistent phrase pairs, also with unlinked outermost words.

    This is the usual extraction for phrase tables: each tight pair, and what it
    becomes with unlinked neighbours on any side.
    """
    sizes = (source_words, target_words)
    return sorted(_spans(list(cells), sizes, longest=longest, boundaries="loose"))


def batch_spans(
    starts: tuple[Integers, Integers],
    links: tuple[Integers, Integers],
    *,
    longest: int,
    boundaries: Boundaries,
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return the phrase pairs of many sentences as four columns of the spans.

    The words of all sentences of a side lie in one row; sentence i begins at
    ``starts[side][i]``, and links and spans are positions in the rows.
    """
    tight = boundaries == "tight"
    spans = _native.phrase_spans(*starts, *links, longest=longest, tight=tight)
    return spans[:, 0], spans[:, 1], spans[:, 2], spans[:, 3]


def _spans(
    cells: list[Cell],
    sizes: tuple[int, int] | None = None,
    *,
    longest: int | None,
    boundaries: Boundaries = "tight",
) -> list[Spans]:
    if not cells:
        return []
    links = np.array(cells, np.int64).T
    rows, columns = sizes or (int(side.max()) + 1 for side in links)
    columns_of_spans = batch_spans(
        (np.array([0, rows]), np.array([0, columns])),
        (np.ascontiguousarray(links[0]), np.ascontiguousarray(links[1])),
        longest=max(rows, columns) if longest is None else longest,
        boundaries=boundaries,
    )
    return list(zip(*(column.tolist() for column in columns_of_spans), strict=True))


def _is_covered(
    start: int, end: int, width: int, atoms: Atoms, widths: dict[Range, int]
) -> bool:
    """Say whether smaller pairs cover a source span and all its target words.

    Tight pairs with different source words share no target word, so the target side
    is covered when the widths add up. Two parts are by far the commonest case.
    """
    for middle, part in atoms[start]:
        if widths.get((middle, end), -1) == width - part:
            return True
    best = {start: 0}  # by source position: most target words covered up to there
    for position in range(start, end):
        if position in best:
            for after, part in atoms.get(position, ()):
                if after <= end:
                    best[after] = max(best.get(after, 0), best[position] + part)
    return best.get(end) == width
