"""Compare systems on the same sentences: scores, tests, baselines, gaming.

`compare` gives every system and metric a score with its interval, a p-value against
the baseline and a rank group, and it always adds three rows that need no system:

COPY       the sources themselves: what doing nothing earns.
REFERENCE  what a person earns. With one reference, the reference against itself; with
           several, the first against the others (systems are scored against all).
NAIVE      STRAP §3.2: a copy with probability p, else a random line of the target
           style. A metric that this row wins can be gamed.

A row that cannot be made is listed with the reason, never left out silently, and a
warning names systems below COPY on the main metric.

P-values are corrected within each metric: over all rows that are tested against the
baseline, and separately over all pairs of systems. A system's rank is one more than the
number of systems that are significantly better, so ties share a rank.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from paraphrast.comparison import gaming
from paraphrast.comparison.baselines import CONTROLS, COPY, NAIVE, make_controls
from paraphrast.comparison.outcome import (
    ALPHA,
    CORRECTIONS,
    TESTS,
    Cell,
    Column,
    Comparison,
    Correction,
    Pair,
    Row,
    Setting,
    Test,
    Verdict,
)
from paraphrast.comparison.significance import (
    approximate_randomisation,
    benjamini_hochberg,
    holm,
    paired_bootstrap,
)
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.judges.judge import Judge, refuse_alike
from paraphrast.judges.selection import SECOND, judge_metrics
from paraphrast.metrics.base import Matrix, Metric, Segment, rows
from paraphrast.metrics.defaults import RESAMPLES, SEED, TRIALS
from paraphrast.metrics.scoring import Score, score_rows

_GAMED = "gm"  # STRAP §3.2: NAIVE beats real systems by it

_Key = TypeVar("_Key")
_Name = TypeVar("_Name", bound=str)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A metric with the statistics and score of every row, by row name."""

    label: str
    metric: Metric
    statistics: Mapping[str, Matrix]
    scores: Mapping[str, Score]

    def gain(self, name: str, over: str) -> float:
        """Return how much better one row is than another, in the metric's sense."""
        sign = 1 if self.metric.higher_is_better else -1
        return sign * (self.scores[name].value - self.scores[over].value)


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are compared.

    ``main`` is the metric of the warnings: J where a judge gives it, else the first;
    ``baseline`` is the first system. Without ``resamples`` a bootstrap has 1,000 trials
    and a randomisation 10,000, or as many more as the correction needs.
    """

    main: str | None = None
    baseline: str | None = None
    resamples: int | None = None
    seed: int = SEED
    test: Test = "bootstrap"
    correction: Correction = "holm"


DEFAULTS = Plan()


def compare(
    systems: Mapping[str, Sequence[str]],
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    metrics: Mapping[str, Metric],
    judge: Judge | None = None,
    second: Judge | None = None,
    targets: Sequence[str] | str = "",
    target_corpus: Mapping[str, Sequence[str]] | None = None,
    validation: Sequence[Segment] = (),
    plan: Plan = DEFAULTS,
) -> Comparison:
    """Compare systems, given the outputs of each by its name.

    ``metrics`` are given by their names in the tables. A ``judge`` adds J, ACC, SIM, FL
    and GM before them, and a ``second`` judge of another kind adds its own J, ACC, SIM
    and FL after them; a warning says where the two contradict each other.
    ``references[i]`` are the references of ``sources[i]``; they may be empty where no
    metric needs them. ``targets`` names the style each output should have, one for all
    or one per line. ``target_corpus`` holds text of each target style, for NAIVE and
    retrieved lines; NAIVE is tuned on ``validation`` by the metric called gm, if there
    is one.
    """
    to_references = any(references)
    metrics = {
        **_name_metrics(judge, to_references),
        **metrics,
        **_name_second_metrics(judge, second, to_references),
    }
    segments = _make_segments(systems, sources, references, targets)
    given = next(iter(segments.values()))
    _refuse_stray(target_corpus or {}, {segment.target for segment in given})
    yardsticks = make_controls(
        given,
        target_corpus or {},
        validation=validation,
        tuning=metrics.get(_GAMED),
        seed=plan.seed,
    )
    everyone = {**yardsticks.rows, **segments}
    setting = _choose_setting(plan, metrics, list(systems), everyone)
    scored = [
        _score_rows(label, metrics[label], everyone, setting) for label in metrics
    ]
    tested = [_test_rows(column, list(systems), setting) for column in scored]
    panels = _inspect_rows(everyone, target_corpus or {})
    return Comparison(
        columns=tuple(_make_column(column, next(iter(systems))) for column in scored),
        rows=tuple(
            Row(
                name=name,
                control=name not in systems,
                note=yardsticks.notes.get(name, ""),
                outputs=tuple(segment.output for segment in everyone[name]),
                cells=tuple(cells[name] for cells, _ in tested),
                panel=panels[name],
            )
            for name in everyone
        ),
        pairs=tuple(chain.from_iterable(pairs for _, pairs in tested)),
        missing=yardsticks.missing,
        warnings=(
            *_warn_below_controls(scored, list(systems), setting.main),
            *_warn_of_contradictions(chain.from_iterable(pairs for _, pairs in tested)),
            *_warn_of_few_trials(len(everyone), len(systems), setting),
        ),
        setting=setting,
        sources=tuple(sources),
        references=tuple(tuple(texts) for texts in references),
        targets=tuple(segment.target for segment in given),
    )


def _choose_setting(
    plan: Plan,
    metrics: Mapping[str, Metric],
    systems: Sequence[str],
    everyone: Mapping[str, Sequence[Segment]],
) -> Setting:
    """Return a plan's choices, each checked, with the usual ones where it has none."""
    main, trials = plan.main or _choose_main(metrics), plan.resamples
    return Setting(
        baseline=_check_choice("baseline", plan.baseline or systems[0], everyone),
        main=_check_choice("main metric", main, metrics),
        test=_check_choice("test", plan.test, TESTS),
        correction=_check_choice("correction", plan.correction, CORRECTIONS),
        resamples=RESAMPLES if trials is None else trials,
        trials=_count_trials(plan.test, len(everyone), len(systems))
        if trials is None
        else trials,
        seed=plan.seed,
    )


