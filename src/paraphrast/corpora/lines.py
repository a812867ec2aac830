"""Read the lines of files; the rest of the package reads no lines itself.

Only ``"\\n"`` ends a line: ``str.splitlines`` would also cut at U+2028, form feeds and
the like, and everything after such a character would be misaligned. A final ``"\\r"``
of a Windows file and a byte order mark at the start are dropped. Files that end in .gz,
.bz2, .xz or .zst are decompressed, ``-`` is standard input, and no file is read into
memory whole. Every problem with a file is a `ParaphrastError`.
"""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from io import BufferedIOBase, BufferedReader, RawIOBase
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

from paraphrast.errors import ParaphrastError
from paraphrast.extras import require

STDIN = Path("-")
PACKED = (".gz", ".bz2", ".xz", ".zst")

MARK = b"\xef\xbb\xbf"
_PACKED_BYTES = 1 << 16  # read from a packed file at once


def read_raw_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, without their ends."""
    try:
        with open_bytes(path) as file:
            for number, line in enumerate(file):
                if number == 0:
                    line = line.removeprefix(MARK)
                yield line.removesuffix(b"\n").removesuffix(b"\r")
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise cannot_read(path, error) from error


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file; the first that is not UTF-8 is refused."""
    for number, line in enumerate(read_raw_lines(path), start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ParaphrastError(
                f"{path}:{number}: not valid UTF-8 (byte 0x{line[error.start]:02x} at "
                f"column {error.start + 1}). Convert the file, or drop such lines "
                "with `paraphrast corpora clean`."
            ) from error


def read_texts(path: Path) -> Iterator[str]:
    """Yield the texts of a style file: its non-blank lines."""
    return (line for line in read_lines(path) if line.strip())


def read_columns(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """Yield one tuple per line of files that are parallel line by line.

    Files of unequal length are refused with all their lengths, at the line where
    the shortest ends.
    """
    return zip_lines(paths, [read_lines(path) for path in paths])


def zip_lines(
    paths: Sequence[Path], streams: Sequence[Iterator[Any]]
) -> Iterator[tuple[Any, ...]]:
    """Yield tuples from streams that must be equally long; ``paths`` name them."""
    if list(paths).count(STDIN) > 1:
        raise ParaphrastError("standard input (-) can be given only once.")
    for count, row in enumerate(zip_longest(*streams)):
        if None in row:
            lengths = [
                count + (item is not None) + sum(1 for _ in rest)
                for item, rest in zip(row, streams, strict=True)
            ]
            listed = ", ".join(
                f"{path} has {length:,}"
                for path, length in zip(paths, lengths, strict=True)
            )
            raise ParaphrastError(
                f"files must have equally many lines, but {listed}. "
                "Check that they belong together."
            )
        yield row


def unpacked_name(path: Path) -> str:
    """Return a file's name without the ending of its compression."""
    return path.stem if path.suffix in PACKED else path.name


def cannot_read(path: Path, error: Exception) -> ParaphrastError:
    """Return the error for a path that cannot be read."""
    reason = getattr(error, "strerror", None) or str(error)
    return ParaphrastError(f"cannot read {path}: {reason.rstrip('.')}.")


def open_bytes(path: Path) -> AbstractContextManager[BinaryIO | BufferedIOBase]:
    """Open a file for reading its decompressed bytes; errors are left to the caller."""
    if path == STDIN:
        return nullcontext(sys.stdin.buffer)
    if path.suffix == ".gz":
        return gzip.open(path)
    if path.suffix == ".bz2":
        return bz2.open(path)
    if path.suffix == ".xz":
        return lzma.open(path)
    if path.suffix == ".zst":
        return BufferedReader(_Zstandard(path))
    return path.open("rb")


class _Zstandard(RawIOBase):
    """The bytes of a file compressed with Zstandard; its errors are OSErrors."""

    def __init__(self, path: Path) -> None:
        zstandard = require("zstandard")
        self._error = zstandard.ZstdError
        self._file = path.open("rb")
        self._unpack = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._unpack()
        self._inside = False  # a frame has begun and not ended
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and self._fill():
            pass
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def close(self) -> None:
        self._file.close()
        super().close()

    def _fill(self) -> bool:
        """Decompress some more; return False at the end of the file."""
        packed = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame, self._inside = self._unpack(), False
        packed = packed or self._file.read(_PACKED_BYTES)
        if not packed:
            if self._inside:
                raise EOFError("the file ends in the middle of a frame")
            return False
        try:
            self._ready = self._frame.decompress(packed)
        except self._error as error:
            raise OSError(f"not Zstandard, or damaged ({error})") from error
        self._inside = not self._frame.eof
        return True
