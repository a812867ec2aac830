"""Read judgments from CSV, TSV or JSON Lines, in three layouts.

- one judgment per row: columns ``item``, ``annotator`` and ``label``;
- one annotator per file: ``item`` and ``label``; the file has the annotator's name;
- one item per row: one column per annotator, and ``item`` if the items have names (else
  they are numbered).

An empty label (in JSON also null) means that the annotator skipped the item. Errors
give the file and the line.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from paraphrast.align.formats import format_of
from paraphrast.corpora.formats import Malformed
from paraphrast.corpora.formats.jsonl import parse_object
from paraphrast.corpora.lines import read_lines, unpacked_name
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.study.judgments import Judgment

ITEM, ANNOTATOR, LABEL = "item", "annotator", "label"
DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")

Row: TypeAlias = tuple[str, Mapping[str, str]]  # where it stands, and its fields


def holds_links(path: Path) -> bool:
    """Say whether a file holds alignments, not judgments, by its ending or first line.

    Alignments in a .tsv cannot be told from judgments; their format must be named.
    """
    suffix = Path(unpacked_name(path)).suffix.lower()
    if suffix in DELIMITERS:
        return False
    if suffix in JSON_LINES:
        return any("links" in row for _, row in islice(_records(path), 1))
    try:
        return bool(format_of(path))
    except ParaphrastError:
        raise ParaphrastError(
            f"{path}: the ending tells neither judgments (.csv, .tsv, .jsonl) nor "
            "alignments. Rename the file, or name the alignments' format with --format."
        ) from None


def read_judgments(path: Path, *, annotator: str = "") -> Iterator[Judgment]:
    """Yield the judgments of a file; ``annotator`` is its author, if one person's."""
    name = annotator or unpacked_name(path).partition(".")[0]
    for count, (where, row) in enumerate(read_rows(path), start=1):
        yield from _judgments(row, where, number=count, annotator=name)


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a table or of JSON lines, each with its file and line."""
    suffix = Path(unpacked_name(path)).suffix.lower()
    if suffix in JSON_LINES:
        rows = _json_rows(path)
    elif suffix in DELIMITERS:
        rows = _table_rows(path, DELIMITERS[suffix])
    else:
        endings = (*DELIMITERS, *JSON_LINES)
        raise ParaphrastError(f"{path}: {unknown('ending of a file', suffix, endings)}")
    empty = True
    for row in rows:
        empty = False
        yield row
    if empty:
        raise ParaphrastError(f"{path}: no judgments. Give a row of names and rows.")


def read_column(row: Mapping[str, str], name: str, where: str) -> str:
    """Return a column that a row must have and that must not be empty."""
    if name not in row:
        raise ParaphrastError(f"{where}: {unknown('column', name, row)}")
    if not row[name]:
        raise ParaphrastError(f"{where}: column {name!r} is empty. Fill it in.")
    return row[name]


def _judgments(
    row: Mapping[str, str], where: str, *, number: int, annotator: str
) -> Iterator[Judgment]:
    if LABEL in row:
        item = read_column(row, ITEM, where)
        yield Judgment(item, row.get(ANNOTATOR, annotator).strip(), row[LABEL], where)
        return
    if ANNOTATOR in row:
        raise ParaphrastError(f"{where}: {unknown('column', LABEL, row)}")
    item = read_column(row, ITEM, where) if ITEM in row else str(number)
    for name, label in row.items():
        if name != ITEM:
            yield Judgment(item, name, label, where)


def _table_rows(path: Path, delimiter: str) -> Iterator[Row]:
    lines = (f"{line}\n" for line in read_lines(path))
    reader = csv.reader(lines, delimiter=delimiter)
    header: list[str] = []
    try:
        for cells in reader:
            where = f"{path}:{reader.line_num}"
            if not header:
                header = _header(cells, where)
            elif len(cells) == len(header):
                values = (cell.strip() for cell in cells)
                yield where, dict(zip(header, values, strict=True))
            elif cells:
                raise ParaphrastError(
                    f"{where}: expected {len(header)} columns, found {len(cells)}."
                )
    except csv.Error as error:
        where = f"{path}:{reader.line_num}"
        raise ParaphrastError(f"{where}: {error}. Check its quotes.") from error


def _header(cells: list[str], where: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    if "" in names:
        raise ParaphrastError(f"{where}: column {names.index('') + 1} has no name.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParaphrastError(f"{where}: two columns are called {twice[0]!r}.")
    return names


def _json_rows(path: Path) -> Iterator[Row]:
    for where, record in _records(path):
        yield where, {name: _text(record[name], name, where) for name in record}


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            yield where, parse_object(line)
        except Malformed as error:
            raise ParaphrastError(f"{where}: {error}") from error


def _text(value: Any, name: str, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str | int | float):  # true and false are labels too
        return json.dumps(value) if isinstance(value, bool) else str(value).strip()
    raise ParaphrastError(
        f"{where}: field {name!r} is neither a text nor a number. Give one label."
    )
