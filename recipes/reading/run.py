"""What readers accept, from blind readings, and how well automatic figures foretell it.

`key.jsonl` has the outputs and whose they are, `marks.jsonl` what each reader said, by
`guide.md`. The inputs were written for this and are in no corpus; no system was trained
on them, but which student and which adapter ship was chosen by these readings. They
are made with `paraphrast study sheet` and reported here as `paraphrast study
acceptance` does.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from paraphrast.judges.judge import load
from paraphrast.judges.rows import Counts, Row, judge_rows
from paraphrast.metrics import correlation
from paraphrast.metrics.base import Segment
from paraphrast.metrics.chrf import Chrf
from paraphrast.reproduce import Value, Workspace
from paraphrast.study import acceptance, sheets
from paraphrast.study.acceptance import Figures, Preference
from paraphrast.study.sheets import Output

FOLDER = Path(__file__).parent
RIVAL = "untuned, few-shot"  # the base of `large` before it was taught anything
JUDGE = Path("small")  # the judge that ships


def read_all(workspace: Workspace) -> dict[str, Value]:
    """Return acceptance and marks by system, by style and by kind, and agreement."""
    report = _report()
    values = _values(report.systems)
    for groups in (report.by_target, report.by_kind):
        for system, own in groups.items():
            values |= _values({f"{system}, {group}": f for group, f in own.items()})
    for pair in report.preferences:
        values |= _prefer(pair if pair.second == RIVAL else pair.reverse())
    for name, rows in report.agreement.items():
        for row in rows:
            key = f"agreement on {name}: {row.coefficient}"
            values[key] = Value(row.value, row.low, row.high)
    return values


def correlate_proxies(workspace: Workspace) -> dict[str, Value]:
    """Return Spearman's correlation of automatic figures with acceptance, by output."""
    outputs = sheets.read_key(FOLDER / "key.jsonl")
    accepted: dict[int, list[int]] = {}
    for mark in acceptance.read_marks([FOLDER / "marks.jsonl"]):
        accepted.setdefault(mark.number, []).append(mark.values["acceptable"])
    people = [
        sum(accepted[output.number]) / len(accepted[output.number])
        for output in outputs
    ]
    values = {}
    for name, scores in _score_outputs(outputs).items():
        both = [
            (score, person)
            for score, person in zip(scores, people, strict=True)
            if score is not None
        ]
        x, y = zip(*both, strict=True)
        result = correlation.correlate(x, y, kind="spearman")
        key = f"{name} and acceptance, Spearman"
        signature = f"{len(both)} outputs"
        values[key] = Value(result.value, result.low, result.high, signature)
    return values


def _report() -> acceptance.Report:
    return acceptance.make_report(
        sheets.read_key(FOLDER / "key.jsonl"),
        acceptance.read_marks([FOLDER / "marks.jsonl"]),
    )


def _values(groups: Mapping[str, Figures]) -> dict[str, Value]:
    values = {}
    for name, own in groups.items():
        for part in ("acceptable", "changed"):
            share = getattr(own, part)
            signature = f"{own.outputs} outputs, Wilson"
            values[f"{name}: {part}"] = Value(
                share.value, share.low, share.high, signature
            )
        values[f"{name}: meaning not changed"] = Value(100 - own.changed.value)
        for part in ("meaning", "style", "fluency"):
            values[f"{name}: {part}"] = Value(getattr(own, part))
    return values


def _prefer(pair: Preference) -> dict[str, Value]:
    """Return how often a system is better than the untuned model, where one is."""
    if pair.second != RIVAL or pair.share is None:
        return {}
    counts = f"{pair.better} : {pair.worse}, {pair.ties} ties; Wilson"
    share = Value(pair.share.value, pair.share.low, pair.share.high, counts)
    return {f"{pair.first}: preferred to the untuned model": share}


def _score_outputs(outputs: Sequence[Output]) -> dict[str, list[float | None]]:
    """Return each automatic figure of each output; None where the judge has none."""
    metric = Chrf(word_order=2)
    segments = [Segment(o.output, references=(o.source,)) for o in outputs]
    near = metric.each(metric.statistics(segments)).tolist()
    scores: dict[str, list[float | None]] = {"chrF++ to the source": near}
    judge = load(JUDGE)
    for target in sorted({output.target for output in outputs}):
        own = [at for at, output in enumerate(outputs) if output.target == target]
        rows = [Row(outputs[at].output, outputs[at].source) for at in own]
        to = target if target in judge.styles else ""
        for at, record in zip(
            own, judge_rows(judge, rows, Counts(), to=to), strict=True
        ):
            for name in ("style", "sim_source", "fluency"):
                scores.setdefault(name, [None] * len(outputs))[at] = record[name]
            parts = [record[name] for name in ("style", "sim_source", "fluency")]
            product = None if None in parts else math.prod(parts)
            scores.setdefault("style × similarity × fluency", [None] * len(outputs))[
                at
            ] = product
    return scores


STEPS = {"readings": read_all, "proxies": correlate_proxies}
