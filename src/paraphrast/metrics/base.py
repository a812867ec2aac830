"""What a metric is: sufficient statistics per sentence, and a total over their sum.

Everything else follows from these two and is implemented once: the corpus score is the
total of the summed statistics, a sentence's value is the total of its own row, an
interval comes from totals of resampled sums (`paraphrast.estimators.bootstrap`). As
sums of rows are one matrix product, a thousand resamples cost little.

A metric is a frozen dataclass. Its fields are its settings, and its signature is
made of the fields, so that no setting can be left out of a published figure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import Matrix as Matrix

Need: TypeAlias = Literal["source", "references"]


@dataclass(frozen=True, slots=True)
class Segment:
    """An output to score, with its source and references.

    ``target`` names the target style; style metrics use it if they know more than one.
    """

    output: str
    source: str = ""
    references: tuple[str, ...] = ()
    target: str = ""


def set_outputs(segments: Sequence[Segment], outputs: Iterable[str]) -> list[Segment]:
    """Return segments with other outputs."""
    return [
        replace(segment, output=output)
        for segment, output in zip(segments, outputs, strict=True)
    ]


class Metric(Protocol):
    """A score. Implementations are frozen dataclasses; see the module's docstring."""

    @property
    def name(self) -> str:
        """Return the name under which it is registered and shown."""

    @property
    def needs(self) -> frozenset[Need]:
        """Return what a segment must have besides its output."""

    @property
    def higher_is_better(self) -> bool:
        """Say whether higher is better."""

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return one row of additive statistics per segment: (segments, columns)."""

    def total(self, statistics: Matrix) -> Matrix:
        """Return the score of each row of summed statistics: (…, columns) -> (…)."""

    def each(self, statistics: Matrix) -> Matrix:
        """Return each segment's own value: (segments, columns) -> (segments,)."""


class CountingMetric:
    """Base of metrics whose score for a segment is the total of its own row."""

    __slots__ = ()

    needs: ClassVar[frozenset[Need]] = frozenset()
    higher_is_better: ClassVar[bool] = True

    def total(self, statistics: Matrix) -> Matrix:
        """Return the first column divided by the second."""
        return ratio(statistics)

    def each(self, statistics: Matrix) -> Matrix:
        """Return each segment's own value."""
        return self.total(statistics)


class MeanMetric(CountingMetric):
    """Base of metrics that are the mean of one value per segment."""

    __slots__ = ()

    def values(self, segments: Sequence[Segment]) -> Sequence[float] | Matrix:
        """Return each segment's value: (segments,)."""
        raise NotImplementedError

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's value, and 1."""
        return mean_statistics(self.values(segments))


def check_order(order: int) -> None:
    """Refuse an order below 1."""
    if order < 1:
        raise ValueError(f"order must be at least 1, not {order}.")


def signature(metric: Metric, **context: object) -> str:
    """Return a string with every setting, so that none can be left out.

    A metric that uses another package names it in the class variable ``library``, and
    that package's version becomes part of the signature.
    """
    settings = {
        field.name: getattr(metric, field.name)
        for field in fields(metric)  # type: ignore[arg-type]
    }
    library = getattr(metric, "library", None)
    settings |= context | ({library: version(library)} if library else {})
    settings |= {"paraphrast": version("paraphrast")}
    return "|".join(
        [metric.name, *(f"{k}:{_setting_text(v)}" for k, v in settings.items())]
    )


def rows(metric: Metric, segments: Sequence[Segment]) -> Matrix:
    """Return the statistics of segments that have what the metric needs."""
    if not segments:
        raise ParaphrastError(f"{metric.name}: nothing to score.")
    if "references" in metric.needs and not all(s.references for s in segments):
        raise ParaphrastError(
            f"{metric.name} needs references. Give at least one file."
        )
    if "source" in metric.needs and not any(s.source for s in segments):
        raise ParaphrastError(
            f"{metric.name} needs sources, but all are empty. Give the file of inputs "
            "with --source."
        )
    statistics = np.asarray(metric.statistics(segments), dtype=np.float64)
    if statistics.ndim != 2 or len(statistics) != len(segments):
        raise TypeError(
            f"{metric.name}: {len(segments)} segments gave statistics of shape "
            f"{statistics.shape}, not ({len(segments)}, columns)"
        )
    finite = np.isfinite(statistics).all(axis=1)
    if not finite.all():
        raise ParaphrastError(
            f"{metric.name}: segment {int(np.argmin(finite)) + 1} has no value. "
            "Report it to the provider of the metric."
        )
    return statistics


def mean_statistics(values: Sequence[float] | Matrix) -> Matrix:
    """Return rows (value, 1), the statistics of a metric that is a plain mean."""
    column = np.asarray(values, dtype=np.float64)
    return np.stack([column, np.ones_like(column)], axis=-1)


def ratio(statistics: Matrix, *, empty: float = 0.0) -> Matrix:
    """Divide the first column by the second; ``empty`` is the value of 0 / 0.

    It is the total of a mean (see `mean_statistics`) and of every ratio of two counts.
    """
    above, below = statistics[..., 0], statistics[..., 1]
    whole = np.full(np.shape(above), empty, dtype=np.float64)
    return np.divide(above, below, out=whole, where=below != 0)


def _setting_text(value: Any) -> str:
    # A model among the settings is named by its own signature (its weights' hash).
    return str(getattr(value, "signature", value)).lower().replace("|", "/")
