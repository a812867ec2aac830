"""A judge's reliability: its training data, agreement with people, and failures.

`examine` makes one page for any `Judge`. It begins with the agreement with people on
corpora that the judge was not trained on, since it will be used on such text. Then
follow each model's training data (from its manifest), its agreement with people and
with other evaluators (`trust_people`), and its behaviour on minimal pairs
(`trust_probes`). Missing corpora are listed with the reason.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.judges.judge import Judge
from paraphrast.study import trust_people, trust_probes
from paraphrast.study.trust_people import Agreement
from paraphrast.study.trust_probes import Answer

FORMAT = 2
CORPORA = (
    *("xu12", "jhamtani17", "stsb", "cola", "gug", "pt16", "squinky", "everyday"),
    "strap",
)
# Corpora that a judge may learn from; Shakespeare's plays are all of one kind.
LEARNABLE = ("stsb", "cola", "gug", "pt16", "squinky", "everyday")
NEVER_SEEN = "never trained on it"
TRAINED_WITHOUT = "trained again without it"
_NAME = re.compile(r"`([\w-]+)`")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An evaluator's agreement with people on a corpus that it was not trained on.

    ``how`` says why: the judge never saw the corpus, or the same training was run
    without it and the result was evaluated.
    """

    evaluator: str
    corpus: str
    measure: str
    value: float
    items: int
    how: str


@dataclass(frozen=True)
class Trust:
    """The page: corpora left out, about the judge, agreements, probes, what is missing.

    ``left_out`` comes first; agreements are on all corpora.
    """

    left_out: tuple[LeftOut, ...]
    about: Mapping[str, Any]
    hashes: Mapping[str, str]
    styles: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    answers: tuple[Answer, ...]
    missing: Mapping[str, str]


def examine(
    judge: Judge,
    folders: Mapping[str, Path],
    *,
    missing: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Trust:
    """Compare a judge with every available corpus, by the names of the catalogue.

    ``missing`` says why others are missing.
    """
    lacking = dict(missing or {})
    agreements: list[Agreement] = []
    left_out = list(read_left_out(judge.about))
    learnt = find_corpora(judge.about)
    for name, compare in trust_people.COMPARISONS.items():
        if name not in folders:
            continue
        progress(f"{name}: comparing with people")
        try:
            rows = list(compare(judge, folders[name]))
        except ParaphrastError as error:
            lacking[name] = str(error)
            continue
        agreements += rows
        if name in LEARNABLE and name not in learnt:
            left_out += [
                LeftOut(r.evaluator, r.people, r.measure, r.value, r.items, NEVER_SEEN)
                for r in rows
            ]
    answers: list[Answer] = []
    if "jhamtani17" in folders:
        progress("probing")
        answers = list(trust_probes.answer_probes(judge, folders["jhamtani17"]))
    return Trust(
        left_out=tuple(left_out),
        about=judge.about,
        hashes=judge.hashes(),
        styles=tuple(judge.styles),
        agreements=tuple(agreements),
        answers=tuple(answers),
        missing=lacking,
    )


def find_corpora(about: Mapping[str, Any]) -> set[str]:
    """Return a judge's training corpora according to its manifest, in backticks."""
    training = about.get("training", {})
    return set(_NAME.findall(str(training)))


def read_left_out(about: Mapping[str, Any]) -> Iterator[LeftOut]:
    """Yield the figures that a manifest gives for training without a corpus."""
    for row in about.get("left_out", ()):
        try:
            yield LeftOut(**row, how=TRAINED_WITHOUT)
        except TypeError as error:
            raise ParaphrastError(
                f"the judge's manifest: left_out: {error}. Build the judge again."
            ) from error


def make_record(trust: Trust, *, name: str) -> dict[str, Any]:
    """Return the page for JSON, under the judge's name."""
    return {
        "format": FORMAT,
        "judge": name,
        **asdict(trust),
        "versions": {"paraphrast": version("paraphrast")},
    }


def format_record(record: Mapping[str, Any]) -> Iterator[str]:
    """Lay out a record as Markdown, which a terminal shows as well."""
    yield f"# How far to trust the judge {record['judge']!r}"
    yield ""
    yield "## On corpora that it did not learn from"
    yield ""
    yield from _table(
        ("evaluator", "corpus", "measure", "value", "items", "how"),
        [_left_out(row) for row in record["left_out"]],
    )
    yield ""
    yield "## What it was trained on"
    yield ""
    yield from _about_lines(record)
    yield ""
    yield "## Where it agrees with people"
    yield ""
    yield from _table(
        ("evaluator", "people", "measure", "value", "95% interval", "items"),
        [_agreement(row) for row in record["agreements"]],
    )
    yield ""
    yield "## Where it fails"
    yield ""
    yield from _read_paragraph(trust_probes.__doc__ or "")
    yield ""
    yield from _table(
        ("evaluator", "probe", "should", "does", "mean before", "after", "pairs"),
        [_answer(row) for row in record["answers"]],
    )
    if record["missing"]:
        yield ""
        yield "## What was not looked for"
        yield ""
        for name, why in record["missing"].items():
            yield f"- {name}: {why}"


def _read_paragraph(docstring: str) -> Iterator[str]:
    """Yield the second paragraph of a docstring, which is for readers."""
    paragraphs = docstring.strip().split("\n\n")
    yield from paragraphs[1].split("\n")


def _about_lines(record: Mapping[str, Any]) -> Iterator[str]:
    for part, signature in record["hashes"].items():
        yield f"- {part}: `{signature[:40]}{'…' if len(signature) > 40 else ''}`"
    yield f"- styles: {', '.join(record['styles'])}"
    for key, value in record["about"].items():
        if key == "left_out" or value in ({}, [], None, ""):
            continue
        yield f"- {key.replace('_', ' ')}: {_write_value(value)}"


def _write_value(value: Any) -> str:
    """Write a manifest's value on one line; long hashes are cut."""
    if isinstance(value, Mapping):
        inner = (
            f"{key} {_write_value(item)}" for key, item in value.items() if item != {}
        )
        return "; ".join(inner) if len(value) > 3 else ", ".join(inner)
    if isinstance(value, list | tuple):
        return ", ".join(map(_write_value, value))
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 and text.isalnum() else text


def _left_out(row: Mapping[str, Any]) -> tuple[str, ...]:
    value, items = f"{row['value']:.3f}", f"{row['items']:,}"
    return row["evaluator"], row["corpus"], row["measure"], value, items, row["how"]


def _agreement(row: Mapping[str, Any]) -> tuple[str, ...]:
    interval = ""
    if row["low"] is not None:
        interval = f"{row['low']:.3f} to {row['high']:.3f}"
    return (
        row["evaluator"],
        row["people"],
        row["measure"],
        f"{row['value']:.3f}",
        interval,
        f"{row['items']:,}",
    )


def _answer(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        row["evaluator"],
        row["probe"],
        row["should"],
        f"{100 * row['share']:.0f}%",
        f"{row['before']:.2f}",
        f"{row['after']:.2f}",
        str(row["pairs"]),
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        yield "Not looked for: the corpora this needs are missing or were not chosen."
        return
    widths = [
        max(len(line[at]) for line in (header, *rows)) for at in range(len(header))
    ]
    for line in (header, ["-" * width for width in widths], *rows):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield f"| {' | '.join(cells)} |"
