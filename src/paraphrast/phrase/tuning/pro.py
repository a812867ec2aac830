"""Pairwise ranked optimisation (Hopkins and May 2011).

Of each list pairs of candidates are drawn, those whose gains differ most are kept,
and a logistic regression learns from the differences of their features which of the
two is better. Its weights, drawn a little towards the weights before, are the new
ones.
"""

from dataclasses import dataclass

import numpy as np

from paraphrast.estimators.logistic_regression import logistic, newton
from paraphrast.phrase.candidates import Numbers
from paraphrast.phrase.tuning.mert import normalise
from paraphrast.phrase.tuning.mira import relative_gains
from paraphrast.phrase.tuning.objective import Problem
from paraphrast.phrase.tuning.pool import Vector

# Gains are on a scale where best and worst of a list differ by 1 in the mean.
LEAST_DIFFERENCE = 0.05


@dataclass(frozen=True, slots=True)
class Pro:
    """Settings: pairs drawn and kept per sentence, and the part of the new weights."""

    drawn: int = 5000
    kept: int = 50
    part: float = 0.5
    penalty: float = 1.0

    def __post_init__(self) -> None:
        """Refuse settings that learn from nothing."""
        if not 1 <= self.kept <= self.drawn or not 0 < self.part <= 1:
            raise ValueError(
                "the number of pairs kept must be from 1 to the number sampled, and "
                "the minimum difference from 0 to 1."
            )
        if not self.penalty > 0:
            raise ValueError("the penalty must be positive.")

    def weights(self, problem: Problem) -> Vector:
        """Return the weights learnt from pairs, mixed with the first start."""
        pool, objective, starts = problem.pool, problem.objective, problem.starts
        free, draw = problem.free, problem.draw
        start = normalise(starts[0], free)
        chosen = pool.lists.best(pool.lists.scores(start))
        gains = relative_gains(pool, objective, chosen)
        better, worse = self._pairs(pool.starts, gains, draw)
        if not len(better):
            return start
        apart = (pool.features[:, better] - pool.features[:, worse]).astype(np.float64)
        learnt = np.where(free, 0.0, start)
        learnt[free] = rank(apart[free].T, self.penalty)
        if not learnt[free].any():
            return start
        learnt = np.where(free, normalise(learnt, free), start)
        mixed = self.part * learnt + (1 - self.part) * start
        return normalise(mixed, free)

    def _pairs(
        self, starts: Numbers, gains: Vector, draw: np.random.Generator
    ) -> tuple[Numbers, Numbers]:
        """Return the better and the worse candidate of each pair kept."""
        better, worse = [], []
        bounds = starts.tolist()
        for begin, end in zip(bounds, bounds[1:], strict=False):
            number = min(self.drawn, (end - begin) ** 2)
            left, right = draw.integers(begin, end, size=(2, number))
            difference = gains[left] - gains[right]
            keep = np.flatnonzero(np.abs(difference) > LEAST_DIFFERENCE)
            if len(keep) > self.kept:
                most = np.argpartition(-np.abs(difference[keep]), self.kept)
                keep = keep[np.sort(most[: self.kept])]
            first = difference[keep] > 0
            better.append(np.where(first, left[keep], right[keep]))
            worse.append(np.where(first, right[keep], left[keep]))
        return np.concatenate(better), np.concatenate(worse)


def rank(differences: Vector, penalty: float) -> Vector:
    """Return weights under which most rows are positive, by Newton's method.

    It minimises the mean of log(1 + exp(-row · weights)) times the number of rows,
    plus half the penalty times the squared weights, on columns of equal size.
    """
    scale = np.sqrt((differences**2).mean(axis=0))
    scale[scale == 0] = 1.0
    rows = differences / scale

    def derivatives(weights: Vector) -> tuple[Vector, Vector]:
        error = logistic(-rows @ weights)
        curve = (rows.T * (error * (1 - error))) @ rows
        return penalty * weights - rows.T @ error, curve + penalty * np.eye(len(scale))

    weights = newton(derivatives, np.zeros(len(scale)), tolerance=1e-8)
    return np.asarray(weights / scale)
