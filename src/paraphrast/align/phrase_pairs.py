"""Phrase pairs that an alignment licenses (COHN08 §3; Och, Tillmann and Ney 1999).

A phrase pair joins a run of source words and a run of target words. It is consistent
when it holds a link and no word of it is linked outside. COHN08 also demands that its
outermost words are linked; such a pair is called tight here.

A tight pair is composite when smaller tight pairs cover all its words, none twice, in
any order; else it is atomic. A word without links counts: with reached-arrived, an-a
and nothing for "at", the pair "reached an", "arrived at a" is atomic (COHN08 Table 2),
for no smaller pair covers "at".

All functions take cells (i, j) and return spans (source start, source end, target
start, target end), so that ``source[start:end]`` is the phrase, ordered by source. The
work is that of the pairs found, not of all that could be.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from paraphrast.align.links import Cell

Spans: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class PhrasePairs:
    """The tight phrase pairs of an alignment."""

    atomic: list[Spans]
    composite: list[Spans]


def phrase_pairs(cells: Iterable[Cell], *, longest: int | None = None) -> list[Spans]:
    """Return all tight phrase pairs, at most ``longest`` words on either side."""
    sources, targets = _ranges(cells)
    return _tight(sources, targets, longest)


def divided(cells: Iterable[Cell], *, longest: int | None = None) -> PhrasePairs:
    """Return the tight phrase pairs, atomic and composite apart."""
    pairs = phrase_pairs(cells, longest=longest)
    ends = {(spans[0], spans[1]): spans[3] - spans[2] for spans in pairs}
    atoms: dict[int, list[tuple[int, int]]] = {}
    atomic, composite = [], []
    # From right to left, so that what may follow a first part is known before it.
    for spans in reversed(_shorter_last(pairs)):
        start, end, low, high = spans
        width = high - low
        if start in atoms and _is_covered(start, end, width, atoms, ends):
            composite.append(spans)
        else:
            atomic.append(spans)
            atoms.setdefault(start, []).append((end, width))
    return PhrasePairs(sorted(atomic), sorted(composite))


def loose_phrase_pairs(
    cells: Iterable[Cell], source_words: int, target_words: int, *, longest: int
) -> list[Spans]:
    """Return all consistent phrase pairs, also with unlinked outermost words.

    This is the usual extraction for phrase tables: each tight pair, and what it
    becomes with unlinked neighbours on any side.
    """
    known = list(cells)
    linked_sources = {i for i, _ in known}
    linked_targets = {j for _, j in known}
    found: list[Spans] = []
    for start, end, low, high in phrase_pairs(known, longest=longest):
        sides = product(
            _widened(start, end, linked_sources, source_words, longest),
            _widened(low, high, linked_targets, target_words, longest),
        )
        found.extend((*source, *target) for source, target in sides)
    return sorted(found)


Range: TypeAlias = tuple[int, int]


def _ranges(cells: Iterable[Cell]) -> tuple[dict[int, Range], dict[int, Range]]:
    """Return the first and last target of each source word, and the reverse."""
    sources: dict[int, Range] = {}
    targets: dict[int, Range] = {}
    for i, j in cells:
        low, high = sources.get(i, (j, j))
        sources[i] = (min(low, j), max(high, j))
        low, high = targets.get(j, (i, i))
        targets[j] = (min(low, i), max(high, i))
    return sources, targets


def _tight(
    sources: dict[int, Range], targets: dict[int, Range], longest: int | None
) -> list[Spans]:
    """Grow a phrase from each linked source word until one of its links leads back.

    The target side is what the words so far reach; the pair is consistent when the
    words that the target side reaches back lie inside. Both only grow.
    """
    words = sorted(sources)
    found = []
    for place, start in enumerate(words):
        low, high = sources[start][0], sources[start][0] - 1
        first = last = start
        for end in words[place:]:
            if longest is not None and end - start >= longest:
                break
            from_, to = sources[end]
            if from_ < low or to > high:
                for j in (*range(from_, low), *range(high + 1, to + 1)):
                    if j in targets:
                        back, forth = targets[j]
                        first, last = min(first, back), max(last, forth)
                low, high = min(low, from_), max(high, to)
                if first < start or (longest is not None and high - low >= longest):
                    break
            if last <= end:
                found.append((start, end + 1, low, high + 1))
    return found


def _shorter_last(pairs: list[Spans]) -> list[Spans]:
    return sorted(pairs, key=lambda spans: (spans[0], -spans[1]))


def _is_covered(
    start: int,
    end: int,
    width: int,
    atoms: dict[int, list[tuple[int, int]]],
    ends: dict[tuple[int, int], int],
) -> bool:
    """Say whether smaller pairs cover a source span and all its target words.

    Tight pairs with different source words share no target word, so the target side
    is covered when the widths add up. Two parts are by far the commonest case.
    """
    for middle, part in atoms[start]:
        if ends.get((middle, end), -1) == width - part:
            return True
    best = {start: 0}  # by source position: most target words covered up to there
    for position in range(start, end):
        if position in best:
            for after, part in atoms.get(position, ()):
                if after <= end:
                    best[after] = max(best.get(after, 0), best[position] + part)
    return best.get(end) == width


def _widened(
    start: int, end: int, linked: set[int], words: int, longest: int
) -> Iterator[Range]:
    """Yield the span with as many unlinked neighbours as there are, or fewer."""
    first, last = start, end
    while first > 0 and first - 1 not in linked and end - first < longest:
        first -= 1
    while last < words and last not in linked and last - start < longest:
        last += 1
    for left in range(start, first - 1, -1):
        for right in range(end, last + 1):
            if right - left <= longest:
                yield left, right
