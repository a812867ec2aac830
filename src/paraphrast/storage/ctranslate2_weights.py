"""Read and write ``model.bin``, the file in which CTranslate2 keeps a model's weights.

A file (version 6) has a header, named arrays, and aliases: names that stand for another
array. In 8 bits a weight has one scale per row beside it: the row divided by the scale
is the weight. What is read and written again is the same byte for byte, so that a model
can be changed in some of its weights and left alone in all others.
"""

import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from paraphrast.errors import ParaphrastError

VERSION = 6
# In the order of CTranslate2's own numbers; bfloat16, the last, numpy does not have.
TYPES = ("float32", "int8", "int16", "int32", "float16")
SCALE = "_scale"
LARGEST = 127.0
BROKEN = (OSError, struct.error, LookupError, ValueError)


@dataclass(frozen=True)
class Weights:
    """The arrays of a model by name; ``aliases`` map other names to these."""

    kind: str
    revision: int
    arrays: Mapping[str, Any]
    aliases: Mapping[str, str]

    def dense(self, name: str) -> Any:
        """Return a weight in 32 bits: (rows, columns), or of fewer dimensions."""
        name = self.aliases.get(name, name)
        values = self.arrays[name]
        scale = self.arrays.get(f"{name}{SCALE}")
        if scale is None:
            return values.astype(np.float32)
        return values.astype(np.float32) / scale[:, None]

    def replace_values(self, changed: Mapping[str, Any]) -> "Weights":
        """Return the weights with other values; in 8 bits where they were before."""
        arrays = dict(self.arrays)
        for name, value in changed.items():
            scale = f"{name}{SCALE}"
            if scale in arrays:
                arrays[name], arrays[scale] = in_8_bits(value)
            else:
                arrays[name] = value.astype(arrays[name].dtype)
        return Weights(self.kind, self.revision, arrays, self.aliases)


def in_8_bits(value: Any) -> tuple[Any, Any]:
    """Return a matrix in 8 bits and its scales, one per row, as CTranslate2 does."""
    largest = np.abs(value).max(axis=1)
    largest = np.where(largest == 0, LARGEST, largest)
    scale = (LARGEST / largest).astype(np.float32)
    return np.rint(value * scale[:, None]).astype(np.int8), scale


def read(path: Path) -> Weights:
    """Read a file of weights."""
    try:
        with path.open("rb") as file:
            return _read(file, shapes_alone=False)
    except BROKEN as error:
        raise _unreadable(path, error) from error


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array, aliases included, without reading the arrays."""
    try:
        with path.open("rb") as file:
            weights = _read(file, shapes_alone=True)
        return {**weights.arrays} | {
            alias: weights.arrays[name] for alias, name in weights.aliases.items()
        }
    except BROKEN as error:
        raise _unreadable(path, error) from error


def write(weights: Weights, path: Path) -> None:
    """Write a file of weights."""
    with path.open("wb") as file:
        file.write(struct.pack("<I", VERSION))
        _write_text(file, weights.kind)
        file.write(struct.pack("<II", weights.revision, len(weights.arrays)))
        for name, value in weights.arrays.items():
            _write_text(file, name)
            file.write(struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape))
            number = TYPES.index(value.dtype.name)
            file.write(struct.pack("<BI", number, value.nbytes))
            file.write(value.tobytes())
        file.write(struct.pack("<I", len(weights.aliases)))
        for alias, name in weights.aliases.items():
            _write_text(file, alias)
            _write_text(file, name)


def _unreadable(path: Path, error: Exception) -> ParaphrastError:
    return ParaphrastError(
        f"cannot read {path}: {error}. It is damaged, or from another version of "
        "CTranslate2. Re-download the pack."
    )


def _read(file: BinaryIO, *, shapes_alone: bool) -> Weights:
    """Return the weights, or with the shape of each array in its place."""
    (version,) = _unpack(file, "I")
    if version != VERSION:
        raise ValueError(f"version {version}, not {VERSION}")
    kind = _read_text(file)
    revision, number = _unpack(file, "II")
    arrays: dict[str, Any] = {}
    for _ in range(number):
        name, shape, type_name, size = _read_header(file)
        if shapes_alone:
            file.seek(size, os.SEEK_CUR)
            arrays[name] = shape
        else:
            arrays[name] = np.frombuffer(file.read(size), type_name).reshape(shape)
    (number,) = _unpack(file, "I")
    aliases = {_read_text(file): _read_text(file) for _ in range(number)}
    return Weights(kind, revision, arrays, aliases)


def _read_header(file: BinaryIO) -> tuple[str, tuple[int, ...], str, int]:
    name = _read_text(file)
    (dimensions,) = _unpack(file, "B")
    shape = _unpack(file, f"{dimensions}I")
    number, size = _unpack(file, "BI")
    if size != math.prod(shape) * np.dtype(TYPES[number]).itemsize:
        raise ValueError(f"{name} does not fill its shape")
    return name, shape, TYPES[number], size


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))


def _read_text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "H")
    return file.read(length)[:-1].decode("utf-8")


def _write_text(file: BinaryIO, text: str) -> None:
    content = text.encode("utf-8")
    file.write(struct.pack("<H", len(content) + 1) + content + b"\0")
