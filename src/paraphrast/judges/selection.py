"""Choose the judges of a comparison, and name their metrics.

A judge is refused if it was used in making a system that it is to score, and a second
judge if it shares a model with the first.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.judges.judge import Judge, load, refuse_alike, refuse_if_used, unlike
from paraphrast.judges.style_grade import StyleGrade
from paraphrast.metrics.base import Metric
from paraphrast.storage import packs

SECOND = "second"  # marks the columns of the second judge
NO_JUDGE = "none"


def load_judges(
    judge: Path | None,
    second: Path | None,
    made_by: Mapping[str, Path],
    *,
    targets: Sequence[str] = (),
) -> tuple[Judge | None, Judge | None]:
    """Load two judges; ``made_by`` holds the pack of each system, where known.

    Without a second, the small judge is added if it knows the targets and shares no
    model with the first; the path ``none`` prevents this.
    """
    if second and not judge and str(second) != NO_JUDGE:
        raise ParaphrastError(
            "--second-judge needs a first judge. Give one with --judge."
        )
    first = load(judge) if judge else None
    other = load(second) if second and str(second) != NO_JUDGE else None
    used = {name: packs.read(path).about.evaluators for name, path in made_by.items()}
    for name, evaluators in used.items():
        for chosen in filter(None, (first, other)):
            refuse_if_used(chosen, evaluators, system=name)
    if first and second is None and targets:
        other = unlike(first, targets, [h for hashes in used.values() for h in hashes])
    return first, other


def judge_metrics(judge: Judge, *, to_references: bool) -> dict[str, Metric]:
    """Return ACC, SIM, FL, J and GM by their names in tables.

    SIM is called ``sim_reference`` or ``sim_source`` after what outputs are compared
    with, since the two must not be confused; J and GM are computed from it.
    """
    similarity = "sim_reference" if to_references else "sim_source"
    return {
        similarity if metric.name == "sim" else metric.name: metric
        for metric in judge.metrics()
    }


def score_metrics(
    judge: Judge | None, second: Judge | None, *, to_references: bool
) -> dict[str, Metric]:
    """Return the metrics of the judges and a style grade, the second judge's marked."""
    if judge is None:
        return {}
    metrics = judge_metrics(judge, to_references=to_references)
    metrics[StyleGrade.name] = StyleGrade(judge.accuracy)
    if second:
        refuse_alike(judge, second)
        others = judge_metrics(second, to_references=to_references)
        metrics |= {f"{name} {SECOND}": metric for name, metric in others.items()}
    return metrics


def refuse_unknown_target(judge: Judge, target: str) -> None:
    """Refuse a missing target style, or one that the judge was not trained on."""
    if not target:
        raise ParaphrastError(
            "a judge needs the target style. Name it with --to: "
            f"{', '.join(sorted(judge.styles))}."
        )
    if target not in judge.styles:
        raise unknown("target style", target, judge.styles)
