"""LB-Precision against Rel-Recall as the least probability falls.

A method that proposes little is precise for that reason alone, so methods are compared
at equal Rel-Recall: each proposes its likeliest paraphrases until it has found as
many. Between proposals of one probability nothing is to choose; there the curve runs
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
    """Points by falling probability: (points,) each."""

    probability: Numbers
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
        """Order the proposals once for every curve and resample."""
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
        """Return right and proposed after each step, and all that is wanted.

        ``times`` says how often each cluster counts.
        """
        weights = times[self.cluster]
        right = np.cumsum(weights * self.right)[self.ends]
        proposed = np.cumsum(weights)[self.ends]
        return right, proposed, float(times @ self.wanted)

    def found(self, times: Numbers) -> float:
        """Return how much the method finds of what is wanted, in all."""
        return float(times[self.cluster] @ self.right)

    def precision(self, aim: float, times: Numbers) -> float:
        """Return LB-Precision once ``aim`` are found; 0 if that never happens."""
        right, proposed, _ = self.steps(times)
        step = int(np.searchsorted(right, aim - 1e-9))
        if step == len(right) or aim <= 0:
            return 0.0
        right_before, before = (
            (right[step - 1], proposed[step - 1]) if step else (0.0, 0.0)
        )
        way = (aim - right_before) / (right[step] - right_before)
        return float(aim / (before + way * (proposed[step] - before)))


def curve(judged: Judged) -> Curve:
    """Return one point for each probability that a proposal has."""
    ranking = Ranking(judged)
    right, proposed, wanted = ranking.steps(np.ones(len(judged.wanted)))
    return Curve(ranking.probability, right / proposed, right / max(wanted, 1.0))


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
    each resample anew. Who never finds so much has LB-Precision 0 there.
    """
    ours, theirs = Ranking(judged), Ranking(other)
    clusters = len(judged.wanted)
    times = Shares(clusters, resamples=resamples, seed=seed).times
    found = []
    for part in shares:
        pairs = np.array(
            [_both(ours, theirs, part, row) for row in (np.ones(clusters), *times)]
        )
        (mine, its, recall), leads = pairs[0], pairs[1:, 0] - pairs[1:, 1]
        low, high = interval(mine - its, leads)
        found.append(Difference(recall, mine, its, mine - its, low, high))
    return found


def _both(
    ours: Ranking, theirs: Ranking, part: float, times: Numbers
) -> tuple[float, float, float]:
    aim = part * theirs.found(times)
    recall = aim / max(float(times @ theirs.wanted), 1.0)
    return ours.precision(aim, times), theirs.precision(aim, times), recall
