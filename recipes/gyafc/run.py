"""GYAFC's experiment (Rao and Tetreault 2018): every system, both directions, measured.

Without --data it runs on the open formality corpus, which is freely available; with it,
on the user's own GYAFC. Systems whose pack is missing are left out, as tables.md says.
COPY and REFERENCE stand in every table, and neighbours are tested in pairs.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from io import StringIO
from pathlib import Path

from paraphrast.reproduce import Value, Workspace
from paraphrast.storage import atomic
from recipes.charts import columns

from .benchmark import READ, Test, list_tests
from .page import lay_out, lay_out_samples
from .pbmt import train_packs
from .people import read_people
from .scoring import TESTED, Scored, score_each, score_outputs
from .statistics import BINS, describe_corpus, share_by_bin
from .systems import COPY, REFERENCE, SYSTEMS, LeftOut, answer

SAMPLES = 2  # texts of each main test whose outputs are shown


def measure_systems(workspace: Workspace) -> dict[str, Value]:
    """Measure every system on every test; write the plot of formality levels."""
    values: dict[str, Value] = {}
    panels: dict[str, Mapping[str, list[float]]] = {}
    for test in list_tests(workspace):
        outputs, _ = _answer_all(workspace, test)
        scored = _score(test, outputs)
        values[f"{test.title}: texts"] = Value(len(test.texts))
        for system, figures in scored.figures.items():
            for measure, value in figures.items():
                values[f"{test.title}: {system}, {measure}"] = value
        for measure in TESTED:
            for (better, worse), value in scored.neighbours(measure).items():
                values[f"{test.title}: {better} over {worse}, {measure}"] = value
        if test.is_main:
            panels[test.title] = {
                name: share_by_bin(list(own)) for name, own in scored.formality.items()
            }
    plot = columns(panels, groups=[f"{n:+d}" for n in BINS], axis="formality")
    _write(workspace.folder / "figure1.svg", plot)
    return values


def write_tables(workspace: Workspace) -> dict[str, Value]:
    """Write tables.md, with the paper's figures beside ours, and readers' sheets."""
    values = describe_corpus(workspace) | read_people(workspace)
    notes, samples = [], []
    to_read: list[dict[str, str]] = []
    for test in list_tests(workspace):
        outputs, left_out = _answer_all(workspace, test)
        scored = _score(test, outputs)
        for system, figures in scored.figures.items():
            values |= {f"{test.title}: {system}, {m}": v for m, v in figures.items()}
        notes += [f"{test.title}: {name}: {why}" for name, why in left_out.items()]
        if test.is_main:
            name = f"criteria-{test.name}-{test.to}.csv"
            read = {system: texts[:READ] for system, texts in outputs.items()}
            _write(workspace.folder / name, _lay_out_sheet(test.first(READ), read))
            to_read += _list_outputs(test, read)
            samples.append(lay_out_samples(test.title, test.texts[:SAMPLES], outputs))
    _write(
        workspace.folder / "read.jsonl",
        "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in to_read),
    )
    kept = {
        name: {"value": v.value, "low": v.low, "high": v.high, "signature": v.signature}
        for name, v in values.items()
    }
    left = "\n".join(f"- {note}" for note in notes) or "none"
    parts = [lay_out(kept), *samples, "Left out:", left]
    _write(workspace.folder / "tables.md", "\n\n".join(parts) + "\n")
    told = ("corpus", "unlabelled", "readers")
    return {name: v for name, v in values.items() if name.startswith(told)}


def _answer_all(
    workspace: Workspace, test: Test
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the outputs of every available system, and why the others are missing."""
    outputs, left_out = {COPY: answer(workspace, COPY, test)}, {}
    for system in SYSTEMS:
        try:
            outputs[system] = answer(workspace, system, test)
        except LeftOut as reason:
            left_out[system] = str(reason)
    outputs[REFERENCE] = answer(workspace, REFERENCE, test)
    return outputs, left_out


def _score(test: Test, outputs: Mapping[str, list[str]]) -> Scored:
    return _score_once(test, tuple((n, tuple(texts)) for n, texts in outputs.items()))


@lru_cache(maxsize=32)
def _score_once(test: Test, outputs: tuple[tuple[str, tuple[str, ...]], ...]) -> Scored:
    return score_outputs(test, dict(outputs))


def _lay_out_sheet(test: Test, outputs: Mapping[str, list[str]]) -> str:
    """Return rows for `paraphrast study criteria`: readers fill in the empty columns.

    The automatic measures are there for the correlations of Table 6.
    """
    file = StringIO()
    scores = {name: score_each(test, texts) for name, texts in outputs.items()}
    measures = list(next(iter(scores.values())))
    writer = csv.writer(file, lineterminator="\n")
    criteria = ("formality", "fluency", "meaning", "rank")
    writer.writerow(["system", "item", "annotator", "source", "output", *criteria,
                     *measures])  # fmt: skip
    for at in range(len(test.texts)):
        for name, texts in outputs.items():
            marks = [""] * len(criteria)
            own = [f"{scores[name][measure][at]:.4f}" for measure in measures]
            writer.writerow([name, at, "", test.texts[at], texts[at], *marks, *own])
    return file.getvalue()


def _list_outputs(
    test: Test, outputs: Mapping[str, list[str]]
) -> Iterator[dict[str, str]]:
    """Yield rows for the blind sheets of `paraphrast study sheet --criteria`."""
    for name, texts in outputs.items():
        for at, text in enumerate(texts):
            yield {"item": f"{test.name} {at}", "system": name, "target": test.to,
                   "source": test.texts[at], "output": text}  # fmt: skip


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.writer(path) as file:
        file.write(text)


STEPS = {"pbmt": train_packs, "systems": measure_systems, "tables": write_tables}
