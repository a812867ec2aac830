"""Batch MIRA on k-best lists (Cherry and Foster 2012).

For each sentence the hope is a candidate that scores well and is good, the fear one
that scores well and is bad, and the weights move just so far that hope leads by as
much as it is better. How good a candidate is shows in a background: as if it stood
among a thousand such sentences. The background is made of the hopes of the last
pass, for the first pass of what the weights choose; so it is the same for all
sentences of a pass, and their gains can be computed at once.

Weights are averaged over all updates, and of the averages after each pass the one
that is best on the lists is kept.
"""

from dataclasses import dataclass

import numpy as np

from paraphrast.phrase.candidates import Numbers
from paraphrast.phrase.tuning.mert import normalise
from paraphrast.phrase.tuning.objective import Objective, Problem
from paraphrast.phrase.tuning.pool import Pool, Vector

# Sentences of background: what a decay of 0.999 per sentence comes to.
BACKGROUND = 1000.0
# The hopes hardly change after the first passes; then the background stays.
CHANGING = 3


@dataclass(frozen=True, slots=True)
class Mira:
    """Settings: the largest step (the paper's C) and the passes over the lists."""

    largest_step: float = 0.01
    passes: int = 60

    def __post_init__(self) -> None:
        """Refuse settings that go nowhere."""
        if not self.largest_step > 0 or self.passes < 1:
            raise ValueError("the step size and the number of passes must be positive.")

    def weights(self, problem: Problem) -> Vector:
        """Return the best average weights on the pool, beginning at the first start."""
        pool, objective, starts = problem.pool, problem.objective, problem.starts
        free, draw = problem.free, problem.draw
        now = normalise(starts[0], free)
        hopes = pool.lists.best(pool.lists.scores(now))
        best, value = now, float(objective.total(pool.totals(now)))
        gains, total, updates = np.zeros(len(pool)), np.zeros(len(free)), 0
        for number in range(self.passes):
            if number < CHANGING:
                gains = relative_gains(pool, objective, hopes)
            order = draw.permutation(len(pool.starts) - 1).astype(np.int64)
            now, added, hopes = pool.lists.mira(
                order, now, gains, free.astype(np.float64), self.largest_step
            )
            total, updates = total + added, updates + len(order)
            average = normalise(total / updates, free)
            result = float(objective.total(pool.totals(average)))
            if result > value:
                best, value = average, result
        return best


def relative_gains(
    pool: Pool, objective: Objective, chosen: Numbers, *, spread: float = 1.0
) -> Vector:
    """Return what each candidate adds to a background of the chosen candidates.

    The scale is such that, in the mean over lists, the best and the worst differ by
    ``spread``, whatever the metric's own scale.
    """
    background = BACKGROUND * pool.statistics[chosen].mean(axis=0)
    gains = objective.total(pool.statistics + background)
    highest = np.maximum.reduceat(gains, pool.starts[:-1])
    lowest = np.minimum.reduceat(gains, pool.starts[:-1])
    size = float((highest - lowest).mean())
    result: Vector = (gains - highest.mean()) * (spread / size if size > 0 else 0.0)
    return result
