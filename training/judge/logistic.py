"""Logistic regression on a few dense columns, for what combines a judge's parts."""

from typing import Any

import numpy as np

from paraphrast.estimators.logistic_regression import logistic, newton


def fit_logistic(design: Any, labels: Any, penalties: Any) -> Any:
    """Return weights by Newton's method; each has a quadratic penalty of its own."""

    def derivatives(weights: Any) -> tuple[Any, Any]:
        chance = logistic(design @ weights)
        slope = design.T @ (chance - labels) + penalties * weights
        curve = (design * (chance * (1 - chance))[:, None]).T @ design
        return slope, curve + np.diag(penalties)

    return newton(derivatives, np.zeros(design.shape[1]), tolerance=1e-10)
