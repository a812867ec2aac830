"""Named arrays in one file.

`write` and `read` are for large, memory-mapped arrays. Such a file starts with the line
``paraphrast KIND FORMAT`` and a line of JSON: metadata, the checksum of the rest, and
the name, type and shape of each array. The arrays follow, little-endian, each at a
multiple of 64 bytes. Reading maps them, so that opening takes milliseconds and memory
is shared among processes; the checksum detects a truncated, changed or swapped file
before compiled code reads it. `read_archive` reads small arrays from a NumPy archive.
"""

import json
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

ALIGNMENT = 64
CHUNK = 1 << 20
LONGEST_LINE = 1 << 24

Arrays: TypeAlias = dict[str, NDArray[Any]]
# What NumPy raises for a file that is not an archive of arrays.
_BROKEN = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    EOFError,
    SyntaxError,
    RecursionError,
    MemoryError,
    tokenize.TokenError,
    zlib.error,
    zipfile.BadZipFile,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: ``name`` as in "phrase table", and how to recreate one."""

    name: str
    format: int
    again: str


def write(
    path: Path,
    kind: Kind,
    arrays: Mapping[str, NDArray[Any]],
    about: Mapping[str, object],
) -> None:
    """Write the arrays atomically."""
    little = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    header = {
        "about": dict(about),
        "checksum": _checksum_of(little),
        "arrays": {name: [a.dtype.str, list(a.shape)] for name, a in little.items()},
    }
    with atomic.bytes_writer(path) as file:
        file.write(f"paraphrast {kind.name} {kind.format}\n".encode())
        file.write(f"{json.dumps(header)}\n".encode())
        for array in little.values():
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            array.tofile(file)


def read(path: Path, kind: Kind) -> tuple[Arrays, dict[str, Any]]:
    """Return the memory-mapped arrays of a file, and its metadata."""
    try:
        with path.open("rb") as file:
            header = _header(file, path, kind)
            ranges = _ranges(file.tell(), header, path, kind)
            if _checksum(file, ranges) != header["checksum"]:
                raise _damaged(path, kind)
            return _map_arrays(file, header, ranges), header["about"]
    except OSError as error:
        raise ParaphrastError(
            f"cannot read {path}: {error.strerror or error}. {kind.again}"
        ) from error


def read_archive(path: Path, again: str) -> Arrays:
    """Return the arrays of a NumPy archive; ``again`` is advice for a damaged one."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except _BROKEN as error:
        line = str(error).partition("\n")[0]
        raise ParaphrastError(f"cannot read {path}: {line}. {again}") from error


def _header(file: BinaryIO, path: Path, kind: Kind) -> dict[str, Any]:
    first = file.readline(len(kind.name) + 40).decode("utf-8", "replace")
    name, _, number = first.rstrip("\n").rpartition(" ")
    if name != f"paraphrast {kind.name}":
        raise ParaphrastError(f"{path} is not a {kind.name}. {kind.again}")
    if number != str(kind.format):
        raise ParaphrastError(
            f"{path} has {kind.name} format {number}, but this version reads "
            f"{kind.format}. {kind.again}"
        )
    try:
        header = json.loads(file.readline(LONGEST_LINE))
        _ = header["about"], header["checksum"], header["arrays"].items()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(path, kind) from error
    return dict(header)


def _ranges(
    start: int, header: Mapping[str, Any], path: Path, kind: Kind
) -> dict[str, tuple[int, int]]:
    """Return where each array starts and ends; together they fill the file."""
    ranges = {}
    try:
        for name, (dtype, shape) in header["arrays"].items():
            start += -start % ALIGNMENT
            end = start + _size(np.dtype(dtype), shape)
            ranges[name] = (start, end)
            start = end
    except (ValueError, TypeError, OverflowError) as error:
        raise _damaged(path, kind) from error
    if start != path.stat().st_size:
        raise _damaged(path, kind)
    return ranges


def _size(dtype: np.dtype[Any], shape: list[int]) -> int:
    if dtype.kind not in "uif" or not isinstance(shape, list):
        raise ValueError("not an array of numbers")
    if any(type(length) is not int or length < 0 for length in shape):
        raise ValueError("not a shape")
    return math.prod([dtype.itemsize, *shape])


def _map_arrays(
    file: BinaryIO, header: Mapping[str, Any], ranges: Mapping[str, tuple[int, int]]
) -> Arrays:
    arrays: Arrays = {}
    for name, (dtype, shape) in header["arrays"].items():
        start, end = ranges[name]
        if end > start:
            mapped = np.memmap(file, dtype, "r", start, tuple(shape))
            # As a plain array: memmap makes every slice slow.
            arrays[name] = np.asarray(mapped)
        else:
            arrays[name] = np.zeros(shape, dtype)
    return arrays


def _checksum_of(arrays: Arrays) -> int:
    checksum = 0
    for array in arrays.values():
        checksum = zlib.crc32(array.reshape(-1).view(np.uint8).data, checksum)
    return checksum


def _checksum(file: BinaryIO, ranges: Mapping[str, tuple[int, int]]) -> int:
    # Read, not mapped: pages that were only checked do not count as ours.
    checksum = 0
    for start, end in ranges.values():
        file.seek(start)
        while start < end:
            chunk = file.read(min(CHUNK, end - start))
            if not chunk:
                return -1
            checksum = zlib.crc32(chunk, checksum)
            start += len(chunk)
    return checksum


def _damaged(path: Path, kind: Kind) -> ParaphrastError:
    return ParaphrastError(f"{path} is damaged or truncated. {kind.again}")
