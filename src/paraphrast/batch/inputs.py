"""The input files of a batch job, split into ranges of whole records.

A record is a line of text, JSON Lines or headless TSV, a row of a table, or a row of
Parquet. Ranges are byte offsets at record ends; for Parquet they are rows, which are
passed on as JSON Lines. Compressed files cannot be read from the middle, so `cut`
decompresses them into the job's folder.
"""

import hashlib
import io
import json
import lzma
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from paraphrast.corpora.lines import (
    MARK,
    PACKED,
    cannot_read,
    open_bytes,
    unpacked_name,
)
from paraphrast.errors import ParaphrastError
from paraphrast.extras import require
from paraphrast.rewriting.records import Table
from paraphrast.storage.resumable import identity

Form: TypeAlias = Literal["txt", "jsonl", "csv", "tsv", "parquet"]
FORMS: dict[str, Form] = {
    ".txt": "txt",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
SEPARATORS: dict[str, str] = {"csv": ",", "tsv": "\t"}
UNPACKED = "inputs"  # the folder of unpacked copies
_UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, slots=True)
class Input:
    """A file of a job. ``header`` is whatever precedes the first record of a table.

    ``size`` and ``modified`` are the file's, ``sha256`` is that of its decompressed
    contents; ``copy`` is its name in the job's folder if it was decompressed there.
    """

    path: str
    size: int
    modified: int
    form: Form
    sha256: str
    copy: str = ""
    header: str = ""

    def open(self, folder: Path) -> BinaryIO:
        """Open the bytes that ranges are counted in."""
        return (folder / self.copy if self.copy else Path(self.path)).open("rb")


@dataclass(frozen=True, slots=True)
class Range:
    """Consecutive records of a file: bytes, or rows of Parquet."""

    start: int
    end: int
    records: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Content:
    """The records of a range; ``header`` is that of the table they are from."""

    form: Form
    header: str
    body: bytes

    def lines(self, native: Collection[str]) -> list[str]:
        """Return each record as a line; one that is not ``native`` becomes JSON.

        Bytes that are not UTF-8 become lone surrogates. A row that does not fit its
        header becomes a JSON string, which no reader accepts as a record.
        """
        if self.form not in native and self.form in SEPARATORS:
            return [_as_json(row, self._names) for row in self._rows(self.body)]
        body = self.body.removeprefix(MARK).decode("utf-8", "surrogateescape")
        lines = body.split("\n")
        return [line.removesuffix("\r") for line in lines[: None if lines[-1] else -1]]

    @property
    def _names(self) -> list[str]:
        header = self.header.encode("utf-8", "surrogateescape")
        return next((row for _, row in self._rows(header) if row), [])

    def _rows(self, text: bytes) -> Iterator[tuple[str, list[str]]]:
        for raw, row, _ in _table(self.form).read_rows(io.BytesIO(text)):
            yield raw, row


def find_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are given; a folder stands for the files in it."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            within = sorted(p for p in path.rglob("*") if p.is_file() and _form(p))
            if not within:
                raise ParaphrastError(
                    f"{path} is a folder without a readable file "
                    f"({', '.join(FORMS)}, also with {', '.join(PACKED)}). Give a file."
                )
            files += within
        elif not path.is_file():
            raise ParaphrastError(f"file not found: {path}. Check the path.")
        elif _form(path) is None:
            raise ParaphrastError(
                f"{path}: cannot tell its format. Name it {', '.join(FORMS)}, "
                f"or so with {', '.join(PACKED)}."
            )
        else:
            files.append(path)
    if not files:
        raise ParaphrastError("no input. Give at least one file or folder.")
    if repeated := [path for path in files if files.count(path) > 1]:
        raise ParaphrastError(f"{repeated[0]} is given twice. Give it once.")
    return files


def form_of(path: Path) -> Form:
    """Return the format of one of the files that `find_files` returned."""
    form = _form(path)
    if form is None:
        raise ParaphrastError(f"{path}: cannot tell its format.")
    return form


def cut(
    path: Path, folder: Path, copy: str, *, records: int, headed: bool
) -> tuple[Input, list[Range]]:
    """Return a file and its ranges of at most so many records.

    A packed file is unpacked to ``folder/copy`` on the way. ``headed`` says whether a
    table begins with a header.
    """
    form = form_of(path)
    try:
        if form == "parquet":
            return _cut_rows(path, records)
        return _cut_bytes(path, folder, copy, form, records, headed=headed)
    except _UNREADABLE as error:
        raise cannot_read(path, error) from error


def identify(path: Path) -> tuple[str, int, int]:
    """Return what identifies an input and its version."""
    _, size, modified = identity(path)
    return str(path.absolute()), size, modified


