"""Ratios such as precision, with intervals by bootstrap over clusters.

Annotations of the same source sentence are dependent, so whole clusters are resampled.
All ratios of one `Shares` use the same resamples, which makes their differences paired.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.bootstrap import bootstrap_counts

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """``part`` of ``whole`` with its 95% interval; 0 / 0 is 1."""

    part: int
    whole: int
    value: float
    low: float
    high: float


class Shares:
    """Makes shares of counts by cluster, over one set of resamples."""

    def __init__(self, clusters: int, *, resamples: int = 1000, seed: int = 1) -> None:
        """Draw the resamples; without any, an interval is the value itself."""
        if clusters < 1:
            raise ParaphrastError(
                "the gold standard has no sentence pairs. Check the file given with "
                "--gold."
            )
        if seed < 0:
            raise ParaphrastError(f"seed must not be negative, and {seed} is.")
        blocks = bootstrap_counts(clusters, resamples=resamples, seed=seed)
        # How often each resample holds each cluster: (resamples, clusters).
        self.times: Counts = np.concatenate([np.zeros((0, clusters)), *blocks])

    def __call__(self, part: Counts, whole: Counts) -> Share:
        """Return the share of sums, given the counts of each cluster."""
        value = float(share(part.sum(), whole.sum()))
        samples = share(self.times @ part, self.times @ whole)
        low, high = interval(value, samples)
        return Share(int(part.sum()), int(whole.sum()), value, low, high)


def share(part: Counts | float, whole: Counts | float) -> Counts:
    """Return part / whole, or 1 for 0 / 0."""
    over, under = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    return np.where(under > 0, over / np.where(under > 0, under, 1.0), 1.0)


def interval(value: float, samples: Counts) -> tuple[float, float]:
    """Return the 95% percentile interval, widened to contain the value itself."""
    if not len(samples):
        return value, value
    low, high = np.quantile(samples, [0.025, 0.975])
    return min(float(low), value), max(float(high), value)