def _name_metrics(judge: Judge | None, to_references: bool) -> dict[str, Metric]:
    """Return the metrics of a judge, J first."""
    metrics = judge_metrics(judge, to_references=to_references) if judge else {}
    return {
        name: metrics[name] for name in sorted(metrics, key=lambda name: name != "j")
    }


def _name_second_metrics(
    judge: Judge | None, second: Judge | None, to_references: bool
) -> dict[str, Metric]:
    if second is None:
        return {}
    if judge is None:
        raise ParaphrastError(
            "--second-judge needs a first judge. Give one with --judge."
        )
    refuse_alike(judge, second)
    metrics = _name_metrics(second, to_references)
    return {f"{name} {SECOND}": metrics[name] for name in metrics if name != _GAMED}


def _make_segments(
    systems: Mapping[str, Sequence[str]],
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    targets: Sequence[str] | str,
) -> dict[str, list[Segment]]:
    if not systems:
        raise ParaphrastError("nothing to compare. Give the outputs of a system.")
    if not sources:
        raise ParaphrastError("the sources are empty. Give at least one line.")
    reserved = [name for name in systems if name in CONTROLS]
    if reserved:
        raise ParaphrastError(
            f"{reserved[0]} is the name of a row in every comparison. Give the system "
            "another name."
        )
    lines = [targets] * len(sources) if isinstance(targets, str) else targets
    for what, column in {
        "references": references,
        "targets": lines,
        **systems,
    }.items():
        if len(column) != len(sources):
            raise ParaphrastError(
                f"{what}: {len(column)} lines but {len(sources)} sources. "
                "Give one line per source."
            )
    return {
        name: [
            Segment(output, source, tuple(texts), target)
            for output, source, texts, target in zip(
                outputs, sources, references, lines, strict=True
            )
        ]
        for name, outputs in systems.items()
    }


