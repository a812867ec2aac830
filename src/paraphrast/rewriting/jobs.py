"""Find the input texts of a command, and rewrite a stream of records.

Records are rewritten in order, batch by batch, into a destination. The batches depend
only on the records, so that the same seed gives the same text for any destination and
after any resumption: small ones first, so that output appears early, and none so large
that an interruption would lose much.
"""

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Kept, Rewrite
from paraphrast.rewriting import formats as documents
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.records import Record
from paraphrast.rewriting.sections import EXPECTED, NOT_PROSE

FORMATS = {
    ".txt": "txt",
    ".md": "md",
    ".markdown": "md",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    **documents.SUFFIXES,
}
# How to make something of a document that can be read.
_CONVERTERS = {
    ".doc": "`soffice --headless --convert-to docx {name}`",
    ".pages": "an export to text",
    ".pdf": "`pdftotext {name}`",
}
_BINARY = (
    *(b"PK\x03\x04", b"%PDF", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x89PNG"),
    *(b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"\x7fELF", b"\xff\xfe", b"\xfe\xff"),
)
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\x0c\x1b")
# Shares of the bytes of a text that may be controls: in UTF-8, and in another encoding,
# which no text is known by but for having hardly any.
_MOST_CONTROLS, _MOST_CONTROLS_ELSE = 0.3, 0.02


@dataclass(frozen=True, slots=True)
class Inputs:
    """Texts, or files; neither for standard input."""

    texts: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def find_inputs(arguments: Sequence[str]) -> Inputs:
    """Distinguish texts from files and folders; a folder means the files in it."""
    files = [argument for argument in arguments if _is_path(argument)]
    if files and len(files) < len(arguments):
        text = next(a for a in arguments if a not in files)
        raise ParaphrastError(
            f"{files[0]!r} is a file and {text!r} is not. Give only files, or only "
            "texts."
        )
    if files:
        return Inputs(files=tuple(path for name in files for path in _find_files(name)))
    for text in arguments:
        if Path(text).suffix.lower() in FORMATS | _CONVERTERS and not _has_space(text):
            raise ParaphrastError(
                f"file not found: {text!r}. To rewrite it as text, pass it on standard "
                "input."
            )
    return Inputs(texts=tuple(arguments))


def format_of(path: Path) -> str:
    """Guess a file's format from its name; plain text by default."""
    return FORMATS.get(path.suffix.lower(), "txt")


def _has_space(text: str) -> bool:
    return any(map(str.isspace, text))


def _is_path(text: str) -> bool:
    if not text:  # which `Path` would take for the folder one is in
        return False
    try:
        path = Path(text)
        # A single word may also be the name of a folder; with a slash it is meant.
        folder = path.is_dir() and (os.sep in text or not _has_space(text))
        return folder or path.is_file() or path.is_fifo()
    except OSError:
        return False


def _find_files(name: str) -> Iterator[Path]:
    path = Path(name)
    if not path.is_dir():
        refuse_binary(path)
        yield path
        return
    within = sorted(
        file
        for file in path.rglob("*")
        if file.suffix.lower() in FORMATS
        and file.is_file()
        and not any(p.startswith(".") for p in file.relative_to(path).parts)
    )
    if not within:
        raise ParaphrastError(
            f"{name!r} is a folder without a text file ({', '.join(FORMATS)}). "
            "Give a file."
        )
    for file in within:
        refuse_binary(file)
        yield file


def refuse_binary(path: Path, *, name: str | None = None) -> None:
    """Refuse a file that is not text, and say how to convert it.

    The message uses ``name``, which also gives the extension, or else the path.
    Documents with a format of their own are left to it.
    """
    if path.is_fifo() or format_of(Path(name or path)) in documents.CHECKED:
        return
    with path.open("rb") as file:
        start = file.read(4096)
    path = path if name is None else Path(name)
    suffix = path.suffix.lower()
    if not (
        start.startswith(_BINARY)
        or _has_many_controls(start)
        or _CONVERTERS.get(suffix)
    ):
        return
    how = _CONVERTERS.get(suffix) or "an export to UTF-8 text"
    how = how.format(name=path.name, stem=path.stem)
    raise ParaphrastError(f"{path} is not a text file. Convert it first, with {how}.")


def _has_many_controls(start: bytes) -> bool:
    """Say whether the start of a file has more control bytes than a text has."""
    controls = len(start) - len(start.translate(None, _CONTROLS))
    try:  # the last character may be cut
        codecs.getincrementaldecoder("utf-8")().decode(start)
        most = _MOST_CONTROLS
    except UnicodeDecodeError:
        most = _MOST_CONTROLS_ELSE
    return controls > most * len(start)


FIRST_BATCH, BATCH = 16, 256  # records; each batch is twice the one before it
# In characters: three seconds of the default pack on two cores. In less, too few texts
# fail the first search to be searched again at full speed; in more, memory grows.
BATCH_LENGTH = 6_000
SHOWN = 3  # sentences for each reason

# From texts to the alternatives of each.
Answer: TypeAlias = Callable[[Sequence[str]], list[list[Rewrite]]]
Write: TypeAlias = Callable[[Record, Sequence[Rewrite]], str]


class Destination(Protocol):
    """Where the output of a job goes."""

    @property
    def done(self) -> int:
        """Return the number of records that an interrupted job has written."""
        ...

    def add(self, text: str, records: int) -> None:
        """Write the output of further records."""
        ...


@dataclass
class Left:
    """Counts of texts that should have been rewritten but are unchanged, by reason.

    ``sentences`` counts unchanged sentences, and ``examples`` has the first of each
    reason; ``read`` counts the records that had text or could not be read.
    """

    sentences: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    records: dict[str, int] = field(default_factory=dict)
    read: int = 0

    def add(self, kept: Iterable[Kept]) -> None:
        """Count unchanged sentences."""
        for sentence in kept:
            if sentence.why in EXPECTED:
                continue
            self.sentences[sentence.why] = self.sentences.get(sentence.why, 0) + 1
            examples = self.examples.setdefault(sentence.why, [])
            if len(examples) < SHOWN:
                examples.append(sentence.text)

    def add_record(self, record: Record, rewrites: Sequence[Rewrite]) -> None:
        """Count a record that could not be read, or its unchanged sentences."""
        self.read += bool(record.why or (record.text or "").strip())
        best = rewrites[0] if rewrites else None
        why = record.why or (best.why if best and not best.kept else "")
        if why and why not in EXPECTED:
            self.records[why] = self.records.get(why, 0) + 1
        elif best:
            self.add(best.kept)

    def __iter__(self) -> Iterator[str]:
        """Yield one line for each reason."""
        for why, count in sorted(self.records.items()):
            yield f"left {count_nouns(count, 'record')} unchanged: {why}."
        for why, count in sorted(self.sentences.items()):
            many = count_nouns(count, "sentence")
            shown = "; ".join(repr(_shorten(text)) for text in self.examples[why])
            more = "; …" if count > SHOWN else ""
            yield f"left {many} unchanged: {why}: {shown}{more}."


def rewrite_records(
    records: Iterable[Record],
    answer: Answer,
    write: Write,
    to: Destination,
    *,
    largest: int = BATCH,
) -> Left:
    """Send the output of each record to a destination; return what was unchanged.

    ``largest`` is the maximum number of records per batch.
    """
    left = Left(read=to.done)
    for batch in batch_records(records, to.done, largest):
        to_rewrite = [r.text for r in batch if r.text is not None and not r.fixed]
        answers = iter(answer(to_rewrite))
        parts = []
        for record in batch:
            if record.text is not None and record.fixed:
                rewrites = [Rewrite(record.text, why=NOT_PROSE)]
            else:
                rewrites = [] if record.text is None else next(answers)
            parts.append(write(record, rewrites))
            left.add_record(record, rewrites)
        to.add("".join(parts), len(batch))
    return left


def stream_documents(
    records: Iterable[Record],
    rewriter: DocumentRewriter,
    to: Destination,
    *,
    seed: int,
    reading: Reading,
) -> Left:
    """Send documents to a destination bit by bit as they are rewritten."""
    left = Left()

    def send(bit: Rewrite) -> None:
        to.add(bit.text, 0)
        left.add(bit.kept)

    for record in records:
        left.read += bool((record.text or "").strip())
        rewriter.stream(record.text or "", send, seed=seed, reading=reading)
        to.add("", 1)
    return left


def batch_records(
    records: Iterable[Record], done: int, largest: int = BATCH
) -> Iterator[list[Record]]:
    """Yield the batches that come after ``done`` records."""
    start = 0
    for batch in _cut_batches(records, largest):
        if start + len(batch) > done:
            yield batch[max(0, done - start) :]
        start += len(batch)


def _cut_batches(records: Iterable[Record], largest: int) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size, length = min(FIRST_BATCH, largest), 0
    for record in records:
        batch.append(record)
        length += len(record.text or "")
        if len(batch) == size or length >= BATCH_LENGTH:
            yield batch
            batch, size, length = [], min(largest, 2 * size), 0
    if batch:
        yield batch


def count_nouns(count: int, noun: str) -> str:
    """Return "1 record", or "1,024 records"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
