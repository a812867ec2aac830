"""How often an annotator changes a cell of the initial alignment (COHN08 §3).

The number of changed cells in a sentence pair is binomial: each of its N × M cells is
changed with the same probability, which is linear in the combined length N + M. The
line is fitted to all pairs of an annotator by maximum likelihood.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paraphrast.metrics.base import Matrix

_STEPS = 50
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class EditLine:
    """The probability that a cell is changed, as a line over the combined length."""

    intercept: float
    slope: float

    def __call__(self, source_words: int, target_words: int) -> float:
        """Return the probability of changing a cell in a pair of these lengths."""
        line = self.intercept + self.slope * (source_words + target_words)
        return min(max(line, 0.0), 1.0)


def fit_edits(sizes: Sequence[tuple[int, int]], changed: Sequence[int]) -> EditLine:
    """Fit the line to how many cells were changed in pairs of these sizes.

    Fisher scoring: least squares of the shares, each weighted by its inverse variance
    under the line so far, until the line stays.
    """
    lengths = np.array([sum(size) for size in sizes], np.float64)
    cells = np.array([rows * columns for rows, columns in sizes], np.float64)
    shares = np.asarray(changed, np.float64) / cells
    middle = float(np.average(lengths, weights=cells))
    level, slope = float(np.average(shares, weights=cells)), 0.0
    # A line may pass below nought at some length; its variance there is set apart
    # from nought by less than one change in the whole corpus.
    least = 0.5 / cells.sum()
    for _ in range(_STEPS):
        expected = np.clip(level + slope * (lengths - middle), least, 1 - least)
        weights = cells / (expected * (1 - expected))
        before = (level, slope)
        level, slope = _weighted_line(lengths - middle, shares, weights)
        if np.allclose(before, (level, slope), rtol=0, atol=_CLOSE):
            break
    return EditLine(level - slope * middle, slope)


def _weighted_line(x: Matrix, y: Matrix, weights: Matrix) -> tuple[float, float]:
    """Return the height at nought and the slope of the line of least squares."""
    total = weights.sum()
    x_mean, y_mean = (weights @ x) / total, (weights @ y) / total
    spread = weights @ (x - x_mean) ** 2
    if spread <= _CLOSE * total:  # all lengths are the same
        return float(y_mean), 0.0
    slope = weights @ ((x - x_mean) * (y - y_mean)) / spread
    return float(y_mean - slope * x_mean), float(slope)
