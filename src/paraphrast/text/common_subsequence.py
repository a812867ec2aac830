"""The longest common subsequence of two sequences, found with bit arithmetic.

The algorithm is Hyyrö's (2004), and ties are broken as in rapidfuzz's ``Indel``.
rapidfuzz is not a dependency: it takes 12 MB, for these two functions alone.
"""

from collections.abc import Hashable, Sequence


def matching_indices(
    first: Sequence[Hashable], second: Sequence[Hashable]
) -> list[tuple[int, int]]:
    """Return the index pairs of the matching elements, in order."""
    start, end = common_ends(first, second)
    column, row = len(first) - end, len(second) - end
    rows = _matrix(first[start:column], second[start:row])
    matches = [(column + step, row + step) for step in reversed(range(end))]
    column, row = column - start, row - start
    while row and column:
        bit = 1 << (column - 1)
        if rows[row - 1] & bit:
            column -= 1
            continue
        row -= 1
        if row and not rows[row - 1] & bit:
            continue
        column -= 1
        matches.append((start + column, start + row))
    return [*((index, index) for index in range(start)), *reversed(matches)]


def similarity(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return the share of elements that match, from 0 to 1."""
    total = len(first) + len(second)
    lacking = total - 2 * len(matching_indices(first, second))
    return 1 - lacking / total if total else 1.0


def common_ends(
    first: Sequence[Hashable], second: Sequence[Hashable]
) -> tuple[int, int]:
    """Return the lengths of the common prefix and of the common suffix after it."""
    shorter = min(len(first), len(second))
    start = 0
    while start < shorter and first[start] == second[start]:
        start += 1
    end = 0
    while end < shorter - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return start, end


def _matrix(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[int]:
    """Return a bit vector per element of ``second``; bit i stands for ``first[i]``."""
    positions: dict[Hashable, int] = {}
    for index, element in enumerate(first):
        positions[element] = positions.get(element, 0) | 1 << index
    state = everything = (1 << len(first)) - 1
    rows = []
    for element in second:
        shared = state & positions.get(element, 0)
        state = (state + shared | state - shared) & everything
        rows.append(state)
    return rows
