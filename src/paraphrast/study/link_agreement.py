"""Agreement of two annotators' links, with intervals: kappa, and F1 in two versions.

Cohen's kappa is over all cells of all sentence pairs, each with no link, a possible or
a sure one. F1 is that of `align.measures`, on the sure links alone and on all of them,
words that are identical left out. Sentence pairs are resampled for the 95% intervals,
since the cells of one are not independent.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from paraphrast.align.base import AlignedPair
from paraphrast.align.measures import Labels, corpus_counts
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.bootstrap import bootstrap_counts, percentiles
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.defaults import RESAMPLING, Resampling

_NO_LINK, _POSSIBLE, _SURE = range(3)
_LABELS = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LinkAgreement:
    """Agreement of two annotators on the same sentence pairs.

    ``kappa`` is NaN where chance alone agrees fully.
    """

    pairs: int
    kappa: Estimate
    f1_sure: Estimate
    f1_all: Estimate


def compare_links(
    first: Sequence[AlignedPair],
    second: Sequence[AlignedPair],
    resampling: Resampling = RESAMPLING,
) -> LinkAgreement:
    """Compare two annotators' links of the same sentence pairs, in the same order."""
    if not first:
        raise ParaphrastError("agreement on no sentence pair is not defined.")
    tables = np.array(
        [_count_cells(a, b) for a, b in zip(first, second, strict=True)], np.float64
    )
    return LinkAgreement(
        len(first),
        _estimate(tables, _kappa, resampling),
        _estimate(_count_f1(first, second, "sure"), _f1, resampling),
        _estimate(_count_f1(first, second, "possible"), _f1, resampling),
    )


def _count_cells(first: AlignedPair, second: AlignedPair) -> Matrix:
    """Count how often each label of the one meets each label of the other."""
    grids = [
        np.full((len(pair.source), len(pair.target)), _NO_LINK)
        for pair in (first, second)
    ]
    for grid, pair in zip(grids, (first, second), strict=True):
        for link in pair.links:
            grid[link.source, link.target] = _SURE if link.sure else _POSSIBLE
    codes = grids[0] * _LABELS + grids[1]
    counts: Matrix = np.bincount(codes.ravel(), minlength=_LABELS**2).astype(float)
    return counts


def _count_f1(
    first: Sequence[AlignedPair], second: Sequence[AlignedPair], labels: Labels
) -> Matrix:
    counts = corpus_counts(first, second, labels=labels)
    return np.array([[c.said_and_right, c.said, c.wanted] for c in counts], np.float64)


def _estimate(
    rows: Matrix, figure: Callable[[Matrix], Matrix], resampling: Resampling
) -> Estimate:
    blocks = bootstrap_counts(len(rows), **asdict(resampling))
    sums = [rows.sum(axis=0)[None], *(block @ rows for block in blocks)]
    values = figure(np.concatenate(sums))
    value = float(values[0])
    defined = values[np.isfinite(values)]
    if not np.isfinite(value):
        return Estimate(value, value, value)
    low, high = percentiles(defined)
    return Estimate(value, min(low, value), max(high, value))


def _kappa(sums: Matrix) -> Matrix:
    tables = sums.reshape(-1, _LABELS, _LABELS)
    totals = tables.sum(axis=(1, 2))
    observed = np.trace(tables, axis1=1, axis2=2) / totals
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / totals**2
    result = np.full(len(sums), np.nan)
    np.divide(observed - chance, 1 - chance, out=result, where=chance < 1)
    return result


def _f1(sums: Matrix) -> Matrix:
    """Return 2 |A ∩ B| / (|A| + |B|), or 1 if both are empty."""
    both, either = 2 * sums[:, 0], sums[:, 1] + sums[:, 2]
    result = np.ones(len(sums))
    np.divide(both, either, out=result, where=either > 0)
    return result
