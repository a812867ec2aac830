"""The array type that estimators and metrics exchange, and steps over sorted arrays."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]


def find_sorted(ordered: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of each wanted value in a sorted array, or -1."""
    if not len(ordered):
        return np.full(len(wanted), -1)
    rows = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[rows] == wanted, rows, -1)


def mark_changes(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark each row that differs from the previous one; the first row does."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return new


def sum_groups(values: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of each group, as `numpy.add.reduceat`, also of no groups."""
    sums: NDArray[Any] = np.add.reduceat(values, starts) if len(starts) else values[:0]
    return sums
