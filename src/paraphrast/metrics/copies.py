"""How many outputs are the source, returned unchanged.

Spaces at either end never count. ``ignoring="case-and-punctuation"`` is how STRAP
found copies before its human evaluation (appendix A.10).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import regex

from paraphrast.metrics.base import Matrix, Need, Segment, mean_statistics, ratio

_PUNCTUATION = regex.compile(r"[\p{P}\p{S}]+")


@dataclass(frozen=True, slots=True)
class CopyRate:
    """Share of outputs that are copies of their source."""

    name: ClassVar[str] = "copy-rate"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    higher_is_better: ClassVar[bool] = False

    ignoring: Literal["nothing", "case", "case-and-punctuation"] = "nothing"

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return 100 for a copy and 0 for anything else, and 1."""
        return mean_statistics(
            [
                100.0 * (self._normalise(s.output) == self._normalise(s.source))
                for s in segments
            ]
        )

    def total(self, statistics: Matrix) -> Matrix:
        """Return copies in percent of outputs."""
        return ratio(statistics)

    def each(self, statistics: Matrix) -> Matrix:
        """Return 100 for a copy and 0 for anything else."""
        return ratio(statistics)

    def _normalise(self, text: str) -> str:
        if self.ignoring == "nothing":
            return text.strip()
        text = text.casefold()
        if self.ignoring == "case-and-punctuation":
            text = _PUNCTUATION.sub(" ", text)
        return " ".join(text.split())