def read_range(given: Input, part: Range, folder: Path) -> Content:
    """Read records, and refuse them if they changed since the job was planned."""
    try:
        if given.form == "parquet":
            body, form = _read_rows(Path(given.path), part.start, part.end), "jsonl"
        else:
            with given.open(folder) as file:
                file.seek(part.start)
                body, form = file.read(part.end - part.start), given.form
    except _UNREADABLE as error:
        raise cannot_read(Path(given.path), error) from error
    if hashlib.sha256(body).hexdigest() != part.sha256:
        raise ParaphrastError(
            f"{given.path} changed since the job was planned. Put the old file back, "
            "or plan a new job."
        )
    return Content(FORMS[f".{form}"], given.header, body)


def _form(path: Path) -> Form | None:
    return FORMS.get(Path(unpacked_name(path)).suffix.lower())


def _table(form: str) -> Table:
    return Table("", "", 1, SEPARATORS[form])


def _as_json(row: tuple[str, list[str]], names: Sequence[str]) -> str:
    raw, cells = row
    if len(cells) != len(names):
        return json.dumps(raw)
    return json.dumps(dict(zip(names, cells, strict=True)))


def _cut_bytes(
    path: Path, folder: Path, copy: str, form: Form, records: int, *, headed: bool
) -> tuple[Input, list[Range]]:
    sha = hashlib.sha256()
    ranges: list[Range] = []
    with _unpacking(path, folder, copy) as (file, target):
        rows = iter(_split_rows(file, form, headed=headed))
        header = _take_header(rows) if headed and form in SEPARATORS else b""
        _copy(header, sha, target)
        start = len(header)
        while chunk := list(islice(rows, records)):
            body = b"".join(chunk)
            _copy(body, sha, target)
            end = start + len(body)
            digest = hashlib.sha256(body).hexdigest()
            ranges.append(Range(start, end, len(chunk), digest))
            start = end
    name = copy if target is not None else ""
    text = header.decode("utf-8", "surrogateescape")
    return Input(*identify(path), form, sha.hexdigest(), name, text), ranges


def _take_header(rows: Iterator[bytes]) -> bytes:
    """Return what precedes the records of a table: blank rows and its header."""
    header = b""
    for row in rows:
        header += row
        if row.strip(b"\r\n"):
            break
    return header


@contextmanager
def _unpacking(
    path: Path, folder: Path, copy: str
) -> Iterator[tuple[Any, BinaryIO | None]]:
    """Open a file, and if it is packed another for what is in it."""
    with open_bytes(path) as file:
        if path.suffix not in PACKED:
            yield file, None
            return
        (folder / copy).parent.mkdir(exist_ok=True)
        with (folder / copy).open("wb") as target:
            yield file, target


def _copy(body: bytes, sha: Any, target: BinaryIO | None) -> None:
    sha.update(body)
    if target is not None:
        target.write(body)


def _split_rows(file: Any, form: Form, *, headed: bool) -> Iterable[bytes]:
    """Yield the records of a file; only a quoted row of CSV has several lines."""
    if form != "csv" or not headed:
        return (line for line in file)
    return (
        raw.encode("utf-8", "surrogateescape")
        for raw, _, _ in _table(form).read_rows(file)
    )


def _cut_rows(path: Path, records: int) -> tuple[Input, list[Range]]:
    """Cut a Parquet file, within its row groups: a group is read as a whole."""
    file = _open_parquet(path)
    ranges: list[Range] = []
    begin = 0
    for index in range(file.num_row_groups):
        table = file.read_row_group(index)
        for start in range(0, len(table), records):
            rows = table.slice(start, records)
            body = _dump_rows(rows)
            digest = hashlib.sha256(body).hexdigest()
            first = begin + start
            ranges.append(Range(first, first + len(rows), len(rows), digest))
        begin += len(table)
    with path.open("rb") as raw:
        sha256 = hashlib.file_digest(raw, "sha256").hexdigest()
    return Input(*identify(path), "parquet", sha256), ranges


def _read_rows(path: Path, start: int, end: int) -> bytes:
    return _dump_rows(read_parquet(path, start, end))


def read_parquet(path: Path, start: int, end: int) -> Any:
    """Return the rows from ``start`` to ``end``, which one group has, as a table."""
    file = _open_parquet(path)
    begin = 0
    for index in range(file.num_row_groups):
        size = file.metadata.row_group(index).num_rows
        if begin <= start < begin + size:
            return file.read_row_group(index).slice(start - begin, end - start)
        begin += size
    raise ParaphrastError(
        f"{path} changed since the job was planned. Put the old file back, or plan a "
        "new job."
    )


def _open_parquet(path: Path) -> Any:
    parquet = require("pyarrow.parquet")
    try:
        return parquet.ParquetFile(path)
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        line = str(error).partition("\n")[0].rstrip(".")
        raise ParaphrastError(f"cannot read {path}: {line}.") from error


def _dump_rows(table: Any) -> bytes:
    rows = (
        json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()
    )
    return "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogateescape")
