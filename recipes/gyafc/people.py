"""Readers' blind judgments of the outputs, by the four criteria of the paper.

`key.jsonl` has the outputs and their systems, `marks.jsonl` each reader's marks, given
by `guide.md`; `paraphrast study sheet --criteria` made the sheets from read.jsonl,
which the recipe writes. On the way back, lower formality raises the combined mark.
Agreement and correlations (as in the paper's Table 6) count an output shared by several
systems once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from paraphrast.corpora.formality import STYLES
from paraphrast.reproduce import Value, Workspace
from paraphrast.study import criteria, sheets
from paraphrast.study.criteria import Mark
from paraphrast.study.sheets import Output

from .benchmark import Test, list_tests
from .scoring import score_each
from .systems import KEY, RULES

FOLDER = KEY.parent
MARKS = "marks.jsonl"
FORMALITY = "formality"


def read_people(workspace: Workspace, folder: Path = FOLDER) -> dict[str, Value]:
    """Return marks by direction and system, agreement and correlations, if any."""
    if workspace.data is not None or not (folder / MARKS).exists():
        return {}
    outputs = sheets.read_key(folder / KEY.name)
    tests = {test.to: test for test in reversed(list_tests(workspace))}
    values: dict[str, Value] = {}
    for to in STYLES:
        own = [output for output in outputs if output.target == to]
        once = [replace(output, systems=output.systems[:1]) for output in own]
        title = f"readers, to {to}"
        sign = 1 if to == "formal" else -1
        values |= report_means(_read_marks(folder, outputs, own), title, sign)
        measures = _measure(once, tests[to])
        values |= report_outputs(_read_marks(folder, outputs, once), measures, title)
    return values


def report_means(marks: Sequence[Mark], title: str, sign: int) -> dict[str, Value]:
    """Return the systems' means by criterion; ``sign`` -1 wants less formality."""
    turned = [
        replace(mark, values={n: _turn(n, v, sign) for n, v in mark.values.items()})
        for mark in marks
    ]
    report = criteria.make_report(turned, baseline=RULES, ties="mean")
    values = {}
    for system, figures in report.systems.items():
        for name, figure in figures.items():
            low, high = sorted(_turn(name, v, sign) for v in (figure.low, figure.high))
            p = "baseline" if figure.p is None else f"p:{figure.p:.4f}|against {RULES}"
            values[f"{title}: {system}, {name}"] = Value(
                _turn(name, figure.value, sign), low, high, p
            )
    return values


def report_outputs(
    marks: Sequence[Mark],
    measures: Mapping[tuple[str, str], Mapping[str, float]],
    title: str,
) -> dict[str, Value]:
    """Return readers' agreement, and the measures' correlations with each criterion."""
    judged = [
        replace(mark, values={**mark.values, **measures[mark.system, mark.item]})
        for mark in marks
    ]
    names = list(next(iter(measures.values())))
    report = criteria.make_report(judged, ties="mean", metrics=names)
    values = {
        f"{title}: agreement on {name}, {row.coefficient}": Value(
            row.value, row.low, row.high, f"{row.items} outputs"
        )
        for name, rows in report.agreement.items()
        for row in rows
    }
    for measure, correlations in report.correlations.items():
        for name, own in correlations.items():
            key = f"{title}: {measure} and {name}, Spearman"
            values[key] = Value(own.value, own.low, own.high, f"{own.pairs} outputs")
    return values


def _read_marks(
    folder: Path, outputs: Sequence[Output], own: Sequence[Output]
) -> list[Mark]:
    """Return the marks of some outputs of the key."""
    numbers = {output.number: output for output in own}
    key = [numbers.get(o.number, replace(o, systems=())) for o in outputs]
    return criteria.read_sheets(key, [folder / MARKS])


def _measure(
    outputs: Sequence[Output], test: Test
) -> dict[tuple[str, str], dict[str, float]]:
    """Return the automatic measures of each output by its system and item."""
    references = dict(zip(test.texts, test.references, strict=True))
    sources = tuple(output.source for output in outputs)
    asked = replace(
        test, texts=sources, references=tuple(references[text] for text in sources)
    )
    scores = score_each(asked, [output.output for output in outputs])
    return {
        (output.systems[0], criteria.name_item(output)): {
            name: values[at] for name, values in scores.items()
        }
        for at, output in enumerate(outputs)
    }


def _turn(name: str, value: float, sign: int) -> float:
    return sign * value if name == FORMALITY else value
