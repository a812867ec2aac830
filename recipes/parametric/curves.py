"""LB-Precision against Rel-Recall as the least probability falls.

A method that proposes little is precise for that reason alone, so methods are compared
at equal Rel-Recall: each proposes its likeliest paraphrases until it has found as
many. Proposals of equal probability have no order; there the curve runs
as if they came in random order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.paraphrases.parametric import Judged
from paraphrast.paraphrases.parametric_shares import Shares, interval

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """Points by decreasing probability: (points,) each."""

    probability: Numbers
    proposed: Numbers
    precision: Numbers
    recall: Numbers


@dataclass(frozen=True)
class Difference:
    """Two methods' LB-Precision at one Rel-Recall, and the first's lead.

    ``low`` and ``high`` bound the lead at 95%, by bootstrap over clusters, both
    methods on the same resamples.
    """

    recall: float
    precision: float
    other: float
    lead: float
    low: float
    high: float


class Ranking:
    """A method's proposals, likeliest first, in steps of equal probability."""

    def __init__(self, judged: Judged) -> None:
        """Sort the proposals once for all curves and resamples."""
        order = np.argsort(-judged.probability, kind="stable")
        self.cluster = judged.cluster[order]
        self.right = judged.right[order].astype(np.float64)
        falling = judged.probability[order]
        self.ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
        if not len(falling):
            self.ends = np.zeros(0, dtype=np.int64)
        self.probability = falling[self.ends]
        self.wanted = judged.wanted.sum(axis=1).astype(np.float64)

    def steps(self, times: Numbers) -> tuple[Numbers, Numbers, float]:
        """Return the correct and proposed counts after each step, and the gold total.

        ``times`` says how often each cluster counts.
        """
        weights = times[self.cluster]
        right = np.cumsum(weights * self.right)[self.ends]
        proposed = np.cumsum(weights)[self.ends]
        return right, proposed, float(times @ self.wanted)

    def recall_at(self, times: Numbers) -> float:
        """Return the number of correct proposals of the method in total."""
        return float(times[self.cluster] @ self.right)

    def precisions(self, aims: Numbers, times: Numbers) -> Numbers:
        """Return LB-Precision once so many are found; 0 where that never happens."""
        right, proposed, _ = self.steps(times)
        right, proposed = np.append(0.0, right), np.append(0.0, proposed)
        step = np.searchsorted(right, aims - 1e-9)
        reached = (step < len(right)) & (step > 0)
        after = np.where(reached, step, 1) if len(right) > 1 else step * 0
        before = np.maximum(after - 1, 0)
        gain = np.where(reached, right[after] - right[before], 1.0)
        way = (aims - right[before]) / gain
        needed = proposed[before] + way * (proposed[after] - proposed[before])
        return np.where(reached, aims / np.where(reached, needed, 1.0), 0.0)


def curve(judged: Judged) -> Curve:
    """Return one point for each probability that a proposal has."""
    ranking = Ranking(judged)
    right, proposed, wanted = ranking.steps(np.ones(len(judged.wanted)))
    recall = right / max(wanted, 1.0)
    return Curve(ranking.probability, proposed, right / proposed, recall)


def compare(
    judged: Judged,
    other: Judged,
    *,
    shares: Sequence[float] = (0.25, 0.5, 0.75, 1.0),
    resamples: int = 1000,
    seed: int = 1,
) -> list[Difference]:
    """Compare two methods' LB-Precision where both have found equally much.

    The points lie where the other has found these shares of all that it finds, in
    each resample anew. A method that never finds so much has LB-Precision 0 there.
    """
    ours, theirs = Ranking(judged), Ranking(other)
    clusters = len(judged.wanted)
    times = Shares(clusters, resamples=resamples, seed=seed).times
    # Our precision, theirs and the recall: (1 + resamples, 3, shares).
    result = np.array(
        [
            _both(ours, theirs, np.array(shares), row)
            for row in (np.ones(clusters), *times)
        ]
    )
    differences = []
    for mine, its, recall, leads in zip(
        *result[0], (result[1:, 0] - result[1:, 1]).T, strict=True
    ):
        low, high = interval(float(mine - its), leads)
        row = (recall, mine, its, mine - its, low, high)
        differences.append(Difference(*map(float, row)))
    return differences


def _both(
    ours: Ranking, theirs: Ranking, shares: Numbers, times: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    aims = shares * theirs.recall_at(times)
    recall = aims / max(float(times @ theirs.wanted), 1.0)
    return ours.precisions(aims, times), theirs.precisions(aims, times), recall
