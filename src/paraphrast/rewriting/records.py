"""Read the texts to rewrite from a file, and write their rewrites to one.

Every format reads one record per line, row or document and writes exactly one for it.
Unreadable records (a row without the column, a line that is not JSON) are passed
through unchanged, with the reason. Readable records are also written unchanged, with
the rewrite added: quoting, line ends, number formats, a byte-order mark and bytes that
are not UTF-8 are kept. Only ``"\\n"`` ends a line; a ``"\\r"`` before it is kept.
"""

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import repeat
from typing import Any, BinaryIO, Protocol

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.formats import WHOLE
from paraphrast.rewriting.ratings import Categorise, Rate
from paraphrast.rewriting.sections import is_unicode
from paraphrast.text.documents import mark_fixed_lines

BYTE_ORDER_MARK = "\ufeff"
TEXT = "text"  # the column or field that is read unless another is named
_BARE_RETURN = re.compile(r"\r(?!\n)")
_STAND_IN = "\ufdd0"  # for a bare return, which the csv module refuses


@dataclass(frozen=True, slots=True)
class Record:
    """A text to rewrite.

    Without ``text`` it is only passed through, with the reason. A ``fixed`` text is its
    own rewrite: in its position it is not prose.
    """

    text: str | None
    frame: Any = None
    why: str = ""
    fixed: bool = False


class Format(Protocol):
    """A file format for reading texts and writing rewrites."""

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
    """One text per line; alternatives are separated by tabs.

    With ``headings``, headings and labels are rewritten too. ``apart`` means that the
    lines are not a document: none is a heading because of its neighbours.
    """

    markdown: bool = False
    headings: bool = False
    apart: bool = False

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the lines; headings and the frame of a mail are fixed."""
        lines = map(_decode, file)
        marked = (
            zip(lines, repeat(False))
            if self.apart
            else mark_fixed_lines(lines, headings=self.headings)
        )
        for index, (line, fixed) in enumerate(marked):
            mark = "" if index else _find_mark(line)
            text, end = _split_end(line.removeprefix(mark))
            yield Record(text, (mark, end), fixed=fixed)

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the rewritten line with its line end."""
        mark, end = record.frame
        texts = "\t".join(rewrite.text for rewrite in rewrites)
        return f"{mark}{texts}{end}"


@dataclass(frozen=True)
class MarkdownFile:
    """One document per file."""

    markdown: bool = True

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the document."""
        yield Record(_decode(file.read()), ("", ""))

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the rewritten document; alternatives need ``--json``."""
        if len(rewrites) > 1:
            raise ParaphrastError(
                "alternatives of a whole document cannot be written to one file. Add "
                "--json, or leave out -n."
            )
        return rewrites[0].text


