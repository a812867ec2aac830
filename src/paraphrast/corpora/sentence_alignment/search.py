"""Search the lattice of alignments: forward-backward and best path in a band.

A node (i, j) is reached after i source and j target sentences; a bead leads from one
node to another and covers the sentences between them. Only a band of nodes is searched:
row i of the lattice has the columns ``starts[i] <= j < stops[i]``. A lattice is one
array per row, ``rows[i][b, j - starts[i]]`` being the score of bead type b that *ends*
at node (i, j): log-probabilities for `posteriors`, any additive score for `best_path`.
Memory is that of the band, not of the rectangle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Node: TypeAlias = tuple[int, int]

# How many source and target sentences a bead covers, in the order of the scores.
MATCH, DELETE, INSERT, CONTRACT, EXPAND = range(5)
SHAPES: tuple[Node, ...] = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))


@dataclass(frozen=True, slots=True)
class Band:
    """The columns of each row that the search may visit."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def columns(self, row: int) -> tuple[int, int]:
        """Return the first column of a row and the one after its last."""
        return int(self.starts[row]), int(self.stops[row])

    @property
    def end(self) -> Node:
        """The node where every sentence has been covered."""
        return len(self.starts) - 1, int(self.stops[-1]) - 1


def diagonal_band(sources: int, targets: int, *, deviation: float) -> Band:
    """Return the nodes at most ``deviation`` sentences off the diagonal.

    Deviation is measured along the longer document, so that neighbouring rows overlap
    even if the lengths are very unequal.
    """
    slope = targets / max(sources, 1)
    reach = deviation * max(1.0, slope)
    diagonal = np.arange(sources + 1) * slope
    starts = np.clip(np.floor(diagonal - reach), 0, targets).astype(np.int64)
    stops = np.clip(np.ceil(diagonal + reach), 0, targets).astype(np.int64) + 1
    starts[0], stops[-1] = 0, targets + 1
    return Band(starts, stops)


def deviation(path: Sequence[Node], sources: int, targets: int) -> float:
    """Return the deviation of a path from the diagonal, as in `diagonal_band`."""
    slope = targets / max(sources, 1)
    return max(abs(i * slope - j) for i, j in path) / max(1.0, slope)


def posteriors(
    rows: Sequence[Floats], band: Band, *, above: float
) -> tuple[list[Floats], Band]:
    """Return the posteriors of the beads in the pruned band.

    In every row, the columns between the first and the last node with a log-posterior
    above ``above`` are kept. A row without such a node (a certain 2-1 bead skips it)
    keeps its first column.
    """
    ahead = _forward(rows, band, np.logaddexp)
    back = _backward(rows, band)
    total = ahead[-1][-1]
    starts, stops, beads = [], [], []
    for i, row in enumerate(rows):
        kept = np.flatnonzero(ahead[i] + back[i] - total > above)
        left, right = (kept[0], kept[-1] + 1) if len(kept) else (0, 1)
        starts.append(band.starts[i] + left)
        stops.append(band.starts[i] + right)
        columns = slice(left, right)
        arrived = _arrivals(ahead, row[:, columns], band, i, int(starts[-1]))
        logs = arrived + (back[i][columns] - total)
        beads.append(np.minimum(np.exp(logs), 1.0))
    return beads, Band(np.array(starts), np.array(stops))


def best_path(rows: Sequence[Floats], band: Band) -> list[tuple[Node, int]]:
    """Return the beads of the highest-scoring path as (end node, type), in order."""
    ahead = _forward(rows, band, np.maximum)
    i, j = band.end
    path = []
    while (i, j) != (0, 0):
        column = j - int(band.starts[i])
        options = [
            rows[i][bead, column] + _at(ahead, band, i - di, j - dj)
            for bead, (di, dj) in enumerate(SHAPES)
        ]
        bead = int(np.argmax(options))
        path.append(((i, j), bead))
        i, j = i - SHAPES[bead][0], j - SHAPES[bead][1]
    return path[::-1]


def _forward(rows: Sequence[Floats], band: Band, plus: np.ufunc) -> list[Floats]:
    """Sum (with ``plus``) the scores of all paths from the first node to each node."""
    ahead: list[Floats] = []
    for i, row in enumerate(rows):
        arrived = _arrivals(ahead, row, band, i, int(band.starts[i]))
        if i == 0:
            arrived[MATCH, 0] = 0.0
        arrived[INSERT] = -np.inf
        # Insertions lead along the row: f[j] = arrived[j] + f[j-1] * insert[j],
        # which is a running sum once the scores so far are taken off.
        so_far = np.concatenate(([0.0], np.cumsum(row[INSERT, 1:])))
        ahead.append(plus.accumulate(plus.reduce(arrived, axis=0) - so_far) + so_far)
    return ahead


def _backward(rows: Sequence[Floats], band: Band) -> list[Floats]:
    """Log-sum the scores of all paths from each node to the last."""
    back: list[Floats] = [np.empty(0)] * len(rows)
    for i in range(len(rows) - 1, -1, -1):
        start, stop = band.columns(i)
        left = np.full((5, stop - start), -np.inf)
        if i == len(rows) - 1:
            left[MATCH, -1] = 0.0
        for bead, (di, dj) in enumerate(SHAPES):
            if di and i + di < len(rows):
                onward = rows[i + di][bead] + back[i + di]
                left[bead] = _window(
                    onward, int(band.starts[i + di]), start + dj, stop + dj
                )
        so_far = np.concatenate(([0.0], np.cumsum(rows[i][INSERT, 1:])))
        gathered = np.logaddexp.reduce(left, axis=0) + so_far
        back[i] = np.logaddexp.accumulate(gathered[::-1])[::-1] - so_far
    return back


def _arrivals(
    ahead: Sequence[Floats], row: Floats, band: Band, i: int, start: int
) -> Floats:
    """Add to each bead that ends in row ``i`` the score of its start node.

    ``row`` has the beads of row ``i`` from column ``start`` on.
    """
    stop = start + row.shape[1]
    arrived = np.full_like(row, -np.inf)
    for bead, (di, dj) in enumerate(SHAPES):
        if 0 <= i - di < len(ahead):
            arrived[bead] = row[bead] + _window(
                ahead[i - di], int(band.starts[i - di]), start - dj, stop - dj
            )
    return arrived


def _window(values: Floats, first: int, start: int, stop: int) -> Floats:
    """Return columns start..stop of a row that begins at column ``first``."""
    window = np.full(stop - start, -np.inf)
    low, high = max(start, first), min(stop, first + len(values))
    if low < high:
        window[low - start : high - start] = values[low - first : high - first]
    return window


def _at(ahead: Sequence[Floats], band: Band, i: int, j: int) -> float:
    if i < 0 or not band.starts[i] <= j < band.stops[i]:
        return -np.inf
    return float(ahead[i][j - band.starts[i]])
