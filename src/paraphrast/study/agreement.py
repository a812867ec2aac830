"""Inter-annotator agreement: every applicable coefficient, with intervals.

Coefficients for two annotators are given for every two, and as the mean over all; those
for any number, for all annotators. Items are resampled for the 95% intervals. Skipped
items are not imputed: coefficients for two use the items that both judged, the others
use the items with at least two judgments.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.estimators.bootstrap import bootstrap_counts, percentiles
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.defaults import RESAMPLING, Resampling
from paraphrast.study import coefficients
from paraphrast.study.judgments import (
    SCALES,
    Codes,
    Judgment,
    Judgments,
    Scale,
    tabulate,
)
from paraphrast.study.reading import read_judgments

Coefficient: TypeAlias = Callable[[Codes, Matrix], Matrix]

CATEGORIES = 20  # more different labels than that are no categories any more
MANY = 12  # more annotators than that are not compared two by two


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient for some annotators, with its 95% interval and number of items.

    ``value`` is NaN if chance agreement is 1, or if no items are shared.
    """

    coefficient: str
    annotators: tuple[str, ...]
    value: float
    low: float
    high: float
    items: int


@dataclass(frozen=True, slots=True)
class Report:
    """All coefficients, for all annotators together and for each two of them."""

    overall: tuple[Agreement, ...]
    pairwise: tuple[Agreement, ...]


def compute_agreement_of_files(
    paths: Mapping[str, Path],
    *,
    scale: Scale | None = None,
    order: Sequence[str] = (),
    skipped: Collection[str] = (),
    resampling: Resampling = RESAMPLING,
) -> tuple[Judgments, Report]:
    """Read the judgments of files, given by name, and compute the agreement.

    Labels in ``skipped`` mark skipped items, as the empty label does.
    """
    rows = chain.from_iterable(
        read_judgments(path, annotator=name) for name, path in paths.items()
    )
    kept = (replace(row, label="") if row.label in skipped else row for row in rows)
    table = tabulate(kept, scale=scale, order=order)
    return table, compute_agreement(table, resampling)


def compute_agreement(
    judgments: Judgments, resampling: Resampling = RESAMPLING
) -> Report:
    """Compute every coefficient for the judgments' scale."""
    columns = range(len(judgments.annotators))
    twos = list(combinations(columns, 2)) if len(columns) <= MANY else []
    jobs = [
        _Job(name, judgments.of(*two), coefficient)
        for name, coefficient in _coefficients_of_two(judgments).items()
        for two in twos
    ]
    jobs += [
        _Job(name, judgments, coefficient)
        for name, coefficient in _coefficients_of_any(judgments).items()
    ]
    rows = _compute_rows(jobs, len(judgments.items), resampling)
    result = list(zip(jobs, rows, strict=True))
    overall, pairwise = [], []
    for name in _coefficients_of_two(judgments) if twos else ():
        same = [(job, values) for job, values in result if job.name == name]
        pairwise += [_make_agreement(name, job.table, values) for job, values in same]
        if len(twos) > 1:
            mean = _mean_of_defined([values for _, values in same])
            overall.append(_make_agreement(f"mean {name}", judgments, mean))
    overall += [
        _make_agreement(job.name, judgments, values)
        for job, values in result
        if job.table is judgments
    ]
    return Report(tuple(overall), tuple(pairwise))


def compute_coefficient(
    judgments: Judgments, coefficient: str, resampling: Resampling = RESAMPLING
) -> Agreement:
    """Compute one coefficient by its name, such as ``krippendorff alpha ordinal``."""
    of_two, of_any = _coefficients_of_two(judgments), _coefficients_of_any(judgments)
    suitable = of_any | (of_two if len(judgments.annotators) == 2 else {})
    if coefficient not in suitable:
        raise unknown("coefficient for these judgments", coefficient, suitable)
    job = _Job(coefficient, judgments, suitable[coefficient])
    (rows,) = _compute_rows([job], len(judgments.items), resampling)
    return _make_agreement(coefficient, judgments, rows)


