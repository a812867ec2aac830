"""Align the rows of a file: each row gives one record.

A row of TSV has two columns; a row of JSONL has the fields ``source`` and ``target``,
texts or lists of words. Texts are split by our tokeniser, or at spaces if they are
already tokenised. A row that cannot be aligned, for whatever reason, is kept as a
record with an ``error`` and without links, and with the whole ``line`` if no words
could be read; no row is lost, and none stops the run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from paraphrast.align.base import AlignedPair, Aligner
from paraphrast.align.formats import FORMATS, read_alignments
from paraphrast.align.formats.jsonl import (
    Tokenise,
    as_record,
    parse_json,
    parse_record,
)
from paraphrast.align.links import check_links, check_sides
from paraphrast.corpora.lines import STDIN, read_raw_lines, unpacked_name
from paraphrast.errors import ParaphrastError
from paraphrast.text import tokenise

BATCH = 256
Form: TypeAlias = Literal["tsv", "jsonl"]


@dataclass(frozen=True, slots=True)
class Row:
    """A pair that was read, or what could be read of it and what is wrong."""

    pair: AlignedPair
    where: str
    size: int
    error: str = ""
    line: str = ""


@dataclass
class Tally:
    """The number of rows, the number of bad rows, and the first of those."""

    rows: int = 0
    bad: int = 0
    first: Row | None = None

    def count(self, row: Row) -> None:
        """Count a row."""
        self.rows += 1
        if row.error:
            self.bad += 1
            self.first = self.first or row

    def describe(self, what: str) -> str:
        """Say how many rows were bad, what happened to them, and why."""
        if self.first is None:
            return ""
        return (
            f"{self.bad:,} of {self.rows:,} rows {what}; the first, "
            f"{self.first.where}: {self.first.error.rstrip('.')}."
        )


def form_of(path: Path, form: str | None = None) -> Form:
    """Return the format of a file of pairs, as given or by its extension."""
    for candidate in ("tsv", "jsonl"):
        if form == candidate:
            return candidate
    if form is not None:
        raise ParaphrastError(f"pairs are read as tsv or jsonl, not {form!r}.")
    name = unpacked_name(path)
    if name.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    if name.endswith(".tsv") or path == STDIN:
        return "tsv"
    raise ParaphrastError(f"{path}: name its format with --format tsv or jsonl.")


def read_rows(path: Path, *, form: Form, tokenized: bool = False) -> Iterator[Row]:
    """Yield the rows of a file in order, without reading it whole."""
    split = (str.split, str.split) if tokenized else (tokenise, tokenise)
    for number, line in enumerate(read_raw_lines(path), start=1):
        yield parse_row(line, f"{path}:{number}", form=form, split=split)


def parse_row(
    line: bytes, where: str, *, form: Form, split: tuple[Tokenise, Tokenise]
) -> Row:
    """Return the row on a line; ``split`` cuts its source and its target into words."""
    pair, error = AlignedPair((), ()), ""
    parse = _from_json if form == "jsonl" else _from_columns
    try:
        pair = parse(line.decode("utf-8"), where, split)
        check_sides(pair, where)
        check_links(pair, where)
    except UnicodeDecodeError:
        error = "not valid UTF-8"
    except ParaphrastError as problem:
        error = str(problem).removeprefix(f"{where}: ")
    unread = bool(error) and not (pair.source or pair.target)
    kept = line.decode("utf-8", errors="backslashreplace") if unread else ""
    return Row(pair, where, len(line) + 1, error, kept)


def read_training_pairs(
    path: Path, *, format: str | None = None, tokenized: bool = False
) -> tuple[list[AlignedPair], Tally]:
    """Read training data for an aligner: sentence pairs, or manual alignments."""
    alignments = FORMATS.keys() - {"jsonl"}
    by_people = (".json", ".A3", ".A3.final")
    if format in alignments or (
        format is None and unpacked_name(path).endswith(by_people)
    ):
        return list(read_alignments(path, format=format)), Tally()
    pairs, tally = [], Tally()
    for row in read_rows(path, form=form_of(path, format), tokenized=tokenized):
        tally.count(row)
        if not row.error:
            pairs.append(row.pair)
    return pairs, tally


def align_rows(
    rows: Iterable[Row], aligner: Aligner
) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Yield each row as it came out, and its record, in order."""
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH)):
        ready = [_fitting(row, aligner) for row in batch]
        pairs = [(r.pair.source, r.pair.target) for r in ready if not r.error]
        links = iter(aligner(pairs))
        for row in ready:
            if row.error:
                record = as_record(replace(row.pair, links=()))
                kept = {"line": row.line} if row.line else {}
                yield row, record | {"error": row.error} | kept
            else:
                yield row, as_record(replace(row.pair, links=next(links)))


def _fitting(row: Row, aligner: Aligner) -> Row:
    longest = getattr(aligner, "longest", None)
    words = max(len(row.pair.source), len(row.pair.target))
    if row.error or longest is None or words <= longest:
        return row
    error = f"{words} words on one side; this aligner accepts up to {longest}"
    return replace(row, error=error)


def _from_columns(
    line: str, where: str, split: tuple[Tokenise, Tokenise]
) -> AlignedPair:
    columns = line.split("\t")
    if len(columns) != 2:
        raise ParaphrastError(f"expected 2 tab-separated columns, found {len(columns)}")
    source, target = (
        tuple(cut(side)) for cut, side in zip(split, columns, strict=True)
    )
    return AlignedPair(source, target)


def _from_json(line: str, where: str, split: tuple[Tokenise, Tokenise]) -> AlignedPair:
    return parse_record(parse_json(line, where), where, *split)
