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

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from paraphrast.align.links import Cell

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
    return [spans for group in _tight(cells, longest) for spans in group]


def divide_pairs(cells: Iterable[Cell], *, longest: int | None = None) -> PhrasePairs:
    """Return the tight phrase pairs, atomic and composite apart."""
    groups = _tight(cells, longest)
    widths = {
        (start, end): high - low for group in groups for start, end, low, high in group
    }
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
    links = list(cells)
    left, right = _free_neighbours({i for i, _ in links}, source_words)
    below, above = _free_neighbours({j for _, j in links}, target_words)
    result = [
        (start, end, low, high)
        for last_start, first_end, last_low, first_high in phrase_pairs(
            links, longest=longest
        )
        for start in range(last_start - left[last_start], last_start + 1)
        for end in range(
            first_end, min(first_end + right[first_end], start + longest) + 1
        )
        for low in range(last_low - below[last_low], last_low + 1)
        for high in range(
            first_high, min(first_high + above[first_high], low + longest) + 1
        )
    ]
    result.sort()
    return result


def _tight(cells: Iterable[Cell], longest: int | None) -> list[list[Spans]]:
    """Grow a phrase from each linked source word until one of its links leads back.

    The target side is what the words so far reach; the pair is consistent when the
    words that the target side reaches back lie inside. Both only grow. Pairs with the
    same first source word are returned together, shorter ones first.
    """
    reached, reaching = _ranges(cells)
    words = sorted(reached)
    groups = []
    for index, start in enumerate(words):
        low, high = reached[start][0], reached[start][0] - 1
        first = last = start
        group: list[Spans] = []
        for end in words[index:]:
            from_, to = reached[end]
            if from_ < low or to > high:
                for j in (*range(from_, low), *range(high + 1, to + 1)):
                    if j in reaching:
                        back, forth = reaching[j]
                        first = back if back < first else first
                        last = forth if forth > last else last
                low = from_ if from_ < low else low
                high = to if to > high else high
            if first < start or (
                longest is not None and longest <= max(end - start, high - low)
            ):
                break
            if last <= end:
                group.append((start, end + 1, low, high + 1))
        if group:
            groups.append(group)
    return groups


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


def _free_neighbours(linked: set[int], words: int) -> tuple[list[int], list[int]]:
    """Count the unlinked words just before each position, and from it on."""
    before = [0] * (words + 1)
    after = [0] * (words + 1)
    for index in range(words):
        before[index + 1] = 0 if index in linked else before[index] + 1
    for index in reversed(range(words)):
        after[index] = 0 if index in linked else after[index + 1] + 1
    return before, after
