"""Which of a text's versions is an output nearest to?

For a corpus that has every text in several styles (everyday has fourteen). Of the
versions the one with the highest chrF++ to the output is the nearest. ``nearest-style``
is how often that is the one in the wanted style; ``content`` is the chrF++ to it,
whichever it is. The two go together: a copy has full content and the wrong style, and
marks of a style without the content are near to nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import Matrix, MeanMetric, Need, Segment
from paraphrast.metrics.chrf import Chrf

LEAST_WORDS = 4  # shorter texts are much alike in every style


def score_versions(segments: Sequence[Segment]) -> Matrix:
    """Return the chrF++ of each output to each of its references.

    All segments have the same number of references: (segments, references).
    """
    metric = Chrf(word_order=2)
    apart = [
        Segment(segment.output, references=(reference,))
        for segment in segments
        for reference in segment.references
    ]
    return metric.each(metric.statistics(apart)).reshape(len(segments), -1)


@dataclass(frozen=True, slots=True)
class NearestStyle(MeanMetric):
    """Share of outputs, in percent, whose nearest version has the wanted style.

    ``styles`` names the references of every segment, in their order.
    """

    name: ClassVar[str] = "nearest-style"
    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    styles: tuple[str, ...]

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return 100 for each output nearest to its target's version, otherwise 0."""
        for number, segment in enumerate(segments, start=1):
            if len(segment.references) != len(self.styles):
                raise ParaphrastError(
                    f"{self.name}: segment {number} has {len(segment.references)} "
                    f"references for {len(self.styles)} styles. Give one per style."
                )
            if segment.target not in self.styles:
                raise ParaphrastError(
                    f"{self.name}: segment {number} has the target style "
                    f"{segment.target!r}, which has no reference."
                )
        nearest = score_versions(segments).argmax(axis=1)
        wanted = [self.styles.index(segment.target) for segment in segments]
        return np.where(nearest == wanted, 100.0, 0.0)


@dataclass(frozen=True, slots=True)
class Content(MeanMetric):
    """Mean chrF++ of an output to the nearest version of its text."""

    name: ClassVar[str] = "content"
    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's chrF++ to its nearest version."""
        best: Matrix = score_versions(segments).max(axis=1)
        return best
