"""Read the texts to rewrite out of a file, and write their rewrites back into one.

Every format gives one record a line, row or document and writes exactly one for it.
What cannot be read (a row without the column, a line that is not JSON) is passed
through as it came, with the reason. Bytes that are not UTF-8 come out as they went
in. Only ``"\\n"`` ends a line; a ``"\\r"`` before it is kept.
"""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.ratings import Rate

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Record:
    """A text to rewrite. Without ``text`` it is only passed through, and why."""

    text: str | None
    frame: Any = None
    why: str = ""


class Format(Protocol):
    """A kind of file that texts are read from and written to."""

    @property
    def markdown(self) -> bool:
        """Say whether the texts are Markdown."""
        ...

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the file's records in order, without reading it whole."""
        ...

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return what to write for a record; ``rewrites`` is empty without text."""
        ...


@dataclass(frozen=True)
class PlainText:
    """One text a line; alternatives are separated by tabs."""

    markdown: bool = False

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the lines."""
        for line in _lines(file):
            text = line.removesuffix("\n").removesuffix("\r")
            mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
            yield Record(text.removeprefix(mark), (mark, line[len(text) :]))

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the rewritten line with the line end it had."""
        mark, end = record.frame
        texts = "\t".join(rewrite.text for rewrite in rewrites)
        return f"{mark}{texts}{end}"


@dataclass(frozen=True)
class MarkdownFile:
    """One document a file."""

    markdown: bool = True

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the document."""
        yield Record(_decoded(file.read()))

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the rewritten document; alternatives need ``--json``."""
        if len(rewrites) > 1:
            raise ParaphrastError(
                "alternatives of a whole document do not fit into one file. "
                "Add --json, or leave out -n."
            )
        return rewrites[0].text


@dataclass(frozen=True)
class JsonLines:
    """One JSON object a line, with the text in ``field``."""

    field: str
    into: str
    markdown: bool = False

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the objects; blank and broken lines are passed through."""
        for line in _lines(file):
            try:
                table = json.loads(line)
            except ValueError as error:
                blank = not line.strip()
                why = "" if blank else f"not valid JSON ({error})"
                yield Record(None, line, why)
                continue
            text = table.get(self.field) if isinstance(table, dict) else None
            if isinstance(text, str):
                yield Record(text, table)
            else:
                yield Record(None, line, f"no text in the field {self.field!r}")

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the object with the rewrite, or a list of them, added."""
        if record.text is None:
            return str(record.frame)
        texts = [rewrite.text for rewrite in rewrites]
        added = {self.into: texts[0] if len(texts) == 1 else texts}
        return json.dumps(record.frame | added, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Table:
    """A CSV or TSV file with a header, the texts in ``column``."""

    column: str
    into: str
    number: int
    separator: str
    markdown: bool = False

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the header (passed through, with new columns) and the rows."""
        rows = self._rows(file)
        header = next(rows, None)
        if header is None:
            return
        header[0] = header[0].removeprefix(BYTE_ORDER_MARK)
        if self.column not in header:
            raise unknown("column", self.column, header)
        added = [self.into, *(f"{self.into}_{n}" for n in range(2, self.number + 1))]
        taken = set(added) & set(header)
        if taken:
            raise ParaphrastError(
                f"the column {min(taken)!r} is there already. "
                "Name another for the result with --into."
            )
        index = header.index(self.column)
        yield Record(None, header + added)
        for row in rows:
            if len(row) == len(header):
                yield Record(row[index], row)
            else:
                why = f"{len(row)} columns where the header has {len(header)}"
                yield Record(None, row, why)

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the row with the rewrites in columns of their own."""
        row = list(record.frame)
        if record.text is not None:
            texts = [rewrite.text for rewrite in rewrites]
            row += texts + [""] * (self.number - len(texts))
        if self.separator == "\t":
            return "\t".join(row) + "\n"
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(row)
        return line.getvalue()

    def _rows(self, file: BinaryIO) -> Iterator[list[str]]:
        lines = (line.removesuffix("\n").removesuffix("\r") for line in _lines(file))
        if self.separator == "\t":
            yield from (line.split("\t") for line in lines)
            return
        csv.field_size_limit(sys.maxsize)
        reader = csv.reader(line + "\n" for line in lines)
        while True:
            try:
                yield next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise ParaphrastError(
                    f"line {reader.line_num}: not valid CSV: {error}. "
                    "Quote the field, or use TSV or JSONL."
                ) from error


def format_named(
    name: str, *, column: str | None, field: str | None, into: str, number: int
) -> Format:
    """Return the format called ``name`` (txt, md, csv, tsv, jsonl)."""
    known: dict[str, Callable[[], Format]] = {
        "txt": PlainText,
        "md": MarkdownFile,
        "csv": lambda: Table(_given(column, "--column"), into, number, ","),
        "tsv": lambda: Table(_given(column, "--column"), into, number, "\t"),
        "jsonl": lambda: JsonLines(_given(field, "--field"), into),
    }
    if name not in known:
        raise unknown("format", name, known)
    return known[name]()


def format_of(path: Path) -> str:
    """Guess a file's format from its name; plain text if it says nothing."""
    suffix = path.suffix.lower()
    return {
        ".md": "md",
        ".markdown": "md",
        ".csv": "csv",
        ".tsv": "tsv",
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
    }.get(suffix, "txt")


def _given(value: str | None, option: str) -> str:
    if value is None:
        raise ParaphrastError(f"say where the text is with {option} NAME.")
    return value


def _lines(file: BinaryIO) -> Iterator[str]:
    return (_decoded(line) for line in file)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", errors="surrogateescape")


def as_json(
    record: Record,
    rewrites: Sequence[Rewrite],
    *,
    explain: bool,
    rate: Rate | None = None,
) -> str:
    """Return one line of JSON for a record; none for a header or a blank line."""
    if record.text is None:
        if not record.why:
            return ""
        frame = record.frame if isinstance(record.frame, str) else list(record.frame)
        return json.dumps({"source": frame, "text": frame, "why": record.why}) + "\n"
    best = rewrites[0]
    table: dict[str, Any] = {
        "source": record.text,
        "text": best.text,
        "score": best.score,
        "why": best.why,
    }
    ratings = rate(record.text, [r.text for r in rewrites]) if rate else []
    rated = [asdict(rating) for rating in ratings] or [{} for _ in rewrites]
    table |= rated[0]
    if len(rewrites) > 1:
        table["alternatives"] = [
            {"text": r.text, "score": r.score, **own}
            for r, own in list(zip(rewrites, rated, strict=True))[1:]
        ]
    if best.steps:
        table["steps"] = list(best.steps)
    if explain:
        table["changes"] = [asdict(change) for change in best.changes]
    line = json.dumps(table, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        # Undecodable bytes are lone surrogates, which only ASCII JSON can carry.
        line = json.dumps(table)
    return line + "\n"
