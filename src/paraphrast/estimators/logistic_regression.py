"""Logistic regression with an L2 penalty over sparse rows, by L-BFGS.

It minimises ``C * (sum of log losses) + |w|**2 / 2`` with the intercept free, as
scikit-learn's ``LogisticRegression`` does, and finds the same weights. Two classes
share one weight vector, more classes have one each. `fit_dense` is the same over a few
dense columns, with a penalty for each, by Newton's method. There is no randomness in
it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.estimators.matrix import Matrix
from paraphrast.estimators.ngram_features import Sparse

Labels: TypeAlias = NDArray[np.int64]
Objective: TypeAlias = Callable[[Matrix], tuple[float, Matrix]]

_MEMORY = 10  # how many past steps L-BFGS looks back on
_ENOUGH = 1e-4  # the share of the promised decrease that a step must bring (Armijo)


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Weights (columns, outputs), intercepts (outputs,); 1 output for 2 classes."""

    weights: Matrix
    intercepts: Matrix

    def scores(self, features: Sparse) -> Matrix:
        """Return a score per class before the softmax: (rows, classes)."""
        outputs = [
            features.times(self.weights[:, k]) + self.intercepts[k]
            for k in range(len(self.intercepts))
        ]
        if len(outputs) == 1:
            outputs.insert(0, np.zeros(len(features)))
        return np.stack(outputs, axis=1)


def train(
    features: Sparse,
    labels: Labels,
    *,
    classes: int,
    strength: float = 1.0,
    iterations: int = 200,
    tolerance: float = 1e-4,
) -> LinearModel:
    """Fit classes 0 to ``classes`` - 1; ``strength`` is C, the inverse penalty."""
    outputs = 1 if classes == 2 else classes
    loss = (
        _binary(features, labels)
        if outputs == 1
        else _softmax(features, labels, classes)
    )
    size = features.width * outputs

    def objective(point: Matrix) -> tuple[float, Matrix]:
        value, gradient = loss(point)
        value = strength * value + _dot(point[:size], point[:size]) / 2
        gradient *= strength
        gradient[:size] += point[:size]
        return value, gradient

    point = minimise(
        objective,
        np.zeros(size + outputs),
        iterations=iterations,
        tolerance=tolerance * strength * len(labels),
    )
    weights = point[:size].reshape(outputs, features.width).T
    return LinearModel(weights, point[size:])


