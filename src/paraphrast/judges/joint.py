"""J and GM: accuracy, similarity and fluency in one figure (STRAP §3.2).

J multiplies the three for each sentence and then averages, so only an output that is
right in every way counts. GM averages each over the corpus and then takes the
geometric mean: a system that is right in style here and in meaning there looks good
by it. Both come from the same rows, are shown side by side, and J is the one to
trust. Accuracy and fluency are 0 or 1 for a sentence; similarity is from 0 to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.judges.evaluator import Evaluator, remembered
from paraphrast.metrics.base import CountingMetric, Matrix, Segment


def joint_rows(accuracy: Matrix, similarity: Matrix, fluency: Matrix) -> Matrix:
    """Return rows (ACC, SIM, FL, their product, 1): (segments, 5)."""
    product = accuracy * similarity * fluency
    return np.stack(
        [accuracy, similarity, fluency, product, np.ones_like(product)], axis=-1
    )


@dataclass(frozen=True, slots=True)
class _Combined(CountingMetric):
    """Three evaluators, and the rows that both figures are made of."""

    accuracy: Evaluator
    similarity: Evaluator
    fluency: Evaluator

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return `joint_rows` of the segments."""
        parts = (self.accuracy, self.similarity, self.fluency)
        return joint_rows(*(remembered(part, segments) for part in parts))


@dataclass(frozen=True, slots=True)
class Joint(_Combined):
    """J: mean over sentences of accuracy times similarity times fluency, in percent."""

    name: ClassVar[str] = "j"

    def total(self, statistics: Matrix) -> Matrix:
        """Return the mean product in percent."""
        return np.asarray(100 * statistics[..., 3] / statistics[..., 4])


@dataclass(frozen=True, slots=True)
class GeometricMean(_Combined):
    """GM: geometric mean of the means of accuracy, similarity, fluency, in percent."""

    name: ClassVar[str] = "gm"

    def total(self, statistics: Matrix) -> Matrix:
        """Return the geometric mean of the three means in percent."""
        means = statistics[..., :3] / statistics[..., 4:5]
        return np.asarray(100 * np.cbrt(means.prod(axis=-1)))