def compare_marks(
    marks: Mapping[str, Sequence[Judgment]], resampling: Resampling = RESAMPLING
) -> dict[str, tuple[Agreement, ...]]:
    """Return the agreement on each criterion, whose labels are numbers.

    A criterion rated by one person only, or with a single label, is left out.
    """
    result = {}
    for name, rows in marks.items():
        judged = {row.annotator for row in rows}
        if len(judged) < 2 or len({row.label for row in rows}) < 2:
            continue
        table = tabulate(rows, scale="interval")
        result[name] = compute_agreement(table, resampling).overall
    return result


@dataclass(frozen=True)
class _Job:
    name: str
    table: Judgments
    coefficient: Coefficient


def _compute_rows(
    jobs: Sequence[_Job], items: int, resampling: Resampling
) -> list[Matrix]:
    """Return each job's coefficient, first for all items, then for resamples.

    Resamples are made in blocks, and all jobs see the same.
    """
    if resampling.resamples < 0:
        raise ParaphrastError(
            f"resamples must not be negative, and {resampling.resamples} is."
        )
    result: list[list[Matrix]] = [[] for _ in jobs]
    drawn = bootstrap_counts(items, **asdict(resampling))
    for counts in chain([np.ones((1, items))], drawn):
        for job, rows in zip(jobs, result, strict=True):
            rows.append(job.coefficient(job.table.codes, counts))
    return [np.concatenate(rows) for rows in result]


def _coefficients_of_two(judgments: Judgments) -> dict[str, Coefficient]:
    labels, scale = len(judgments.labels), judgments.scale
    numbers = judgments.numbers
    suitable: dict[str, Coefficient] = {}
    if _are_categories(judgments):
        suitable["cohen kappa"] = partial(coefficients.cohen, labels=labels)
        if scale != "nominal":
            for weights in ("linear", "quadratic"):
                suitable[f"cohen kappa {weights}"] = partial(
                    coefficients.cohen, labels=labels, weights=weights
                )
        suitable["scott pi"] = partial(coefficients.scott, labels=labels)
    if scale == "interval":
        suitable["pearson"] = partial(
            coefficients.correlate_codes, numbers=numbers, kind="pearson"
        )
    if scale != "nominal":
        suitable["spearman"] = partial(
            coefficients.correlate_codes, numbers=numbers, kind="spearman"
        )
    return suitable


def _coefficients_of_any(judgments: Judgments) -> dict[str, Coefficient]:
    scales: Sequence[Scale] = SCALES[: SCALES.index(judgments.scale) + 1]
    suitable: dict[str, Coefficient] = {}
    if _are_categories(judgments):
        suitable["fleiss kappa"] = partial(
            coefficients.fleiss, labels=len(judgments.labels)
        )
    else:
        scales = [scale for scale in scales if scale != "nominal"]
    for scale in scales:
        suitable[f"krippendorff alpha {scale}"] = partial(
            coefficients.krippendorff, numbers=judgments.numbers, scale=scale
        )
    return suitable


def _are_categories(judgments: Judgments) -> bool:
    return judgments.scale == "nominal" or len(judgments.labels) <= CATEGORIES


def _mean_of_defined(rows: Sequence[Matrix]) -> Matrix:
    stacked = np.stack(rows)
    defined = np.isfinite(stacked)
    sums = np.where(defined, stacked, 0.0).sum(axis=0)
    means = np.full(len(sums), np.nan)
    np.divide(sums, defined.sum(axis=0), out=means, where=defined.any(axis=0))
    return means


def _make_agreement(name: str, table: Judgments, rows: Matrix) -> Agreement:
    value = float(rows[0])
    low = high = value
    defined = rows[np.isfinite(rows)]
    if np.isfinite(value) and len(defined):
        low, high = percentiles(defined)
        low, high = min(low, value), max(high, value)
    shared = int((table.judged.sum(axis=1) >= 2).sum())
    return Agreement(name, table.annotators, value, low, high, shared)
