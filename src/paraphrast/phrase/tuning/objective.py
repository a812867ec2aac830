"""What weights are tuned to: a metric over the tuning sentences, and a length guard.

The metric comes from outside. It is anything that has ``statistics(segments)``, rows
that add up; ``total(sums)``, the score of each sum; and ``higher_is_better``; so all
of ``paraphrast.metrics`` are welcome. Or it is a function of an output, its source
and its references, whose mean is tuned then, higher being better.

BLEU on words as they are (``tokenize="none"``) is counted by compiled code, row by
row what the metric itself would count.

Rows end with two columns of our own, the words of the output and of the reference
nearest in length, from which the guard has its ratio: weights are charged heavily for
output that is shorter or longer, taken all together, than the guard allows. A metric
of precision alone would otherwise be won by saying little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.candidates import Candidates
from paraphrast.phrase.tuning.pool import Mask, Pool, Vector
from paraphrast.text.runs import starts_of

# Points for each 1.00 by which the ratio of lengths is outside the guard: more than
# any metric could give, yet a slope, so that tuning finds its way back inside.
CHARGE = 1e4

Judge: TypeAlias = Callable[[str, str, tuple[str, ...]], float]


@dataclass(frozen=True, slots=True)
class Segment:
    """An output, what it was made from, and what people wrote."""

    output: str
    source: str
    references: tuple[str, ...]
    target: str = ""


class Metric(Protocol):
    """A score with sufficient statistics, as in ``paraphrast.metrics``."""

    @property
    def higher_is_better(self) -> bool:
        """Say whether a higher score is better."""
        ...

    def statistics(self, segments: Sequence[Any]) -> Vector:
        """Return one row of additive statistics per segment: (segments, columns)."""
        ...

    def total(self, statistics: Vector) -> Vector:
        """Return the score of each row of sums: (…, columns) -> (…)."""
        ...


@dataclass(frozen=True, slots=True)
class LengthGuard:
    """Bounds on the words of all outputs, divided by those of the references."""

    shortest: float = 0.9
    longest: float = 1.1

    def __post_init__(self) -> None:
        """Refuse bounds that nothing fits."""
        if not 0 <= self.shortest <= self.longest:
            raise ValueError(
                f"the length guard goes from {self.shortest} to {self.longest}, "
                "which no output fits."
            )

    def excess(self, ratios: Vector) -> Vector:
        """Return by how much ratios are outside."""
        return np.maximum(
            np.maximum(self.shortest - ratios, ratios - self.longest), 0.0
        )


USUAL_GUARD = LengthGuard()


class Objective:
    """A metric on given sentences, to be made as large as possible."""

    def __init__(
        self,
        metric: Metric | Judge,
        sources: Sequence[str],
        references: Sequence[Sequence[str]],
        *,
        guard: LengthGuard | None = USUAL_GUARD,
    ) -> None:
        """Judge outputs for ``sources`` by ``references``, any number for each."""
        if len(sources) != len(references):
            raise ParaphrastError(
                f"tuning: {len(sources)} sources but references for "
                f"{len(references)}. Give at least one reference per source."
            )
        if not sources:
            raise ParaphrastError("tuning: there are no sentences to tune on.")
        for number, texts in enumerate(references, 1):
            if not texts:
                raise ParaphrastError(f"tuning: sentence {number} has no reference.")
        self.metric = _as_metric(metric)
        self.sources = tuple(sources)
        self.references = tuple(tuple(texts) for texts in references)
        self.guard = guard
        self._sign = 1.0 if self.metric.higher_is_better else -1.0
        self._words = _ReferenceWords(self.references)

    def statistics(self, candidates: Candidates) -> Vector:
        """Return one row per candidate: the metric's statistics and the two lengths."""
        if len(candidates.starts) - 1 != len(self.sources):
            raise ParaphrastError(
                f"tuning: the decoder gave lists for {len(candidates.starts) - 1} "
                f"sentences, not for {len(self.sources)}. Give both the same ones."
            )
        order = getattr(self.metric, "order", 4) if _counts_words(self.metric) else 1
        counts = self._words.counts(candidates, order)
        if _counts_words(self.metric) and _are_words(candidates.vocabulary):
            rows = counts
        else:
            rows = self._count(candidates)
        return np.concatenate([rows, counts[:, :2]], axis=1)

    def _count(self, candidates: Candidates) -> Vector:
        segments = [
            Segment(text, self.sources[sentence], self.references[sentence])
            for text, sentence in zip(
                candidates.texts(), candidates.sentences().tolist(), strict=True
            )
        ]
        rows = np.asarray(self.metric.statistics(segments), np.float64)
        if rows.ndim != 2 or len(rows) != len(segments):
            raise TypeError(f"{len(segments)} segments gave rows of {rows.shape}")
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            segment = segments[int(np.argmin(finite))]
            raise ParaphrastError(
                f"tuning: the metric has no value for {segment.output!r}. "
                "Use a metric that is finite for every output."
            )
        return rows

    def total(self, sums: Vector) -> Vector:
        """Return what is maximised, for each row of sums: (…, columns) -> (…)."""
        result = self._sign * self.metric.total(sums[..., :-2])
        if self.guard is None:
            return result
        return result - CHARGE * self.guard.excess(self.ratio(sums))

    def value(self, sums: Vector) -> float:
        """Return the metric itself, as it would be published."""
        return float(self.metric.total(sums[..., :-2]))

    def ratio(self, sums: Vector) -> Vector:
        """Return the outputs' words divided by the references'."""
        words: Vector = sums[..., -2] / np.maximum(sums[..., -1], 1.0)
        return words


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a function's values as a metric."""

    judge: Judge
    higher_is_better: bool = True

    def statistics(self, segments: Sequence[Segment]) -> Vector:
        """Return (value, 1) per segment."""
        values = [self.judge(s.output, s.source, s.references) for s in segments]
        column = np.array(values, np.float64)
        return np.stack([column, np.ones_like(column)], axis=1)

    def total(self, statistics: Vector) -> Vector:
        """Return the mean."""
        mean: Vector = statistics[..., 0] / np.maximum(statistics[..., 1], 1.0)
        return mean