def _refuse_stray(styles: Iterable[str], targets: set[str]) -> None:
    for style in styles:
        if style not in targets:
            aims = ", ".join(map(repr, sorted(targets)))
            raise ParaphrastError(
                f"there is a target corpus of {style!r}, which is not a target style "
                f"of any line; the target styles are {aims}. Name the same styles in "
                "both."
            )


def _check_choice(kind: str, name: _Name, choices: Iterable[str]) -> _Name:
    if name not in choices:
        raise unknown(kind, name, choices)
    return name


def _choose_main(labels: Iterable[str]) -> str:
    for label in ("j", *labels):
        if label in labels:
            return label
    raise ParaphrastError("no metric was chosen. Give one with -m.")


def _count_trials(test: Test, everyone: int, systems: int) -> int:
    # The smallest p-value is 1 / (trials + 1), and Holm multiplies it by the number of
    # tests: with too few trials nothing could be significant however large it is.
    enough = 2 * int(_count_tests(everyone, systems) / ALPHA)
    return max(TRIALS if test == "randomisation" else RESAMPLES, enough)


def _count_tests(everyone: int, systems: int) -> int:
    return max(everyone - 1, systems * (systems - 1) // 2)


def _warn_of_few_trials(everyone: int, systems: int, setting: Setting) -> Iterator[str]:
    tests = _count_tests(everyone, systems)
    smallest = tests / (setting.trials + 1)
    if setting.correction == "holm" and smallest >= ALPHA:
        yield (
            f"with {setting.trials:,} trials and {tests} tests no p-value can be below "
            f"{min(1.0, smallest):.2f}. Raise the number of resamples to "
            f"{_count_trials(setting.test, everyone, systems):,}."
        )


def _score_rows(
    label: str,
    metric: Metric,
    everyone: Mapping[str, Sequence[Segment]],
    setting: Setting,
) -> _Scored:
    statistics = {name: rows(metric, row) for name, row in everyone.items()}
    scores = {
        name: score_rows(
            metric,
            everyone[name],
            matrix,
            resamples=setting.resamples,
            seed=setting.seed,
        )
        for name, matrix in statistics.items()
    }
    return _Scored(label, metric, statistics, scores)


def _make_column(scored: _Scored, system: str) -> Column:
    metric = scored.metric
    return Column(
        scored.label, metric.higher_is_better, scored.scores[system].signature
    )


def _test_rows(
    scored: _Scored, systems: Sequence[str], setting: Setting
) -> tuple[dict[str, Cell], list[Pair]]:
    """Test every row on one metric against the baseline, and every pair of systems."""
    others = [name for name in scored.scores if name != setting.baseline]
    raw = _compute_p_values(scored, setting.baseline, others, setting)
    p_values = _correct_p_values(
        dict(zip(others, raw, strict=True)), setting.correction
    )
    pairs = _test_pairs(scored, systems, setting)
    ranks = _rank_systems(
        pairs, systems, higher_is_better=scored.metric.higher_is_better
    )
    cells = {}
    for name, score in scored.scores.items():
        p = p_values.get(name)
        cells[name] = Cell(
            value=score.value,
            low=score.low,
            high=score.high,
            p=p,
            verdict=_decide(p, scored.gain(name, setting.baseline)),
            rank=ranks.get(name),
            each=scored.metric.each(scored.statistics[name]),
        )
    return cells, pairs


def _test_pairs(
    scored: _Scored, systems: Sequence[str], setting: Setting
) -> list[Pair]:
    raw: dict[tuple[str, str], float] = {}
    for index, first in enumerate(systems):
        rest = systems[index + 1 :]
        p_values = _compute_p_values(scored, first, rest, setting)
        raw |= {(first, second): p for second, p in zip(rest, p_values, strict=True)}
    return [
        Pair(
            metric=scored.label,
            first=first,
            second=second,
            difference=scored.scores[first].value - scored.scores[second].value,
            p=p,
        )
        for (first, second), p in _correct_p_values(raw, setting.correction).items()
    ]


def _compute_p_values(
    scored: _Scored, baseline: str, others: Sequence[str], setting: Setting
) -> list[float]:
    if not others:
        return []
    matrices = [scored.statistics[name] for name in others]
    if setting.test == "randomisation":
        return approximate_randomisation(
            scored.metric,
            scored.statistics[baseline],
            matrices,
            trials=setting.trials,
            seed=setting.seed,
        )
    differences = paired_bootstrap(
        scored.metric,
        scored.statistics[baseline],
        matrices,
        resamples=setting.trials,
        seed=setting.seed,
    )
    return [difference.p for difference in differences]


def _correct_p_values(
    raw: Mapping[_Key, float], correction: Correction
) -> dict[_Key, float]:
    adjust: dict[Correction, Callable[[Sequence[float]], list[float]]] = {
        "holm": holm,
        "bh": benjamini_hochberg,
        "none": list,
    }
    return dict(zip(raw, adjust[correction](list(raw.values())), strict=True))


def _rank_systems(
    pairs: Sequence[Pair], systems: Sequence[str], *, higher_is_better: bool
) -> dict[str, int]:
    ranks = dict.fromkeys(systems, 1)
    for pair in pairs:
        if pair.p < ALPHA and pair.difference:
            first_wins = (pair.difference > 0) == higher_is_better
            ranks[pair.second if first_wins else pair.first] += 1
    return ranks


def _decide(p: float | None, gain: float) -> Verdict:
    if p is None or p >= ALPHA or gain == 0:
        return "same"
    return "better" if gain > 0 else "worse"


def _inspect_rows(
    everyone: Mapping[str, Sequence[Segment]],
    target_corpus: Mapping[str, Sequence[str]],
) -> dict[str, gaming.Panel]:
    segments = next(iter(everyone.values()))
    lines = list(chain.from_iterable(target_corpus.values()))
    references = chain.from_iterable(segment.references for segment in segments)
    sources = gaming.prepare(
        [segment.source for segment in segments], chain(references, lines)
    )
    corpus = gaming.Corpus(lines) if lines else None
    return {
        name: gaming.inspect([segment.output for segment in row], sources, corpus)
        for name, row in everyone.items()
    }


def _warn_below_controls(
    scored: Sequence[_Scored], systems: Sequence[str], main: str
) -> Iterator[str]:
    """Name each system that scores below COPY or NAIVE.

    A copy has the full meaning of its source, so ``sim_source`` is not informative
    here.
    """
    reasons = {
        COPY: "doing nothing scores better.",
        NAIVE: "a metric that chance can win should not be trusted alone.",
    }
    for control, why in reasons.items():
        labels = (main, _GAMED) if control == NAIVE else [f.label for f in scored]
        compared = [
            column
            for column in scored
            if column.label in labels
            and control in column.scores
            and not column.label.startswith("sim_source")
        ]
        for system in systems:
            below = [
                f"{column.label} ({column.scores[system].value:.2f}, "
                f"{control} {column.scores[control].value:.2f})"
                for column in compared
                if column.gain(system, control) < 0
            ]
            if below:
                yield f"{system} is below {control} on {', '.join(below)}: {why}"


def _warn_of_contradictions(pairs: Iterable[Pair]) -> Iterator[str]:
    """Say where one judge finds a system better and the other finds it worse."""
    significant = {(p.metric, p.first, p.second): p for p in pairs if p.p < ALPHA}
    for (metric, first, second), pair in significant.items():
        other = significant.get((f"{metric} {SECOND}", first, second))
        if other and pair.difference * other.difference < 0:
            better, worse = (first, second)[:: 1 if pair.difference > 0 else -1]
            yield (
                f"the judges contradict each other: by the first judge's {metric}, "
                f"{better} is better than {worse}, by the second judge's it is worse. "
                "One of the systems may be fitted to a judge; do not trust either "
                "figure alone."
            )