def softmax(scores: Matrix) -> Matrix:
    """Return probabilities: (…, classes) -> the same, each row summing to one."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def log_loss(scores: Matrix, labels: Labels) -> float:
    """Return the mean negative log probability of the right classes."""
    top = scores.max(axis=1, keepdims=True)
    total = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0]
    return float(np.mean(total - scores[np.arange(len(labels)), labels]))


def temperature(scores: Matrix, labels: Labels) -> float:
    """Return the temperature factor on scores that calibrates held-out probabilities.

    It minimises `log_loss`, which is convex in it; the most probable class does not
    change.
    """
    low, high = np.log(1e-2), np.log(1e2)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if log_loss(np.exp(left) * scores, labels) < log_loss(
            np.exp(right) * scores, labels
        ):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2))


def minimise(
    objective: Objective, start: Matrix, *, iterations: int, tolerance: float
) -> Matrix:
    """Minimise a smooth convex function by L-BFGS."""
    point = start
    value, gradient = objective(point)
    steps: list[tuple[Matrix, Matrix]] = []
    for _ in range(iterations):
        if np.max(np.abs(gradient)) <= tolerance:
            break
        direction = _direction(gradient, steps)
        slope = _dot(gradient, direction)
        length = 1.0 if steps else 1.0 / max(1.0, float(np.abs(gradient).sum()))
        while True:
            candidate = point + length * direction
            new_value, new_gradient = objective(candidate)
            if new_value <= value + _ENOUGH * length * slope:
                break
            length /= 2
            if length < 1e-12:
                return point  # no lower point can be told from this one
        step, change = candidate - point, new_gradient - gradient
        if _dot(step, change) > 1e-12 * _dot(change, change):
            steps = [*steps[1 - _MEMORY :], (step, change)]
        point, value, gradient = candidate, new_value, new_gradient
    return point


def fit_dense(
    design: Matrix, labels: Matrix, penalties: Matrix, *, tolerance: float = 1e-10
) -> Matrix:
    """Return the weights of a few dense columns, for labels of 0 and 1.

    It minimises the sum of log losses plus ``penalties @ w**2 / 2``. A constant is a
    column of ones, with a penalty of 0.
    """

    def derivatives(weights: Matrix) -> tuple[Matrix, Matrix]:
        chances = logistic(design @ weights)
        gradient = design.T @ (chances - labels) + penalties * weights
        curvature = (design * (chances * (1 - chances))[:, None]).T @ design
        return gradient, curvature + np.diag(penalties)

    return newton(derivatives, np.zeros(design.shape[1]), tolerance=tolerance)


def fit_with_constant(
    columns: Matrix, labels: Matrix, penalty: float, *, tolerance: float = 1e-10
) -> Matrix:
    """Return the weights of a few dense columns, and last a constant, which is free."""
    design = np.concatenate([columns, np.ones((len(columns), 1))], axis=1)
    penalties = np.append(np.full(columns.shape[1], penalty), 0.0)
    return fit_dense(design, labels, penalties, tolerance=tolerance)


def newton(
    derivatives: Callable[[Matrix], tuple[Matrix, Matrix]],
    start: Matrix,
    *,
    tolerance: float,
    iterations: int = 50,
) -> Matrix:
    """Minimise a convex function by Newton's method, from its gradient and Hessian.

    For few, dense columns, where a handful of steps suffices.
    """
    point = start
    for _ in range(iterations):
        gradient, curvature = derivatives(point)
        step = np.linalg.solve(curvature, gradient)
        # A step that overshoots would only come back; its length is bounded instead.
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        point = point - step
        if float(np.abs(step).max()) < tolerance:
            break
    return point


def logistic(values: Matrix) -> Matrix:
    """Return the probabilities for log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -500, 500))))


def _direction(gradient: Matrix, steps: list[tuple[Matrix, Matrix]]) -> Matrix:
    direction = -gradient
    factors = []
    for step, change in reversed(steps):
        factor = _dot(step, direction) / _dot(step, change)
        direction = direction - factor * change
        factors.append(factor)
    if steps:
        step, change = steps[-1]
        direction = direction * (_dot(step, change) / _dot(change, change))
    for (step, change), factor in zip(steps, reversed(factors), strict=True):
        back = _dot(change, direction) / _dot(step, change)
        direction = direction + (factor - back) * step
    return direction


def _dot(first: Matrix, second: Matrix) -> float:
    # Not ``@``: a threaded BLAS sums in an order that depends on the machine.
    return float(np.einsum("i,i->", first, second))


def _binary(features: Sparse, labels: Labels) -> Objective:
    signs = np.where(labels == 1, 1.0, -1.0)

    def loss(point: Matrix) -> tuple[float, Matrix]:
        margins = signs * (features.times(point[:-1]) + point[-1])
        value = float(np.logaddexp(0, -margins).sum())
        pull = -signs / (1 + np.exp(np.minimum(margins, 700)))
        gradient = np.append(features.transposed_times(pull), pull.sum())
        return value, gradient

    return loss


def _softmax(features: Sparse, labels: Labels, classes: int) -> Objective:
    size = features.width * classes
    rows = np.arange(len(labels))

    def loss(point: Matrix) -> tuple[float, Matrix]:
        parts = point[:size].reshape(classes, features.width)
        scores = np.stack([features.times(part) for part in parts], axis=1)
        scores += point[size:]
        value = log_loss(scores, labels) * len(labels)
        pull = softmax(scores)
        pull[rows, labels] -= 1
        columns = [features.transposed_times(pull[:, k]) for k in range(classes)]
        return value, np.concatenate([*columns, pull.sum(axis=0)])

    return loss
