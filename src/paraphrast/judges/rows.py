"""Judge rewrites: style, meaning, fluency and formality, one record per row.

A row has an output and optionally a source and a reference; or it is a single text.
Every row gives exactly one record. Scores that cannot be computed are None, and ``why``
gives the reason. ``not_sure`` names scores that should not be relied on: the style of a
text of very few words. Scores given by rule rather than by a model (empty text, an
unreadable script) are counted in `Counts`.
"""

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.judges.evaluator import (
    LEAST_WORDS,
    has_some_style,
    is_style_measurable,
)
from paraphrast.judges.judge import Judge

Record: TypeAlias = dict[str, Any]

_ROWS = 512  # judged at a time
_DECIMALS = 4
_LONG = 200  # words
_TOO_SHORT = f"fewer than {LEAST_WORDS} words: too short to judge the style"
_SINGULAR = {"rows": "row", "copies": "copy"}


@dataclass(frozen=True, slots=True)
class Row:
    """The texts to judge; missing ones are None."""

    output: str
    source: str | None = None
    reference: str | None = None


@dataclass(slots=True)
class Counts:
    """The number of rows, and how many of them were unusual."""

    rows: int = 0
    empty: int = 0
    unreadable: int = 0
    one_word: int = 0
    not_sure: int = 0
    long: int = 0
    copies: int = 0
    without_source: int = 0
    without_reference: int = 0

    def __str__(self) -> str:
        """Name the counts that are not zero, on one line."""
        counts = [
            (f.name.replace("_", " "), getattr(self, f.name)) for f in fields(self)
        ]
        return ", ".join(
            f"{count} {_SINGULAR.get(name, name) if count == 1 else name}"
            for name, count in counts
            if count or name == "rows"
        )


def read_rows(
    lines: Iterable[str], *, where: str, plain: bool = False
) -> Iterator[Row]:
    """Read rows: JSONL, or TSV with a header, or with ``plain`` one text per line.

    JSONL is recognised by the brace (or, if plain, the quotation mark) at the start of
    the first line. An empty reference counts as missing, since a table cannot express
    it otherwise.
    """
    first, numbered = _peek(lines)
    if first.lstrip().startswith(("{", '"') if plain else "{"):
        for number, line in numbered:
            yield parse_json_row(line, f"{where}:{number}", plain=plain)
    elif plain:
        for _, line in numbered:
            yield Row(line)
    else:
        yield from _from_table(numbered, where)


def read_source_pairs(lines: Iterable[str], *, where: str) -> Iterator[tuple[str, str]]:
    """Read pairs of source and output, in the formats of `read_rows` or of pairs.

    Output may be called target; TSV without a header has the two columns. In JSONL a
    row of a corpus with references is the pair of its text and its first reference.
    """
    first, numbered = _peek(lines)
    if first.lstrip().startswith("{"):
        for number, line in numbered:
            yield _parse_json_pair(line, f"{where}:{number}")
    elif name := _name_output(first.split("\t")):
        for row in _from_table(numbered, where, output=name):
            yield row.source or "", row.output
    else:
        for number, line in numbered:
            cells = line.split("\t")
            if len(cells) != 2:
                raise ParaphrastError(
                    f"{where}:{number}: {len(cells)} columns, not source and output. "
                    "Name the columns source and output in the first line."
                )
            yield cells[0], cells[1]


def judge_rows(
    judge: Judge,
    given: Iterable[Row],
    counts: Counts,
    *,
    to: str = "",
    plain: bool = False,
) -> Iterator[Record]:
    """Yield the record of each row, and count the unusual rows in ``counts``."""
    if to and to not in judge.styles:
        raise unknown("style", to, judge.styles)
    every = iter(given)
    while chunk := list(islice(every, _ROWS)):
        for row, record in zip(chunk, _records(judge, chunk, to, plain), strict=True):
            _count(counts, row, record, plain=plain)
            yield record


def _records(
    judge: Judge, chunk: Sequence[Row], to: str, plain: bool
) -> Iterator[Record]:
    outputs = [row.output for row in chunk]
    columns: dict[str, list[float | None]] = {}
    reasons: dict[str, str] = {}
    columns["style"] = [None] * len(chunk)
    if to:
        probabilities = judge.accuracy.probabilities(outputs)
        chosen = np.where(
            has_some_style(probabilities, outputs),
            probabilities[:, judge.styles.index(to)],
            0.0,
        )
        columns["style"] = chosen.tolist()
    else:
        reasons["style"] = "no target style; give --to"
    if not plain:
        for name in ("source", "reference"):
            others = [getattr(row, name) for row in chunk]
            columns[f"sim_{name}"] = _similar(judge, outputs, others)
            reasons[f"sim_{name}"] = f"the row has no {name}"
    columns["fluency"] = judge.fluency.probabilities(outputs).tolist()
    columns["formality"] = _formality(judge, outputs)
    reasons["formality"] = (
        "no words known to the judge"
        if judge.formality
        else "this judge has no formality model"
    )
    sure = is_style_measurable(outputs)
    for number, values in enumerate(zip(*columns.values(), strict=True)):
        record = _record(dict(zip(columns, values, strict=True)), reasons)
        short = bool(outputs[number].split()) and not sure[number]
        doubt = {"not_sure": {"style": _TOO_SHORT}} if to and short else {}
        yield record | doubt


