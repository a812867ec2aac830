"""Score outputs with any metric: value, 95% interval, signature."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paraphrast.estimators.bootstrap import bootstrap_sums, percentiles
from paraphrast.metrics.base import Matrix, Metric, Segment, rows, signature
from paraphrast.metrics.defaults import RESAMPLES, SEED


@dataclass(frozen=True, slots=True)
class Score:
    """A publishable score, with its interval and signature."""

    value: float
    low: float
    high: float
    signature: str
    segments: int

    @property
    def name(self) -> str:
        """Return the metric's name."""
        return self.signature.partition("|")[0]

    def __str__(self) -> str:
        """Show the value, its interval and its signature on one line."""
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] {self.signature}"


def score_all(
    metrics: Mapping[str, Metric],
    segments: Sequence[Segment],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[dict[str, Sequence[float]], dict[str, Score]]:
    """Return the scores per segment and the corpus score, by metric name."""
    values: dict[str, Sequence[float]] = {}
    scores = {}
    for name, metric in metrics.items():
        statistics = rows(metric, segments)
        values[name] = metric.each(statistics).tolist()
        scores[name] = score_rows(
            metric, segments, statistics, resamples=resamples, seed=seed
        )
    return values, scores


def score(
    metric: Metric,
    segments: Sequence[Segment],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Score:
    """Score the outputs of segments; the interval comes from a bootstrap."""
    return score_rows(
        metric, segments, rows(metric, segments), resamples=resamples, seed=seed
    )


def score_rows(
    metric: Metric,
    segments: Sequence[Segment],
    statistics: Matrix,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Score:
    """Score segments from their statistics."""
    value = float(metric.total(statistics.sum(axis=0)))
    low, high = interval(metric, statistics, resamples=resamples, seed=seed)
    context: dict[str, object] = {"segments": len(segments)}
    if "references" in metric.needs:
        context["references"] = _range({len(s.references) for s in segments})
    context |= {"resamples": resamples, "seed": seed}
    return Score(value, low, high, signature(metric, **context), len(segments))


def interval(
    metric: Metric, statistics: Matrix, *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Return the 95% bootstrap interval of a score; it always contains the score.

    Without resamples there is no interval, and both bounds are the score itself.
    """
    value = float(metric.total(statistics.sum(axis=0)))
    if resamples == 0:
        return value, value
    sums = bootstrap_sums(statistics, resamples=resamples, seed=seed)
    low, high = percentiles(metric.total(sums))
    # Percentiles of few resamples, or of a very skewed score, can miss the score.
    return min(low, value), max(high, value)


def _range(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}-{high}"
