"""What J is made of: a value from 0 to 1 for each segment.

`Accuracy`, `Similarity` and `Fluency` are evaluators around a model, and each is a
metric too. `Given` holds values that were worked out elsewhere, such as published
labels. ACC, J and GM of one system ask for the same values; `remembered` works them
out once.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import CountingMetric, Matrix, Segment, mean_statistics
from paraphrast.storage import weights


class Evaluator(Hashable, Protocol):
    """Something that values segments; frozen dataclasses are hashable."""

    @property
    def signature(self) -> str:
        """Return a name that changes with every setting and weight."""
        ...

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's value, 0 to 1: (segments,)."""
        ...


class MeanInPercent(CountingMetric):
    """Makes an evaluator a metric: the mean of its values, in percent."""

    __slots__ = ()

    def statistics(self: Evaluator, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's value in percent, and 1."""
        return mean_statistics(100 * remembered(self, segments))


@dataclass(frozen=True)
class Given:
    """Values of segments that were worked out elsewhere, in the segments' order."""

    given: tuple[float, ...]

    @cached_property
    def signature(self) -> str:
        """Name the values by their hash."""
        return f"given-{weights.digest('given', {}, {'': np.array(self.given)})}"

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return the given values; there must be one a segment."""
        if len(segments) != len(self.given):
            raise ParaphrastError(
                f"{len(self.given)} values but {len(segments)} segments. "
                "Give one value a segment."
            )
        return np.array(self.given)


def remembered(evaluator: Evaluator, segments: Sequence[Segment]) -> Matrix:
    """Return the evaluator's values, worked out once for the same segments."""
    return _remembered(evaluator, tuple(segments))


@lru_cache(maxsize=64)
def _remembered(evaluator: Evaluator, segments: tuple[Segment, ...]) -> Matrix:
    values = evaluator.values(segments)
    values.setflags(write=False)
    return values
