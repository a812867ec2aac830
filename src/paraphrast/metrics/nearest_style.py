"""Metrics by the nearest of a text's versions.

For a corpus with every text in several styles (everyday has fourteen). The version with
the highest chrF++ to the output is the nearest. ``nearest-style`` is the share of
outputs whose nearest version has the target style; ``content`` is the chrF++ to the
nearest version. Read the two together: a copy has full content and the wrong style, and
stylistic markers without the content are close to no version.
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
    """Share of outputs, in percent, whose nearest version has the target style.

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
