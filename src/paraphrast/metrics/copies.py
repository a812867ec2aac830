"""How many outputs are the source, returned unchanged.

Leading and trailing spaces never count. ``ignoring="case-and-punctuation"`` is how
STRAP found copies before its human evaluation (appendix A.10).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import regex

from paraphrast.metrics.base import MeanMetric, Need, Segment

_PUNCTUATION = regex.compile(r"[\p{P}\p{S}]+")


@dataclass(frozen=True, slots=True)
class CopyRate(MeanMetric):
    """Share of outputs that are copies of their source."""

    name: ClassVar[str] = "copy-rate"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    higher_is_better: ClassVar[bool] = False

    ignoring: Literal["nothing", "case", "case-and-punctuation"] = "nothing"

    def values(self, segments: Sequence[Segment]) -> list[float]:
        """Return 100 for a copy and 0 for anything else."""
        return [
            100.0 * (self._normalise(s.output) == self._normalise(s.source))
            for s in segments
        ]

    def _normalise(self, text: str) -> str:
        if self.ignoring == "nothing":
            return text.strip()
        text = text.casefold()
        if self.ignoring == "case-and-punctuation":
            text = _PUNCTUATION.sub(" ", text)
        return " ".join(text.split())
