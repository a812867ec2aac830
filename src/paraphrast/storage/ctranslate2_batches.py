"""Batches whose rows have one shape, so that a row gives the same in any batch.

In 8 bits what CTranslate2 computes for a row depends on the padding beside it, in the
last digits; without padding it depends on the row alone.
"""

from collections.abc import Iterator, Sequence


def make_batches(
    shapes: Sequence[tuple[int, ...]], most: int
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield each shape with the indices of rows that have it, the largest first.

    A batch has at most ``most`` tokens, and at least one row.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, shape in enumerate(shapes):
        groups.setdefault(shape, []).append(index)
    for shape in sorted(groups, reverse=True):
        size = max(1, most // sum(shape))
        indices = groups[shape]
        for start in range(0, len(indices), size):
            yield shape, indices[start : start + size]
