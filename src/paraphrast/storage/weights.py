"""Trained weights on disk: named arrays and settings, never pickled objects.

A file is a NumPy archive whose member ``about`` holds JSON: the format's number,
the kind of model, its settings and the hash of all of it. Loading checks the three,
so a damaged file or one of a later version is refused, and says so.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic
from paraphrast.storage.arrays import read_archive

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
    """Write a model whole or not at all."""
    about = {
        "format": FORMAT,
        "kind": kind,
        "settings": dict(settings),
        "sha256": digest(kind, settings, arrays),
    }
    text = np.frombuffer(json.dumps(about, sort_keys=True).encode(), np.uint8)
    with atomic.bytes_writer(path) as file:
        members: dict[str, Any] = {"about": text, **arrays}
        np.savez_compressed(file, **members)


def load(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the settings and arrays of a model of this kind."""
    arrays = read_archive(path, AGAIN)
    try:
        about = json.loads(arrays.pop("about").tobytes())
        _ = about["format"], about["kind"], about["sha256"], dict(about["settings"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ParaphrastError(f"{path}: not a model of paraphrast. {AGAIN}") from error
    if about["format"] != FORMAT:
        raise ParaphrastError(
            f"{path}: model format {about['format']}, but this version of "
            f"paraphrast reads {FORMAT}. Train the model again, or upgrade."
        )
    if about["kind"] != kind:
        raise ParaphrastError(f"{path}: a {about['kind']!r}, not a {kind!r}.")
    if about["sha256"] != digest(kind, about["settings"], arrays):
        raise ParaphrastError(f"{path}: damaged, its hash does not match. {AGAIN}")
    return about["settings"], arrays


def single(array: NDArray[Any]) -> NDArray[np.float64]:
    """Round to single precision, the precision that weights are saved in."""
    return array.astype(np.float32).astype(np.float64)


def pack_texts(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return strings without newlines as one array of UTF-8."""
    joined = "".join(f"{text}\n" for text in texts)
    return np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)


def unpack_texts(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Return the strings that `packed` packed."""
    joined = array.tobytes().decode("utf-8", "surrogatepass")
    return tuple(joined.split("\n")[:-1])
