"""XU12's cosine score (§4.1): which corpus shares more n-grams with the output.

Output, source corpus and target corpus are binary vectors o, s and t of the n-grams
they contain. The score is cos(o, t) / (cos(o, t) + cos(o, s)), in which the length
of o cancels. An output that shares nothing with either gets 0.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from paraphrast.estimators.matrix import find_sorted
from paraphrast.estimators.ngram_features import Hashes, NgramKinds, occurrences
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.style_score import refuse_empty
from paraphrast.storage import weights


@dataclass(frozen=True, eq=False)
class CosineStyle:
    """The n-grams of two styles, sorted; make one with `train`."""

    name: ClassVar[str] = "style-cosine"

    source: Hashes
    target: Hashes
    lengths: tuple[int, int]

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its n-grams."""
        arrays = {"source": self.source, "target": self.target}
        return weights.digest(self.name, {"lengths": self.lengths}, arrays)

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return the normalised cosine of each text with the target corpus."""
        result = occurrences(texts, NgramKinds(words=self.lengths, characters=(0, 0)))
        source, target = (
            np.bincount(
                result.rows,
                weights=find_sorted(corpus, result.hashes) >= 0,
                minlength=len(texts),
            )
            / np.sqrt(len(corpus))
            for corpus in (self.source, self.target)
        )
        both = source + target
        values = np.full(len(texts), 0.5)
        np.divide(target, both, out=values, where=both > 0)
        return values


def train(
    source: Sequence[str], target: Sequence[str], *, lengths: tuple[int, int] = (1, 5)
) -> CosineStyle:
    """Collect the n-grams of two styles, of ``lengths`` from and to."""
    refuse_empty(source, target)
    kinds = NgramKinds(words=lengths, characters=(0, 0))
    return CosineStyle(
        np.unique(occurrences(source, kinds).hashes),
        np.unique(occurrences(target, kinds).hashes),
        lengths,
    )
