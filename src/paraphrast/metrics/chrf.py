"""chrF (Popović 2015) and chrF++ (2017), counted by sacrebleu.

A row holds, for every order of character and then of word n-grams, how many the
output has, the reference has, and both have; of several references the best counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sacrebleu.metrics.chrf import CHRF

from paraphrast.metrics.base import Matrix, Need, Segment, ratio


@dataclass(frozen=True, slots=True)
class Chrf:
    """F-score of character n-grams; ``word_order=2`` makes it chrF++."""

    name: ClassVar[str] = "chrf"
    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    higher_is_better: ClassVar[bool] = True

    character_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False

    def __post_init__(self) -> None:
        """Refuse orders and weights that mean nothing."""
        if self.character_order < 1 or self.word_order < 0 or self.beta < 1:
            raise ValueError(
                "character_order and beta must be at least 1 and word_order at least "
                f"0, not {self.character_order}, {self.beta} and {self.word_order}."
            )

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Count n-grams of output, reference and both, order by order."""
        chrf = CHRF(
            char_order=self.character_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
        )
        rows = []
        for segment in segments:
            references = [chrf._preprocess_segment(text) for text in segment.references]
            known = chrf._extract_reference_info(references)
            output = chrf._preprocess_segment(segment.output)
            rows.append(chrf._compute_segment_statistics(output, known))
        return np.array(rows, dtype=np.float64)

    def total(self, statistics: Matrix) -> Matrix:
        """Return chrF in percent: F of the precisions' and the recalls' means."""
        in_output, in_reference, matched = (statistics[..., i::3] for i in range(3))
        exists = (in_output > 0) & (in_reference > 0)
        orders = np.maximum(exists.sum(axis=-1), 1)
        precision, recall = (
            np.divide(matched, counted, out=np.zeros_like(counted), where=exists).sum(
                axis=-1
            )
            / orders
            for counted in (in_output, in_reference)
        )
        weight = self.beta**2
        below = weight * precision + recall
        above = (1 + weight) * precision * recall
        return ratio(np.stack([100 * above, below], axis=-1))

    def each(self, statistics: Matrix) -> Matrix:
        """Return each sentence's chrF."""
        return self.total(statistics)
