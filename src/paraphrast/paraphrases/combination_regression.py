"""Logistic regression over counted examples, by Newton's method.

An example stands for ``times`` equal ones, of which ``right`` are right. It minimises
the sum of their log losses plus ``penalty * |w|**2 / 2`` over weights of features that
are first scaled to mean 0 and deviation 1; the intercept is free. There is no
randomness in it, and a few steps reach the minimum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_ROWS = 100_000  # examples worked on at once, so that memory is bounded
_STEPS = 50


@dataclass(frozen=True, eq=False)
class Regression:
    """A weight for each feature, and the intercept: p = logistic(x · w + b)."""

    weights: Matrix
    intercept: float

    def probabilities(self, features: NDArray[np.float32]) -> Matrix:
        """Return the probability that each row is right."""
        return _logistic(features @ self.weights + self.intercept)


def fit(
    features: NDArray[np.float32],
    right: NDArray[np.int64],
    times: NDArray[np.int64],
    *,
    penalty: float = 1.0,
) -> Regression:
    """Learn from rows of features, each seen so many times and so often right."""
    mean = np.average(features, axis=0, weights=times)
    deviation = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=times))
    scale = np.where(deviation > 1e-9, deviation, 1.0)
    columns = features.shape[1]
    point = np.zeros(columns + 1)
    pull = np.append(np.full(columns, penalty), 1e-9)
    for _ in range(_STEPS):
        gradient, curvature = pull * point, np.diag(pull)
        for start in range(0, len(features), _ROWS):
            rows = slice(start, start + _ROWS)
            scaled = (features[rows] - mean) / scale
            scaled = np.column_stack([scaled, np.ones(len(scaled))])
            chance = _logistic(scaled @ point)
            gradient = gradient + scaled.T @ (times[rows] * chance - right[rows])
            spread = times[rows] * chance * (1 - chance)
            curvature = curvature + scaled.T @ (spread[:, None] * scaled)
        step = np.linalg.solve(curvature, gradient)
        # A step that overshoots would only come back; its length is bounded instead.
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        point = point - step
        if float(np.abs(step).max()) < 1e-6:
            break
    weights = point[:-1] / scale
    return Regression(weights, float(point[-1] - weights @ mean))


def _logistic(x: Matrix) -> Matrix:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -500, 500))))
