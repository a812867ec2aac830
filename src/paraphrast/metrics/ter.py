"""Translation edit rate (Snover et al. 2006), counted by sacrebleu.

A row holds the edits (words inserted, deleted, replaced, and blocks moved) to the
nearest reference, and the references' mean length in words. The search for blocks to
move takes sacrebleu a minute for a line of thousands of words and hours for a book on
one line, so such lines are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.extras import require
from paraphrast.metrics.base import CountingMetric, Matrix, Need, Segment

WORDS = 2_000  # the longest line that is counted


class EditRate(CountingMetric):
    """Base of TER and TERp: the cost of edits per 100 reference words."""

    __slots__ = ()

    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    higher_is_better: ClassVar[bool] = False

    def total(self, statistics: Matrix) -> Matrix:
        """Return edits per 100 reference words; 0 or 100 if there are none."""
        edits, words = statistics[..., 0], statistics[..., 1]
        without_words = np.where(edits > 0, 1.0, 0.0)
        return 100 * np.divide(edits, words, out=without_words, where=words > 0)


@dataclass(frozen=True, slots=True)
class Ter(EditRate):
    """Edits that turn the output into a reference, per 100 of its words."""

    name: ClassVar[str] = "ter"

    normalise: bool = False
    punctuation: bool = True
    lowercase: bool = True

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Count edits and reference words."""
        ter = open_ter(self)
        rows = []
        for number, segment in enumerate(segments, start=1):
            refuse_books(self.name, number, segment)
            # sacrebleu prepares references twice, here and in the next line.
            references = [ter._preprocess_segment(text) for text in segment.references]
            reference_info = ter._extract_reference_info(references)
            output = ter._preprocess_segment(segment.output)
            rows.append(ter._compute_segment_statistics(output, reference_info))
        return np.array(rows, dtype=np.float64)


def open_ter(metric: Any) -> Any:
    """Return sacrebleu's TER with the settings of a `Ter` or a `Terp`."""
    return require("sacrebleu.metrics.ter").TER(
        normalized=metric.normalise,
        no_punct=not metric.punctuation,
        case_sensitive=not metric.lowercase,
    )


def refuse_books(name: str, number: int, segment: Segment) -> None:
    """Refuse a segment that is too long for the search for blocks to move."""
    longest = max(len(text.split()) for text in (segment.output, *segment.references))
    if longest > WORDS:
        raise ParaphrastError(
            f"{name}: segment {number} has a line of {longest:,} words, but edits are "
            f"counted only up to {WORDS:,}. Split it into sentences, or use chrf."
        )
