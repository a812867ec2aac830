"""Read parallel files in blocks of whole lines, of about a megabyte each.

Blocks depend only on the files, so a run can be resumed after any of them, and any
number of processes sees the same blocks.
"""

import lzma
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from paraphrast.corpora.lines import MARK, cannot_read, open_bytes
from paraphrast.errors import ParaphrastError

SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Block:
    """The same number of lines of each file, and their end offsets in bytes."""

    columns: tuple[bytes, ...]
    ends: tuple[int, ...]


def read_blocks(
    paths: Sequence[Path], *, starts: Sequence[int] | None = None
) -> Iterator[Block]:
    """Yield blocks from the starts on; refuse files of unequal length."""
    ends = tuple(starts or [0] * len(paths))
    with ExitStack() as stack:
        files = [_File(path, stack, end) for path, end in zip(paths, ends, strict=True)]
        while True:
            first = files[0].block()
            count = first.count(b"\n") + (not first.endswith(b"\n") and first != b"")
            columns = (first, *(file.lines(count) for file in files[1:]))
            if not any(columns):
                return
            begins = ends
            ends = tuple(e + len(c) for e, c in zip(ends, columns, strict=True))
            if not any(begins):
                columns = tuple(column.removeprefix(MARK) for column in columns)
            yield Block(columns, ends)


class _File:
    """A file being read; its errors are `ParaphrastError`."""

    def __init__(self, path: Path, stack: ExitStack, start: int) -> None:
        self.path = path
        try:
            self.file = stack.enter_context(open_bytes(path))
            if start:
                self.file.seek(start)
        except OSError as error:
            raise cannot_read(path, error) from error

    def block(self) -> bytes:
        """Read about a megabyte, to the end of a line."""
        try:
            return self.file.read(SIZE) + self.file.readline()
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise cannot_read(self.path, error) from error

    def lines(self, count: int) -> bytes:
        """Read ``count`` lines, or one more than there should be at the end."""
        try:
            lines = list(islice(self.file, max(count, 1)))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise cannot_read(self.path, error) from error
        if len(lines) != count:
            raise ParaphrastError(
                f"{self.path}: has {'fewer' if count else 'more'} lines than the "
                "parallel file. Check that they belong together."
            )
        return b"".join(lines)
