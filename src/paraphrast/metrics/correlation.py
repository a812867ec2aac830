"""Does a metric agree with people? Pearson, Spearman, Kendall, with intervals.

Each coefficient is a function of the two columns and of a count per pair; counts of one
give the coefficient, bootstrap counts give its resamples, all at once. Tied values
share the mean of their ranks (Spearman) or are left out of the pairs (Kendall's tau-b).

Two 95% intervals: by Fisher's z, with the variance of Fieller, Hartley and Pearson
(1957) for Kendall and of Bonett and Wright (2000) for Spearman; and by percentiles of a
paired bootstrap. A constant column is refused, as its correlation is undefined.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.estimators.bootstrap import bootstrap_counts, percentiles
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.defaults import RESAMPLES, SEED

Kind: TypeAlias = Literal["pearson", "spearman", "kendall"]

KINDS: tuple[Kind, ...] = get_args(Kind)

_NORMAL = 1.959963984540054  # 97.5% of the standard normal lie below
_ROWS = 1_000  # of the matrix of pairs, held at once
_TINY = 1e-12  # a variance below this, after scaling, is rounding


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient and its two 95% intervals.

    ``low`` and ``high`` are Fisher's, and are -1 and 1 if there are too few pairs.
    """

    kind: Kind
    value: float
    low: float
    high: float
    bootstrap_low: float
    bootstrap_high: float
    pairs: int

    def __str__(self) -> str:
        """Show the coefficient, both intervals and the number of pairs."""
        return (
            f"{self.kind:<8}  {self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}]  "
            f"bootstrap [{self.bootstrap_low:+.3f}, {self.bootstrap_high:+.3f}]  "
            f"{self.pairs} pairs"
        )


def pearson(x: Sequence[float] | Matrix, y: Sequence[float] | Matrix) -> float:
    """Return the linear correlation of two columns."""
    return _coefficient("pearson", *_columns(x, y))


def spearman(x: Sequence[float] | Matrix, y: Sequence[float] | Matrix) -> float:
    """Return the correlation of ranks."""
    return _coefficient("spearman", *_columns(x, y))


def kendall(x: Sequence[float] | Matrix, y: Sequence[float] | Matrix) -> float:
    """Return Kendall's tau-b: concordant minus discordant pairs, excluding ties."""
    return _coefficient("kendall", *_columns(x, y))


