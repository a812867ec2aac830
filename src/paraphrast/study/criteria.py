"""GYAFC's human evaluation (§5.1): formality, fluency, meaning, overall rank.

People rate each output for formality (-3 to 3), fluency (1 to 5) and meaning (1 to 6),
and rank the outputs for a sentence (1 is best; ties are allowed). A system's score is
the mean over sentences of the mean over people, which for ranks is the paper's equation
(1), so that a sentence with more judgments has no more weight.

The combined score puts the three ratings on one scale. The paper says only that it
normalises their ranges; its tables are reproduced by formality / 3 + fluency / 2 + 2 ·
meaning / 5 + 1.5, each criterion scaled to a range of two (11 of 12 rows of Tables 4
and 13 to two digits; docs/study.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.estimators.bootstrap import mean_interval
from paraphrast.metrics import correlation
from paraphrast.metrics.base import Matrix
from paraphrast.metrics.defaults import RESAMPLING, TRIALS, Resampling
from paraphrast.study import agreement, reading
from paraphrast.study.judgments import Judgment
from paraphrast.study.sheets import Output, read_filled

Ties: TypeAlias = Literal["given", "dense", "mean"]

TIES: tuple[Ties, ...] = get_args(Ties)
RANK, COMBINED = "rank", "combined"
SCALES = {"formality": (-3.0, 3.0), "fluency": (1.0, 5.0), "meaning": (1.0, 6.0)}
CRITERIA = (*SCALES, RANK)
_WEIGHTS = {"formality": 1 / 3, "fluency": 1 / 2, "meaning": 2 / 5}
_OFFSET = 1.5
_BLOCK = 500  # trials at a time


@dataclass(frozen=True, slots=True)
class Mark:
    """One person's ratings of one output; ``values`` by criterion or metric."""

    system: str
    item: str
    annotator: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Figure:
    """A system's mean on one criterion, with its 95% interval.

    ``p`` is for the difference from the baseline, by paired randomisation over the
    sentences that both have; the baseline has none, nor has a system without shared
    sentences.
    """

    value: float
    low: float
    high: float
    sentences: int
    p: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """Every system's figures by criterion, agreement, and correlations with metrics."""

    systems: Mapping[str, Mapping[str, Figure]]
    agreement: Mapping[str, tuple[agreement.Agreement, ...]]
    correlations: Mapping[str, Mapping[str, correlation.Correlation]]
    baseline: str


def combine_marks(formality: float, fluency: float, meaning: float) -> float:
    """Return the combined score of three ratings or means."""
    marks = {"formality": formality, "fluency": fluency, "meaning": meaning}
    return _OFFSET + sum(weight * marks[name] for name, weight in _WEIGHTS.items())


def read_marks(
    paths: Iterable[Path], *, metrics: Sequence[str] = (), others: Sequence[str] = ()
) -> list[Mark]:
    """Read rows of system, item, annotator and any of the criteria.

    ``metrics`` are further columns with a number for each output, ``others`` those of
    criteria with other scales. An empty cell means no rating.
    """
    marks = []
    seen: dict[tuple[str, str, str], str] = {}
    for path in paths:
        for where, row in reading.read_rows(path):
            key = (
                reading.read_column(row, "system", where),
                reading.read_column(row, reading.ITEM, where),
                reading.read_column(row, reading.ANNOTATOR, where),
            )
            if key in seen:
                raise ParaphrastError(
                    f"{where}: annotator {key[2]!r} judged {key[0]!r} on item "
                    f"{key[1]!r} twice (first at {seen[key]}). Keep one of the two."
                )
            seen[key] = where
            marks.append(
                Mark(*key, values=_read_values(row, [*metrics, *others], where))
            )
    if not any(mark.values.keys() & {*CRITERIA, *others} for mark in marks):
        raise ParaphrastError(
            f"no marks. Give at least one of the columns {', '.join(CRITERIA)}, or "
            "name those of other criteria with --criterion."
        )
    return marks


def read_sheets(outputs: Sequence[Output], paths: Iterable[Path]) -> list[Mark]:
    """Read completed blind sheets, or rows of number, annotator and ratings.

    ``outputs`` are the sheets' key. A rating counts for every system of an output.
    """
    by_number = {output.number: output for output in outputs}
    marks = []
    for filled in read_filled(paths):
        output = by_number.get(filled.number)
        if output is None:
            raise ParaphrastError(
                f"{filled.where}: output {filled.number} is not in the key. Give the "
                "key of these sheets."
            )
        values = _read_values(filled.row, (), filled.where)
        marks += [
            Mark(system, name_item(output), filled.annotator, values)
            for system in output.systems
        ]
    return marks


def name_item(output: Output) -> str:
    """Name the item that the outputs for one text and target share."""
    return f"{output.item} to {output.target}"


def make_report(
    marks: Sequence[Mark],
    *,
    baseline: str | None = None,
    ties: Ties = "given",
    metrics: Sequence[str] = (),
    resampling: Resampling = RESAMPLING,
) -> Report:
    """Compute every system's means, ranks and combined score, and the agreement.

    Criteria other than GYAFC's are treated alike, except for the combined score.
    """
    if ties not in TIES:
        raise unknown("treatment of ties", ties, TIES)
    systems = tuple(dict.fromkeys(mark.system for mark in marks))
    base = baseline or systems[0]
    if base not in systems:
        raise unknown("baseline", base, systems)
    ranked = _recount_ranks(marks, ties)
    columns = {
        system: _mean_by_sentence([mark for mark in ranked if mark.system == system])
        for system in systems
    }
    return Report(
        systems={
            system: {
                name: _compute_figure(
                    column,
                    columns[base].get(name, {}) if system != base else {},
                    resampling,
                )
                for name, column in columns[system].items()
                if name not in metrics
            }
            for system in systems
        },
        agreement=agreement.compare_marks(
            {
                name: [
                    Judgment(f"{m.system}\t{m.item}", m.annotator, repr(m.values[name]))
                    for m in ranked
                    if name in m.values
                ]
                for name in _name_criteria(ranked, metrics)
            },
            resampling,
        ),
        correlations=_correlate_metrics(columns, metrics, resampling),
        baseline=base,
    )


