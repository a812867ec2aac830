"""Levenshtein distance between source and output, as GYAFC measured rewrites.

The least number of characters (or words) to insert, delete or replace; leading and
trailing spaces never count. A row is the distance and 1; the total is the mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from paraphrast.extras import require
from paraphrast.metrics.base import MeanMetric, Need, Segment


@dataclass(frozen=True, slots=True)
class EditDistance(MeanMetric):
    """Mean number of characters or words changed from source to output."""

    name: ClassVar[str] = "edit-distance"
    library: ClassVar[str] = "rapidfuzz"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    unit: Literal["characters", "words"] = "characters"

    def values(self, segments: Sequence[Segment]) -> list[float]:
        """Return each segment's distance."""
        distance = require("rapidfuzz.distance").Levenshtein.distance
        return [
            distance(self._split(s.source), self._split(s.output)) for s in segments
        ]

    def _split(self, text: str) -> Sequence[str]:
        return text.split() if self.unit == "words" else text.strip()
