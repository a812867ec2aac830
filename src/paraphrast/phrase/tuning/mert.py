"""Minimum error rate training (Och 2003): the metric itself, maximised line by line.

Along a line weights + t · direction each candidate's score is a line over t, so a
list's best candidate changes at the corners of an upper envelope only, and the metric
of all lists is a staircase over t that can be known exactly. A sweep goes along every
feature and some random directions, and moves to the middle of the best step each
time, so that the metric never falls. Sweeps start from several points, drawn around
the weights so far, and those that lead end where no direction helps any more.

Middles of wide steps are taken on purpose: a narrow peak is luck with these sentences.
"""

from dataclasses import dataclass

import numpy as np

from paraphrast.phrase.tuning.objective import Objective, Problem
from paraphrast.phrase.tuning.pool import Mask, Pool, Vector

# Values this near to each other are the same step of the staircase.
SAME = 1e-9
# Beyond the first and the last corner a step has no end; we go this far, in parts of
# the weights' own size.
BEYOND = 0.2
# The number of starting points that are searched to the end.
LEADERS = 4


@dataclass(frozen=True, slots=True)
class Mert:
    """Settings of the search; `weights` runs it on a pool."""

    restarts: int = 20
    directions: int = 8
    sweeps: int = 20
    narrowest: float = 1e-4
    least_gain: float = 1e-4

    def __post_init__(self) -> None:
        """Refuse settings that search nowhere."""
        if self.restarts < 0 or self.directions < 0 or self.sweeps < 1:
            raise ValueError(
                "restarts and directions must be 0 or more, and sweeps 1 or more."
            )

    def weights(self, problem: Problem) -> Vector:
        """Return the best weights found for the pool, from ``starts`` and others."""
        pool, objective, starts = problem.pool, problem.objective, problem.starts
        free, draw = problem.free, problem.draw
        drawn = [_around(starts[0], free, draw) for _ in range(self.restarts)]
        points = [_Point(pool, objective, weights) for weights in (*starts, *drawn)]
        for point in points:
            self._sweep(point, free, 0, draw)
        # A point far behind after one sweep hardly ever ends up best.
        leaders = sorted(points, key=lambda point: -point.value)[:LEADERS]
        for point in leaders:
            self._climb(point, free, draw)
        ends = [_Point(pool, objective, normalise(p.weights, free)) for p in leaders]
        origins = [_Point(pool, objective, normalise(w, free)) for w in starts]
        return max([*ends, *origins], key=lambda point: point.value).weights

    def _climb(self, point: "_Point", free: Mask, draw: np.random.Generator) -> None:
        for _ in range(self.sweeps):
            before = point.value
            self._sweep(point, free, self.directions, draw)
            if point.value - before <= self.least_gain * abs(before):
                return

    def _sweep(
        self, point: "_Point", free: Mask, directions: int, draw: np.random.Generator
    ) -> None:
        """Go along each free feature, in any order, and along random directions."""
        identity = np.eye(len(free))
        for feature in draw.permutation(np.flatnonzero(free)):
            point.search(identity[feature], self.narrowest)
        scale = np.abs(point.weights) + np.abs(point.weights[free]).mean()
        for _ in range(directions):
            direction = np.where(free, draw.normal(size=len(free)) * scale, 0.0)
            point.search(direction, self.narrowest)


class _Point:
    """Weights and their objective, which never falls."""

    def __init__(self, pool: Pool, objective: Objective, weights: Vector) -> None:
        self.weights = weights
        self.value = float(objective.total(pool.totals(weights)))
        self._pool = pool
        self._objective = objective
        self._scores = pool.lists.scores(weights)

    def search(self, direction: Vector, narrowest: float) -> None:
        """Move to the best point of a line through here, if it is better."""
        size = np.abs(direction).sum()
        if not size > 0:
            return
        unit = (np.abs(self.weights).sum() or 1.0) / size
        corners, sums = self._pool.lists.line(self._scores, direction)
        values = self._objective.total(sums)
        step, value = best_step(
            corners, values, unit=float(unit), narrowest=narrowest, value=self.value
        )
        if step != 0.0:
            self.weights = self.weights + step * direction
            self.value = value
            self._scores = self._pool.lists.scores(self.weights)


def best_step(
    corners: Vector, values: Vector, *, unit: float, narrowest: float, value: float
) -> tuple[float, float]:
    """Return where on a staircase to go, and its value there; 0 is to stay.

    ``values[i]`` holds between ``corners[i - 1]`` and ``corners[i]``. Steps narrower
    than ``narrowest`` (in parts of ``unit``) do not count. Of equally high ones the
    widest is taken, of equally wide ones that nearest to 0.
    """
    if not len(corners):
        return 0.0, value
    edges = np.concatenate(
        [[corners[0] - BEYOND * unit], corners, [corners[-1] + BEYOND * unit]]
    )
    # Neighbours of the same height are one step.
    first = np.flatnonzero(np.concatenate([[True], np.abs(np.diff(values)) > SAME]))
    low, high = edges[first], edges[np.append(first[1:], len(values))]
    heights, widths = values[first], high - low
    wide = widths > narrowest * unit
    if not wide.any():
        return 0.0, value
    highest = heights[wide].max()
    if highest <= value + SAME:
        return 0.0, value
    top = np.flatnonzero(wide & (heights >= highest - SAME))
    middles = (low[top] + high[top]) / 2
    chosen = np.lexsort((np.abs(middles), -widths[top]))[0]
    step = float(middles[chosen])
    return step, float(values[np.searchsorted(corners, step)])


def normalise(weights: Vector, free: Mask) -> Vector:
    """Return the weights with free ones whose absolute values add up to 1.

    The others stay: fixed is a weight in its proportion to all that are tuned.
    """
    size = np.abs(weights[free]).sum()
    result: Vector = np.where(free, weights / size, weights) if size > 0 else weights
    return result


def _around(weights: Vector, free: Mask, draw: np.random.Generator) -> Vector:
    """Draw weights around some; a small one may become as large as the average."""
    scale = np.maximum(np.abs(weights), np.abs(weights[free]).mean())
    moved = weights + draw.normal(size=len(weights)) * scale
    result: Vector = np.where(free, moved, weights)
    return result
