"""How much of the source a rewrite keeps: words, word order, length; and repetition.

Lexical overlap and word order are the two columns of STRAP's Table 16, with the
words and the conventions of `paraphrast.text.overlap`: unigram F1 in percent, and
Kendall's tau of the shared words from -1 (reversed) to 1 (the same order).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.metrics.base import (
    CountingMetric,
    Matrix,
    MeanMetric,
    Need,
    Segment,
    check_order,
    ratio,
)
from paraphrast.metrics.tokens import Tokenizer, tokenise_text
from paraphrast.text.overlap import kendall_tau, unigram_overlap, words


@dataclass(frozen=True, slots=True)
class LexicalOverlap(MeanMetric):
    """Unigram F1 between output and source, ignoring articles and punctuation."""

    name: ClassVar[str] = "lexical-overlap"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    higher_is_better: ClassVar[bool] = False

    def values(self, segments: Sequence[Segment]) -> list[float]:
        """Return each segment's F1 in percent."""
        return [
            100 * unigram_overlap(words(s.source), words(s.output)).f1 for s in segments
        ]


@dataclass(frozen=True, slots=True)
class WordOrder(MeanMetric):
    """Kendall's tau of the words that output and source share: 1 is the same order."""

    name: ClassVar[str] = "word-order"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    higher_is_better: ClassVar[bool] = False

    def values(self, segments: Sequence[Segment]) -> list[float]:
        """Return each segment's tau."""
        return [kendall_tau(words(s.source), words(s.output)) for s in segments]


@dataclass(frozen=True, slots=True)
class LengthRatio(CountingMetric):
    """Words of the outputs per word of the sources; neither direction is better."""

    name: ClassVar[str] = "length-ratio"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Count the words of output and source, split at spaces."""
        return np.array(
            [(len(s.output.split()), len(s.source.split())) for s in segments],
            dtype=np.float64,
        )

    def total(self, statistics: Matrix) -> Matrix:
        """Return output words / source words; no source counts as one word."""
        output, source = statistics[..., 0], statistics[..., 1]
        both_empty = (output == 0) & (source == 0)
        return np.where(both_empty, 1.0, output / np.maximum(source, 1.0))


@dataclass(frozen=True, slots=True)
class Repetition(CountingMetric):
    """Share of an output's n-grams that repeat an earlier one."""

    name: ClassVar[str] = "repetition"
    library: ClassVar[str] = "sacrebleu"
    higher_is_better: ClassVar[bool] = False

    order: int = 2
    tokenize: Tokenizer = "13a"
    lowercase: bool = True

    def __post_init__(self) -> None:
        """Refuse an order below 1."""
        check_order(self.order)

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Count repeated n-grams, and n-grams."""
        return np.array([self._counts(s.output) for s in segments], dtype=np.float64)

    def total(self, statistics: Matrix) -> Matrix:
        """Return repeated n-grams as a percentage of all, 0 if there are none."""
        return 100 * ratio(statistics)

    def _counts(self, text: str) -> tuple[int, int]:
        tokens = tokenise_text(text, tokenize=self.tokenize, lowercase=self.lowercase)
        grams = list(zip(*(tokens[i:] for i in range(self.order)), strict=False))
        return len(grams) - len(set(grams)), len(grams)