def _as_metric(metric: Metric | Judge) -> Metric:
    if hasattr(metric, "total"):
        return cast(Metric, metric)
    return Mean(metric)


class _ReferenceWords:
    """The references as numbers; 0 is every word that is in none of them."""

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        ids: dict[str, int] = {}
        texts = [text.split() for group in references for text in group]
        self._known = ids
        self._sentence_starts = starts_of(map(len, references))
        self._starts = starts_of(map(len, texts))
        self._words = np.array(
            [ids.setdefault(w, len(ids) + 1) for words in texts for w in words],
            np.uint32,
        )

    def counts(self, candidates: Candidates, order: int) -> Vector:
        numbers = [self._known.get(word, 0) for word in candidates.vocabulary]
        return _native.ngram_counts(
            candidates.sentences(),
            candidates.word_starts,
            np.array(numbers, np.uint32)[candidates.words],
            self._sentence_starts,
            self._starts,
            self._words,
            order,
        )


def _counts_words(metric: object) -> bool:
    """Say whether a metric is BLEU on words as they are."""
    return (
        getattr(metric, "name", "") == "bleu"
        and getattr(metric, "tokenize", "") == "none"
        and getattr(metric, "lowercase", True) is False
        and 1 <= getattr(metric, "order", 0) <= 16
    )


def _are_words(vocabulary: Sequence[str]) -> bool:
    """Say whether joining by spaces and splitting gives the same words again."""
    return len(" ".join(vocabulary).split()) == len(vocabulary)


@dataclass(frozen=True)
class Problem:
    """What a method of tuning is given.

    ``starts`` are weights known so far, the best of all first; only weights that are
    ``free`` may change, and chance comes from ``draw``.
    """

    pool: Pool
    objective: Objective
    starts: Sequence[Vector]
    free: Mask
    draw: np.random.Generator
