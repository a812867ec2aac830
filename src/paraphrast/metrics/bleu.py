"""BLEU (Papineni et al. 2002), as sacrebleu defines it, with sacrebleu's tokens.

A row has the output's length, the closest reference's length, the matched n-grams for n
= 1 … order, and the n-grams of the output. The total follows sacrebleu step by step,
vectorised over sums. ``tokenize="none", smoothing="none"`` is what ``multi-bleu.perl``
computes on tokenised text, which is how XU12 scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.base import (
    CountingMetric,
    Matrix,
    Need,
    Segment,
    check_order,
    mean_statistics,
    ratio,
)
from paraphrast.metrics.ngrams import count_shared, encode_words, possible
from paraphrast.metrics.tokens import Tokenizer, tokenise_text

Smoothing: TypeAlias = Literal["exp", "floor", "add-k", "none"]

# What Chen and Cherry (2014) recommend, and sacrebleu's defaults.
_FLOOR, _ADDED = 0.1, 1.0


@dataclass(frozen=True, slots=True)
class Bleu(CountingMetric):
    """N-gram precision against references, with a penalty for short output.

    ``smoothing`` is the treatment of orders without matches; ``order`` is the length of
    the longest n-gram.
    """

    name: ClassVar[str] = "bleu"
    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    tokenize: Tokenizer = "13a"
    lowercase: bool = False
    smoothing: Smoothing = "exp"
    order: int = 4

    def __post_init__(self) -> None:
        """Refuse an order below 1."""
        check_order(self.order)

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Count lengths, matched n-grams and n-grams of each segment."""
        numbers = iter(
            encode_words(
                [
                    tokenise_text(
                        text, tokenize=self.tokenize, lowercase=self.lowercase
                    )
                    for segment in segments
                    for text in (segment.output, *segment.references)
                ]
            )
        )
        outputs, references, closest = [], [], []
        for segment in segments:
            output, *own = (next(numbers) for _ in range(1 + len(segment.references)))
            outputs.append(output)
            references.append(own)
            # Of two references that are equally near, the shorter one counts.
            sizes = (len(reference) for reference in own)
            closest.append(min(sizes, key=lambda n: (abs(n - len(output)), n)))
        lengths = np.array([len(output) for output in outputs])
        return np.column_stack(
            [
                lengths,
                closest,
                count_shared(outputs, references, order=self.order),
                possible(lengths, order=self.order),
            ]
        )

    def total(self, statistics: Matrix) -> Matrix:
        """Return BLEU in percent."""
        return _bleu(statistics, smoothing=self.smoothing, effective_order=False)

    def each(self, statistics: Matrix) -> Matrix:
        """Return sentence BLEU, whose order is at most the sentence's length."""
        return _bleu(statistics, smoothing=self.smoothing, effective_order=True)


@dataclass(frozen=True, slots=True)
class SentenceBleu(Bleu):
    """Mean of the sentences' smoothed BLEU, with orders up to each one's length."""

    name: ClassVar[str] = "sentence-bleu"

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's BLEU, and 1."""
        return mean_statistics(Bleu.each(self, Bleu.statistics(self, segments)))

    def total(self, statistics: Matrix) -> Matrix:
        """Return the mean, in percent."""
        return ratio(statistics)

    def each(self, statistics: Matrix) -> Matrix:
        """Return each segment's BLEU."""
        return ratio(statistics)


def _bleu(statistics: Matrix, *, smoothing: Smoothing, effective_order: bool) -> Matrix:
    """Return BLEU; with ``effective_order``, of the orders that the output has."""
    order = (statistics.shape[-1] - 2) // 2
    length, reference_length = statistics[..., 0], statistics[..., 1]
    matched = statistics[..., 2 : 2 + order].copy()
    counted = statistics[..., 2 + order :].copy()
    any_match = matched.any(axis=-1)
    if smoothing == "add-k":
        matched[..., 1:] += _ADDED
        counted[..., 1:] += _ADDED
    # From the first order without n-grams on, precisions are zero.
    exists = np.logical_and.accumulate(counted > 0, axis=-1)
    precision = 100 * _smooth(matched, exists, smoothing) / np.where(exists, counted, 1)
    usable = exists & (precision > 0)
    logarithms = np.log(precision, out=np.zeros_like(precision), where=usable)
    used = exists.sum(axis=-1) if effective_order else np.full(length.shape, order)
    needed = exists if effective_order else np.ones_like(exists)
    complete = any_match & (usable | ~needed).all(axis=-1)
    mean = logarithms.sum(axis=-1) / np.maximum(used, 1)
    penalty = _brevity(length, reference_length)
    return np.where(complete, penalty * np.exp(mean), 0.0)


def _smooth(matched: Matrix, exists: NDArray[np.bool_], smoothing: Smoothing) -> Matrix:
    missed = exists & (matched == 0)
    if smoothing == "exp":
        # Each order without a match counts half of the one before it.
        return np.where(missed, 0.5 ** missed.cumsum(axis=-1), matched)
    if smoothing == "floor":
        return np.where(missed, _FLOOR, matched)
    return matched


def _brevity(length: Matrix, reference_length: Matrix) -> Matrix:
    short = length < reference_length
    relative = np.divide(
        reference_length,
        length,
        out=np.full(np.shape(length), np.inf),
        where=length > 0,
    )
    return np.exp(np.where(short, 1 - relative, 0.0))