@dataclass(frozen=True)
class JsonLines:
    """One JSON object per line, with the text in ``field``."""

    field: str
    into: str
    markdown: bool = False

    def read(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the objects; blank and broken lines are passed through."""
        first = True
        for mark, line in _read_lines(file):
            record = self._read_line(mark, line)
            if first and record.why == self._taken:
                raise ParaphrastError(
                    f"the field {self.into!r} already exists. "
                    "Name another for the result with --into."
                )
            first = False
            yield record

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the object with the rewrite, or a list of them, added."""
        if record.text is None:
            return str(record.frame)
        opened, end = record.frame
        texts = [rewrite.text for rewrite in rewrites]
        value = dump_json(texts[0] if len(texts) == 1 else texts)
        return f"{opened}, {json.dumps(self.into)}: {value}}}{end}"

    @property
    def _taken(self) -> str:
        return f"the field {self.into!r} already exists (--into names another)"

    def _read_line(self, mark: str, line: str) -> Record:
        whole = mark + line
        try:
            table = json.loads(line)
        except ValueError as error:
            why = f"not valid JSON ({error})" if line.strip() else ""
            return Record(None, whole, why)
        except RecursionError:
            return Record(None, whole, "not valid JSON (nested too deeply)")
        text = table.get(self.field) if isinstance(table, dict) else None
        if not isinstance(text, str):
            return Record(None, whole, no_text(self.field))
        if self.into in table:
            return Record(None, whole, self._taken)
        # The object is written as it came, but for its closing brace.
        opened = whole.rstrip().removesuffix("}").rstrip()
        return Record(text, (opened, _split_end(line)[1]))


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
        header: list[str] = []
        index = 0
        for raw, row, why in self.read_rows(file):
            if not row and not why:
                yield Record(None, raw)
            elif not header:
                header, index = row, self._find_column(row)
                yield Record(None, self._add(raw, self._names))
            elif len(row) == len(header):
                yield Record(row[index], raw)
            else:
                counted = f"{len(row)} columns where the header has {len(header)}"
                yield Record(None, raw, why or counted)

    def write(self, record: Record, rewrites: Sequence[Rewrite]) -> str:
        """Return the row with the rewrites in columns of their own."""
        if record.text is None:
            return str(record.frame)
        texts = [rewrite.text for rewrite in rewrites]
        return self._add(record.frame, texts + [""] * (self.number - len(texts)))

    @property
    def _names(self) -> list[str]:
        return [self.into, *(f"{self.into}_{n}" for n in range(2, self.number + 1))]

    def _find_column(self, header: Sequence[str]) -> int:
        if self.column not in header:
            raise unknown("column", self.column, header)
        taken = set(self._names) & set(header)
        if taken:
            raise ParaphrastError(
                f"the column {min(taken)!r} already exists. "
                "Name another for the result with --into."
            )
        return header.index(self.column)

    def _add(self, raw: str, values: Sequence[str]) -> str:
        """Return a row unchanged, with columns added."""
        line, end = _split_end(raw)
        if self.separator == "\t":
            return (
                "\t".join((line, *(" ".join(value.split()) for value in values))) + end
            )
        added = io.StringIO()
        # The first, empty column stands for those that are there.
        csv.writer(added).writerow(["", *values])
        return line + added.getvalue().removesuffix("\r\n") + end

    def read_rows(self, file: BinaryIO) -> Iterator[tuple[str, list[str], str]]:
        """Yield each row as read, its columns, or the reason why it has none."""
        lines = _read_lines(file)
        if self.separator == "\t":
            for mark, line in lines:
                text = _split_end(line)[0]
                yield mark + line, text.split("\t") if text else [], ""
            return
        csv.field_size_limit(sys.maxsize)
        raw: list[str] = []
        reader = csv.reader(_note_lines(lines, raw))
        while True:
            raw.clear()
            try:
                row = [column.replace(_STAND_IN, "\r") for column in next(reader)]
                yield "".join(raw), row, ""
            except StopIteration:
                return
            except csv.Error as error:
                yield "".join(raw), [], f"not valid CSV ({error})"


def format_named(
    name: str,
    *,
    column: str | None,
    field: str | None,
    into: str,
    number: int,
    headings: bool = False,
) -> Format:
    """Return the format called ``name``; documents have formats of their own."""
    formats: dict[str, Callable[[], Format]] = {
        "txt": lambda: PlainText(headings=headings),
        "md": MarkdownFile,
        "csv": lambda: Table(column or TEXT, into, number, ","),
        "tsv": lambda: Table(column or TEXT, into, number, "\t"),
        "jsonl": lambda: JsonLines(field or TEXT, into),
    }
    if name not in formats:
        raise unknown("format", name, {*formats, *WHOLE})
    return formats[name]()


def _read_lines(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """Yield each line, with the byte-order mark that stood before it."""
    for index, line in enumerate(map(_decode, file)):
        mark = "" if index else _find_mark(line)
        yield mark, line.removeprefix(mark)


def _find_mark(line: str) -> str:
    return BYTE_ORDER_MARK if line.startswith(BYTE_ORDER_MARK) else ""


def _note_lines(lines: Iterable[tuple[str, str]], raw: list[str]) -> Iterator[str]:
    """Yield lines for the csv module, and note in ``raw`` what was yielded."""
    for mark, line in lines:
        raw.append(mark + line)
        yield line if _STAND_IN in line else _BARE_RETURN.sub(_STAND_IN, line)


def _split_end(line: str) -> tuple[str, str]:
    """Return a line without its end, and the end."""
    text = line.removesuffix("\n").removesuffix("\r")
    return text, line[len(text) :]


def _decode(line: bytes) -> str:
    return line.decode("utf-8", errors="surrogateescape")


def dump_json(value: Any) -> str:
    """Return JSON in UTF-8, or in ASCII for what only that can carry."""
    text = json.dumps(value, ensure_ascii=False)
    # A lone surrogate, from a broken escape or a byte that is not UTF-8.
    return text if is_unicode(text) else json.dumps(value)


def no_text(field: str) -> str:
    """Return why an object without a text is passed through."""
    return f"no text in the field {field!r}"


def as_json(
    record: Record,
    rewrites: Sequence[Rewrite],
    *,
    explain: bool = False,
    rate: Rate | None = None,
    categorise: Categorise | None = None,
) -> str:
    """Return one line of JSON for a record; none for a header or a blank line.

    ``explain`` adds the changes, and ``categorise`` names their categories.
    """
    if record.text is None:
        if not record.why:
            return ""
        frame = _split_end(record.frame)[0]
        return dump_json({"source": frame, "text": frame, "why": record.why}) + "\n"
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
    if best.kept and best.text != record.text:
        table["kept"] = [asdict(kept) for kept in best.kept]
    if best.guards:
        table["guards"] = list(best.guards)
    if explain:
        named = categorise(record.text, best) if categorise else None
        table["changes"] = [
            asdict(change) | ({"categories": list(named[index])} if named else {})
            for index, change in enumerate(best.changes)
        ]
    return dump_json(table) + "\n"