def _record(values: dict[str, float | None], reasons: dict[str, str]) -> Record:
    record: Record = {
        name: None if value is None else round(value, _DECIMALS)
        for name, value in values.items()
    }
    why = {name: reasons[name] for name, value in values.items() if value is None}
    return record | ({"why": why} if why else {})


def _similar(
    judge: Judge, outputs: Sequence[str], others: Sequence[str | None]
) -> list[float | None]:
    indices = [i for i, text in enumerate(others) if text is not None]
    values: list[float | None] = [None] * len(outputs)
    similarities = judge.similarity(
        [outputs[i] for i in indices], [others[i] or "" for i in indices]
    )
    for i, value in zip(indices, similarities.tolist(), strict=True):
        values[i] = value
    return values


def _formality(judge: Judge, outputs: Sequence[str]) -> list[float | None]:
    if judge.formality is None:
        return [None] * len(outputs)
    values = judge.formality.values(outputs)
    return [None if np.isnan(value) else float(value) for value in values]


def _count(counts: Counts, row: Row, record: Record, *, plain: bool) -> None:
    words = row.output.split()
    counts.rows += 1
    counts.empty += not words
    counts.unreadable += bool(words) and record["fluency"] == 0.0
    counts.one_word += len(words) == 1
    counts.not_sure += "not_sure" in record
    counts.long += len(words) > _LONG
    if not plain:
        counts.without_source += row.source is None
        counts.without_reference += row.reference is None
        same = row.source is not None and row.source.strip() == row.output.strip()
        counts.copies += bool(words) and same


def _parse_json_pair(line: str, where: str) -> tuple[str, str]:
    record = _read_object(line, where)
    table = record if isinstance(record, dict) else {}
    name = _name_output(table)
    # Where there are references, ``source`` names the corpus that a row is from.
    if not name and isinstance(references := table.get("references"), list):
        source, output = table.get("text"), next(iter(references), None)
    else:
        source, output = table.get("source"), table.get(name)
    if not isinstance(source, str) or not isinstance(output, str):
        raise ParaphrastError(
            f'{where}: expected texts for "source" and "output" (or "target"), or for '
            f'"text" and "references"; found {", ".join(table)[:80] or "no fields"}.'
        )
    return source, output


def _name_output(names: Container[str]) -> str:
    """Return which field or column has the output beside a source; empty if none."""
    named = (name for name in ("output", "target") if name in names)
    return next(named, "") if "source" in names else ""


def _read_object(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ParaphrastError(f"{where}: not JSON: {error}.") from error


def parse_json_row(line: str, where: str, *, plain: bool) -> Row:
    """Return the row that a line of JSON holds."""
    record = _read_object(line, where)
    if plain and isinstance(record, str):
        return Row(record)
    name = (
        "text" if plain and isinstance(record, dict) and "text" in record else "output"
    )
    if not isinstance(record, dict) or not isinstance(record.get(name), str):
        raise ParaphrastError(f'{where}: expected an object with a text for "{name}".')
    others = {key: record.get(key) for key in ("source", "reference")}
    for key, value in others.items():
        if value is not None and not isinstance(value, str):
            raise ParaphrastError(f'{where}: "{key}" must be a text or null.')
    others["reference"] = _or_none(others["reference"])
    return Row(record[name], **({} if plain else others))


def _peek(lines: Iterable[str]) -> tuple[str, Iterator[tuple[int, str]]]:
    """Return the first line, if there is one, and all lines with their numbers."""
    numbered = enumerate(lines, start=1)
    first = list(islice(numbered, 1))
    return first[0][1] if first else "", chain(first, numbered)


def _from_table(
    lines: Iterator[tuple[int, str]], where: str, *, output: str = "output"
) -> Iterator[Row]:
    first = next(lines, None)
    if first is None:
        return
    header = first[1].split("\t")
    if output not in header:
        raise ParaphrastError(
            f"{where}: no column is named output; found {', '.join(header)[:80]}. "
            "Name the columns source, output and reference in the first line, or give "
            "--plain for text alone."
        )
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(header):
            raise ParaphrastError(
                f"{where}:{number}: {len(cells)} columns, but the first line has "
                f"{len(header)}."
            )
        row = dict(zip(header, cells, strict=True))
        yield Row(row[output], row.get("source"), _or_none(row.get("reference")))


def _or_none(text: str | None) -> str | None:
    return text if text and text.strip() else None
