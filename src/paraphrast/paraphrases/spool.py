"""Rows on disk in partitions by a hash, so that each fits into memory.

Rows with the same hash are in the same partition, and all hashes of one partition are
smaller than those of the next: processing the partitions in order gives results in the
order of the hashes.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.estimators.matrix import mark_changes

PARTITIONS = 64
_SHIFT = np.uint64(64 - 6)


class Spool:
    """Rows of one type, ordered by the partition of their first field."""

    def __init__(self, folder: Path, kind: list[tuple[str, str]]) -> None:
        """Start with nothing in a new folder."""
        folder.mkdir(parents=True)
        self.kind = np.dtype(kind)
        self._paths = [folder / f"{number:02}" for number in range(PARTITIONS)]
        for path in self._paths:
            path.touch()

    def add(self, *columns: NDArray[Any]) -> None:
        """Append rows, given in columns, each to its partition."""
        numbers = (columns[0] >> _SHIFT).astype(np.uint8)
        order = np.argsort(numbers, kind="stable")
        rows = np.empty(len(order), self.kind)
        for name, column in zip(self.kind.names or (), columns, strict=True):
            rows[name] = column[order]
        ends = np.cumsum(np.bincount(numbers, minlength=PARTITIONS))
        start = 0
        for path, end in zip(self._paths, ends.tolist(), strict=True):
            if end > start:
                with path.open("ab") as file:
                    rows[start:end].tofile(file)
            start = end

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the partitions in the order of their hashes."""
        for path in self._paths:
            yield np.fromfile(path, self.kind)

    def delete(self) -> None:
        """Free the disk space."""
        for path in self._paths:
            path.unlink()


def group_rows(
    first: NDArray[np.uint64], second: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of the rows by both columns, and where each group starts."""
    order = np.lexsort((second, first))
    return order, np.flatnonzero(mark_changes(first[order], second[order]))
