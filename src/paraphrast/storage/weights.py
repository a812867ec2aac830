"""Trained weights on disk: named arrays and settings, in the format of `arrays`.

NumPy archives, the format of the shipped judge's heads, are read as well.
"""

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage.arrays import Kind, read, read_archive, write

FORMAT = 1
AGAIN = "Re-download the model, or train it again."

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


def digest(kind: str, settings: Mapping[str, Any], arrays: Arrays) -> str:
    """Return the sha256 of a model: its kind, settings and every weight."""
    sha = hashlib.sha256(json.dumps([FORMAT, kind, settings], sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        sha.update(f"{name} {little.dtype.str} {little.shape}".encode())
        sha.update(little.tobytes())
    return sha.hexdigest()


def save(path: Path, kind: str, settings: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a model atomically."""
    write(path, Kind(kind, FORMAT, AGAIN), arrays, settings)


def load(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the settings and arrays of a model of this kind."""
    if zipfile.is_zipfile(path):
        return _load_archive(path, kind)
    arrays, settings = read(path, Kind(kind, FORMAT, AGAIN))
    return settings, arrays


def _load_archive(
    path: Path, kind: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a NumPy archive whose member ``about`` holds kind, settings and hash."""
    arrays = read_archive(path, AGAIN)
    try:
        about = json.loads(arrays.pop("about").tobytes())
        settings = dict(about["settings"])
        is_sound = about["sha256"] == digest(kind, settings, arrays)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_sound = False
    if not is_sound:
        raise ParaphrastError(f"{path} is not a {kind}, or is damaged. {AGAIN}")
    return settings, arrays


def single(array: NDArray[Any]) -> NDArray[np.float64]:
    """Round to single precision, the precision that weights are saved in."""
    return array.astype(np.float32).astype(np.float64)


def pack_texts(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return strings without newlines as one UTF-8 array."""
    joined = "".join(f"{text}\n" for text in texts)
    return np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)


def unpack_texts(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Return the strings packed by `pack_texts`."""
    joined = array.tobytes().decode("utf-8", "surrogatepass")
    return tuple(joined.split("\n")[:-1])
