"""chrF (Popović 2015) and chrF++ (2017), as sacrebleu defines them.

A row has, for every order of character and then of word n-grams, the number in the
output, in the reference, and in both; of several references the best is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from paraphrast.extras import require
from paraphrast.metrics.base import CountingMetric, Matrix, Need, Segment, ratio
from paraphrast.metrics.ngrams import (
    Numbers,
    count_shared,
    encode_characters,
    encode_words,
    possible,
)


@dataclass(frozen=True, slots=True)
class Chrf(CountingMetric):
    """F-score of character n-grams; ``word_order=2`` makes it chrF++."""

    name: ClassVar[str] = "chrf"
    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    character_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False

    def __post_init__(self) -> None:
        """Refuse invalid orders and weights."""
        if self.character_order < 1 or self.word_order < 0 or self.beta < 1:
            raise ValueError(
                "character_order and beta must be at least 1 and word_order at least "
                f"0, not {self.character_order}, {self.beta} and {self.word_order}."
            )

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Count n-grams of output, reference and both, order by order."""
        best = np.full(len(segments), -1.0)
        kept = np.zeros((len(segments), 3 * (self.character_order + self.word_order)))
        outputs = [segment.output for segment in segments]
        for number in range(max(len(segment.references) for segment in segments)):
            chosen = [i for i, s in enumerate(segments) if number < len(s.references)]
            result = self._counts(
                [outputs[i] for i in chosen],
                [segments[i].references[number] for i in chosen],
            )
            values = self.total(result)
            better = values > best[chosen]
            indices = np.array(chosen)[better]
            kept[indices], best[indices] = result[better], values[better]
        return kept

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

    def _counts(self, outputs: Sequence[str], references: Sequence[str]) -> Matrix:
        """Count n-grams of outputs and of one reference each."""
        if self.lowercase:
            outputs = [text.lower() for text in outputs]
            references = [text.lower() for text in references]
        letters = [
            [encode_characters("".join(text.split())) for text in texts]
            for texts in (outputs, references)
        ]
        counts = [_count_ngrams(letters[0], letters[1], order=self.character_order)]
        if self.word_order:
            words = encode_words([_words(text) for text in (*outputs, *references)])
            counts.append(
                _count_ngrams(
                    words[: len(outputs)], words[len(outputs) :], order=self.word_order
                )
            )
        return np.concatenate(counts, axis=1).reshape(len(outputs), -1)


def _count_ngrams(
    outputs: Sequence[Numbers], references: Sequence[Numbers], *, order: int
) -> Matrix:
    """Count n-grams of outputs, of references and of both: (segments, order, 3)."""
    in_output, in_reference = (
        possible(np.array([len(text) for text in texts]), order=order)
        for texts in (outputs, references)
    )
    both = count_shared(outputs, [[text] for text in references], order=order)
    # An order that the reference is too short for says nothing about the output.
    in_output[in_reference == 0] = 0
    return np.stack([in_output, in_reference, both], axis=-1)


def _words(text: str) -> list[str]:
    words: list[str] = _chrf()._remove_punctuation(text)
    return words


@cache
def _chrf() -> Any:
    return require("sacrebleu.metrics.chrf").CHRF(word_order=2)