def correlate(
    x: Sequence[float] | Matrix,
    y: Sequence[float] | Matrix,
    *,
    kind: Kind = "pearson",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Correlation:
    """Correlate two columns, with intervals."""
    if kind not in KINDS:
        raise unknown("correlation", kind, KINDS)
    first, second = _columns(x, y)
    value = _coefficient(kind, first, second)
    low, high = _fisher(kind, value, len(first))
    samples = [
        _WEIGHTED[kind](first, second, counts)
        for counts in bootstrap_counts(len(first), resamples=resamples, seed=seed)
    ]
    drawn = np.concatenate([*samples, [value]])
    # A resample that draws one value only has no correlation.
    around = percentiles(drawn[np.isfinite(drawn)])
    return Correlation(
        kind=kind,
        value=value,
        low=low,
        high=high,
        bootstrap_low=min(around[0], value),
        bootstrap_high=max(around[1], value),
        pairs=len(first),
    )


def correlate_resamples(kind: Kind, x: Matrix, y: Matrix, counts: Matrix) -> Matrix:
    """Correlate two columns with counts per pair, for every row of counts.

    ``counts`` is (rows, pairs) and the result (rows,), NaN if a row has only one value.
    Neither column may be constant.
    """
    return _WEIGHTED[kind](x, y, counts)


def _columns(
    x: Sequence[float] | Matrix, y: Sequence[float] | Matrix
) -> tuple[Matrix, Matrix]:
    columns = (np.asarray(x, np.float64), np.asarray(y, np.float64))
    if len(columns[0]) != len(columns[1]):
        raise ParaphrastError(
            f"a correlation needs two columns of equal length, not "
            f"{len(columns[0])} and {len(columns[1])} values."
        )
    for which, column in zip(("first", "second"), columns, strict=True):
        if not np.isfinite(column).all():
            row = int(np.argmin(np.isfinite(column))) + 1
            raise ParaphrastError(
                f"the {which} column's value {row} is not a number. Drop such rows."
            )
        if len(column) < 2 or (column == column[0]).all():
            raise ParaphrastError(
                f"the {which} column has fewer than two different values, so the "
                "correlation is undefined. Give values that vary."
            )
    return columns


def _coefficient(kind: Kind, x: Matrix, y: Matrix) -> float:
    (value,) = _WEIGHTED[kind](x, y, np.ones((1, len(x))))
    return float(value) if np.isfinite(value) else 0.0


def _fisher(kind: Kind, value: float, pairs: int) -> tuple[float, float]:
    spare = pairs - (4 if kind == "kendall" else 3)
    if spare <= 0:
        return -1.0, 1.0
    if abs(value) >= 1.0:
        return value, value
    factor = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[kind]
    reach = _NORMAL * math.sqrt(factor / spare)
    z = math.atanh(value)
    return math.tanh(z - reach), math.tanh(z + reach)


def _pearson(x: Matrix, y: Matrix, counts: Matrix) -> Matrix:
    return _moments(_rescale(x)[None], _rescale(y)[None], counts)


def _spearman(x: Matrix, y: Matrix, counts: Matrix) -> Matrix:
    return _moments(_ranks(x, counts), _ranks(y, counts), counts)


def _kendall(x: Matrix, y: Matrix, counts: Matrix) -> Matrix:
    agreement = np.zeros(len(counts))
    for start in range(0, len(x), _ROWS):
        rows = slice(start, start + _ROWS)
        signs = np.sign(x[rows, None] - x) * np.sign(y[rows, None] - y)
        agreement += ((counts @ signs.T) * counts[:, rows]).sum(axis=1)
    drawn = counts.sum(axis=1)
    untied = [drawn**2 - _count_tied_pairs(column, counts) for column in (x, y)]
    below = np.sqrt(untied[0] * untied[1])
    tau = np.full(len(counts), np.nan)
    np.divide(agreement, below, out=tau, where=below > 0)
    return np.clip(tau, -1.0, 1.0, out=tau)


_WEIGHTED: dict[Kind, Callable[[Matrix, Matrix, Matrix], Matrix]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}


def _rescale(column: Matrix) -> Matrix:
    # Values of any size, without overflow and without losing what varies.
    centred = column / np.abs(column).max()
    centred = centred - centred.mean()
    widest: Matrix = centred / np.abs(centred).max()
    return widest


def _moments(x: Matrix, y: Matrix, counts: Matrix) -> Matrix:
    """Return the weighted linear correlation of each row: (rows, pairs) -> (rows,)."""
    drawn = counts.sum(axis=1, keepdims=True)
    x = x - (x * counts).sum(axis=1, keepdims=True) / drawn
    y = y - (y * counts).sum(axis=1, keepdims=True) / drawn
    together = (x * y * counts).sum(axis=1)
    alone = (x * x * counts).sum(axis=1) * (y * y * counts).sum(axis=1)
    below = np.sqrt(alone)
    correlation = np.full(len(counts), np.nan)
    np.divide(together, below, out=correlation, where=below > _TINY)
    return np.clip(correlation, -1.0, 1.0, out=correlation)


def _ranks(column: Matrix, counts: Matrix) -> Matrix:
    """Rank a column with counts per value; ties share the mean rank."""
    groups, drawn = _groups(column, counts)
    before = np.cumsum(drawn, axis=1) - drawn
    ranks: Matrix = (before + (drawn + 1) / 2)[:, groups]
    return ranks


def _count_tied_pairs(column: Matrix, counts: Matrix) -> Matrix:
    """Count the pairs, in both orders and with themselves, that have equal values."""
    _, drawn = _groups(column, counts)
    pairs: Matrix = (drawn**2).sum(axis=1)
    return pairs


def _groups(column: Matrix, counts: Matrix) -> tuple[NDArray[np.intp], Matrix]:
    """Number the distinct values in order, and count how often each is drawn."""
    values, groups = np.unique(column, return_inverse=True)
    if len(values) == len(column):
        return groups, counts[:, np.argsort(column)]
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(len(values)))
    return groups, np.add.reduceat(counts[:, order], starts, axis=1)