def _name_criteria(marks: Sequence[Mark], metrics: Sequence[str]) -> list[str]:
    """Return the rated criteria: GYAFC's first, then any others."""
    given = dict.fromkeys(name for mark in marks for name in mark.values)
    return [name for name in dict.fromkeys((*CRITERIA, *given)) if name not in metrics]


def _read_values(
    row: Mapping[str, str], more: Sequence[str], where: str
) -> dict[str, float]:
    values = {}
    for name in dict.fromkeys((*CRITERIA, *more)):
        if name in more and name not in row:
            raise ParaphrastError(f"{where}: {unknown('column', name, row)}")
        text = row.get(name, "")
        if not text:
            continue
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        low, high = -np.inf, np.inf
        if name not in more:
            low, high = SCALES.get(name, (1.0, np.inf))  # a rank
        if not low <= value <= high or not np.isfinite(value):
            scale = f"a number from {low:g} to {high:g}" if name in SCALES else "a rank"
            raise ParaphrastError(
                f"{where}: {name} is {text!r}, not "
                f"{'a number' if name in more else scale}."
            )
        values[name] = value
    return values


def _recount_ranks(marks: Sequence[Mark], ties: Ties) -> list[Mark]:
    """Recount ranks among the outputs that one person ranked for one sentence."""
    if ties == "given":
        return list(marks)
    together: dict[tuple[str, str], list[float]] = {}
    for mark in marks:
        if RANK in mark.values:
            key = (mark.item, mark.annotator)
            together.setdefault(key, []).append(mark.values[RANK])
    result = []
    for mark in marks:
        values = dict(mark.values)
        if RANK in values:
            given = together[mark.item, mark.annotator]
            values[RANK] = _recount_rank(values[RANK], given, ties)
        result.append(Mark(mark.system, mark.item, mark.annotator, values))
    return result


def _recount_rank(rank: float, given: Sequence[float], ties: Ties) -> float:
    if ties == "dense":
        return 1.0 + len({other for other in given if other < rank})
    before = sum(other < rank for other in given)
    return before + (1 + given.count(rank)) / 2


def _mean_by_sentence(marks: Sequence[Mark]) -> dict[str, dict[str, float]]:
    """Return each sentence's mean over people, by criterion or metric."""
    gathered: dict[str, dict[str, list[float]]] = {}
    for mark in marks:
        for name, value in mark.values.items():
            gathered.setdefault(name, {}).setdefault(mark.item, []).append(value)
    columns = {
        name: {item: float(np.mean(values)) for item, values in result.items()}
        for name, result in gathered.items()
    }
    if columns.keys() >= SCALES.keys():
        shared = set.intersection(*(set(columns[name]) for name in SCALES))
        columns[COMBINED] = {
            item: combine_marks(*(columns[name][item] for name in SCALES))
            for item in columns["formality"]
            if item in shared
        }
    order = (*SCALES, COMBINED, RANK)
    return {name: columns[name] for name in (*order, *columns) if name in columns}


def _compute_figure(
    column: Mapping[str, float], base: Mapping[str, float], resampling: Resampling
) -> Figure:
    values = np.array(list(column.values()))
    mean = mean_interval(values, **asdict(resampling))
    shared = [item for item in column if item in base]
    p = None
    if shared:
        gaps = np.array([column[item] - base[item] for item in shared])
        p = _p_value(gaps, seed=resampling.seed)
    return Figure(*mean, len(values), p)


def _p_value(gaps: Matrix, *, seed: int) -> float:
    """Return the p-value of a paired randomisation test.

    Unlike a bootstrap's, this p-value is valid for a handful of sentences, too.
    """
    observed = abs(float(gaps.mean()))
    draw = np.random.default_rng(seed)
    as_far = 0
    for _ in range(TRIALS // _BLOCK):
        signs = draw.integers(0, 2, (_BLOCK, len(gaps))) * 2.0 - 1
        as_far += int((np.abs(signs @ gaps) / len(gaps) >= observed - 1e-12).sum())
    return (as_far + 1) / (TRIALS + 1)


def _correlate_metrics(
    columns: Mapping[str, Mapping[str, Mapping[str, float]]],
    metrics: Sequence[str],
    resampling: Resampling,
) -> dict[str, dict[str, correlation.Correlation]]:
    """Return Spearman's correlation of metrics with each criterion (GYAFC Table 6)."""
    result: dict[str, dict[str, correlation.Correlation]] = {}
    for metric in metrics:
        for name in (*SCALES, COMBINED, RANK):
            pairs = [
                (values[metric][item], values[name][item])
                for values in columns.values()
                if metric in values and name in values
                for item in values[metric]
                if item in values[name]
            ]
            if len(pairs) < 2 or any(
                len(set(side)) < 2 for side in zip(*pairs, strict=True)
            ):
                continue
            x, y = zip(*pairs, strict=True)
            result.setdefault(metric, {})[name] = correlation.correlate(
                x, y, kind="spearman", **asdict(resampling)
            )
    return result
