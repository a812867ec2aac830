"""SIM: does the output mean what it should, says a model of similarity.

An output is compared with its references, the best of which counts, or with its
source where there are none. Any `SimilarityModel` will do; the built-in one is
`paraphrast.text.similarity.HashedSimilarity`, which is lexical.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.judges.evaluator import MeanInPercent
from paraphrast.metrics.base import Matrix, Segment


class SimilarityModel(Protocol):
    """Says how alike two texts are in meaning."""

    @property
    def signature(self) -> str:
        """Return a name that changes with every setting and weight."""
        ...

    def __call__(self, sources: Sequence[str], targets: Sequence[str]) -> Matrix:
        """Return the similarity of each pair, 0 to 1: (pairs,)."""
        ...


@dataclass(frozen=True, slots=True)
class Similarity(MeanInPercent):
    """Mean similarity to the best reference, or else to the source, in percent."""

    name: ClassVar[str] = "sim"

    model: SimilarityModel

    @property
    def signature(self) -> str:
        """Return the model's."""
        return self.model.signature

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's similarity, 0 to 1."""
        against = [segment.references or (segment.source,) for segment in segments]
        if segments and not any(any(texts) for texts in against):
            raise ParaphrastError(
                "sim needs references or sources. Give a file of either."
            )
        counts = [len(texts) for texts in against]
        outputs = [
            s.output for s, n in zip(segments, counts, strict=True) for _ in range(n)
        ]
        every = self.model(outputs, [text for texts in against for text in texts])
        if not segments:
            return np.zeros(0)
        return np.maximum.reduceat(every, np.cumsum([0, *counts[:-1]]))
