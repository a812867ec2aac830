"""File formats for pairs and texts; plugins register theirs as we do.

A record is one line in each of a format's files, so reading, cleaning and splitting are
written once, for every format. A format only defines the contents of a record's lines.
Formats are classes under the entry-point group ``paraphrast.formats``.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Protocol, TextIO, cast

from paraphrast import registry
from paraphrast.corpora.lines import PACKED, STDIN, read_columns, unpacked_name
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage import atomic


class Malformed(Exception):  # noqa: N818 - it is a finding, not a failure
    """Raised by a format for a record that it cannot represent, with the reason."""


class Format(Protocol):
    """The contents of the lines of one record.

    ``files`` is the number of files of a corpus, ``columns`` the number of texts per
    record: 2 for pairs, 1 for texts. ``suffixes`` are the file extensions of the
    format.
    """

    files: int
    columns: int
    suffixes: tuple[str, ...]

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the texts in a record's lines, or raise `Malformed`."""
        ...

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return lines that contain texts, or raise `Malformed`.

        Everything else in the lines ``instead_of`` is kept.
        """
        ...


def choose(paths: Sequence[Path], format: str | Format | None = None) -> Format:
    """Return the format called ``format``, or the one of the files' extensions."""
    if isinstance(format, str):
        chosen = cast(Format, registry.find("formats", format)())
    elif format is not None:
        chosen = format
    else:
        chosen = _guess(paths)
    if len(paths) != chosen.files:
        raise ParaphrastError(
            f"this format needs {chosen.files} file(s), but {len(paths)} were given: "
            f"{', '.join(map(str, paths))}."
        )
    return chosen


def choose_pair_format(
    paths: Sequence[Path], format: str | Format | None = None
) -> Format:
    """Return the format as `choose` does, and refuse one for single texts."""
    chosen = choose(paths, format)
    if chosen.columns != 2:
        raise ParaphrastError(
            f"{paths[0]}: has one text per line, not pairs. Name the format of a file "
            "of pairs, or give two parallel files."
        )
    return chosen


def read_records(
    paths: Sequence[Path], format: str | Format | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield the texts of every record in order, without reading a file whole."""
    chosen = choose(paths, format)
    return _records(paths, chosen)


def read_pairs(*paths: Path, format: str | Format | None = None) -> Iterator[Pair]:
    """Yield the pairs of a file, or of two parallel files, in order."""
    chosen = choose_pair_format(paths, format)
    return (Pair(*texts) for texts in _records(paths, chosen))


def write_pairs(
    pairs: Iterable[Pair], *paths: Path, format: str | Format | None = None
) -> int:
    """Write pairs to one file, or to two parallel ones; return how many."""
    chosen = choose(paths, format)
    count = 0
    with ExitStack() as stack:
        files = open_outputs(stack, paths)
        for count, pair in enumerate(pairs, start=1):  # noqa: B007 - returned
            try:
                lines = chosen.encode((pair.source, pair.target))
            except Malformed as error:
                raise ParaphrastError(f"cannot write pair {count}: {error}") from error
            for file, line in zip(files, lines, strict=True):
                file.write(f"{line}\n")
    return count


def open_outputs(stack: ExitStack, paths: Sequence[Path]) -> list[TextIO]:
    """Open files for atomic writing; they are closed with the stack."""
    if len(set(paths)) < len(paths):
        raise ParaphrastError(f"{paths[0]} is given twice as output. Name two files.")
    for path in paths:
        if path == STDIN:
            raise ParaphrastError("cannot write records to -. Name a file.")
        if path.suffix in PACKED:
            raise ParaphrastError(
                f"cannot write {path}: compressed files can only be read. Write "
                f"{unpacked_name(path)} and compress it afterwards."
            )
    return [stack.enter_context(atomic.writer(path)) for path in paths]


def check_line(text: str) -> str:
    """Return a text that can be written as a line, or raise `Malformed`."""
    if "\n" in text:
        raise Malformed("a text with a line break needs JSONL.")
    if text.endswith("\r"):
        raise Malformed("a text that ends in a carriage return needs JSONL.")
    if text.startswith("\ufeff"):
        raise Malformed("a text that begins with a byte order mark needs JSONL.")
    return text


def _records(paths: Sequence[Path], format: Format) -> Iterator[tuple[str, ...]]:
    for number, lines in enumerate(read_columns(paths), start=1):
        try:
            yield format.decode(lines)
        except Malformed as error:
            raise ParaphrastError(
                f"{paths[0]}:{number}: {error} Drop such lines with "
                "`paraphrast corpora clean`."
            ) from error


def _guess(paths: Sequence[Path]) -> Format:
    formats = _find_formats()
    if len(paths) == 2:
        return formats["parallel"]
    for format in formats.values():
        if paths and unpacked_name(paths[0]).endswith(format.suffixes):
            return format
    complaint = unknown("format of", str(paths[0]) if paths else "nothing", formats)
    raise ParaphrastError(f"{complaint} Name it with --format.")


@cache
def _find_formats() -> dict[str, Format]:
    return {
        name: registry.find("formats", name)() for name in registry.names("formats")
    }
