"""Levenshtein distance between source and output, as GYAFC measured rewrites.

The least number of characters (or words) to insert, delete or replace; spaces at
either end never count. A row is the distance and 1; the total is the mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from paraphrast.extras import require
from paraphrast.metrics.base import Matrix, Need, Segment, mean_statistics, ratio


@dataclass(frozen=True, slots=True)
class EditDistance:
    """Mean number of characters or words changed from source to output."""

    name: ClassVar[str] = "edit-distance"
    library: ClassVar[str] = "rapidfuzz"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    higher_is_better: ClassVar[bool] = True

    unit: Literal["characters", "words"] = "characters"

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's distance, and 1."""
        distance = require("rapidfuzz.distance").Levenshtein.distance
        return mean_statistics(
            [distance(self._split(s.source), self._split(s.output)) for s in segments]
        )

    def total(self, statistics: Matrix) -> Matrix:
        """Return the mean distance."""
        return ratio(statistics)

    def each(self, statistics: Matrix) -> Matrix:
        """Return each segment's distance."""
        return ratio(statistics)

    def _split(self, text: str) -> Sequence[str]:
        return text.split() if self.unit == "words" else text.strip()
