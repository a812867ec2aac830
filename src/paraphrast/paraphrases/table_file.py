"""A paraphrase table in one file, queried where it lies.

The file starts with the line ``paraphrast table 1`` (1 is the format's number) and a
line of JSON: what the table says of itself, and of each array its name, type, place
and length. The arrays follow, little-endian, each at a multiple of 64 bytes.
"""

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from paraphrast import atomic
from paraphrast.corpora.lines import cannot_read
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.strings import Strings
from paraphrast.paraphrases.table import Table

NAME, FORMAT = "paraphrast table", 1
ALIGNMENT = 64
LONGEST_LINE = 1 << 24
ARRAYS = {
    "word_text": "<u1",
    "word_starts": "<u4",
    "context_text": "<u1",
    "context_starts": "<u4",
    "starts": "<u4",
    "tokens": "<u4",
    "rows": "<u4",
    "paraphrases": "<u4",
    "probabilities": "<f4",
    "context_numbers": "<u4",
}


def write(table: Table, path: Path) -> None:
    """Write a table; the file appears whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {
        "word_text": table.words.text,
        "word_starts": table.words.starts,
        "context_text": table.contexts.text,
        "context_starts": table.contexts.starts,
    }
    for name in ARRAYS.keys() - arrays.keys():
        arrays[name] = getattr(table, name)
    if len(table.contexts) == 1:  # then the numbers are all 0, and need no place
        arrays["context_numbers"] = arrays["context_numbers"][:0]
    lengths = {name: len(arrays[name]) for name in ARRAYS}
    header = json.dumps({"about": dict(table.about), "lengths": lengths})
    with atomic.bytes_writer(path) as file:
        file.write(f"{NAME} {FORMAT}\n{header}\n".encode())
        for name, kind in ARRAYS.items():
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            arrays[name].astype(kind, copy=False).tofile(file)


def read(path: Path) -> Table:
    """Open a table that `write` wrote; its arrays are mapped, not read."""
    try:
        with path.open("rb") as file:
            about, lengths = _header(file, path)
            arrays = _mapped(path, file.tell(), lengths)
    except OSError as error:
        raise cannot_read(path, error) from error
    if not len(arrays["context_numbers"]):
        arrays["context_numbers"] = np.broadcast_to(
            np.uint32(0), arrays["paraphrases"].shape
        )
    words = Strings(arrays.pop("word_text"), arrays.pop("word_starts"))
    contexts = Strings(arrays.pop("context_text"), arrays.pop("context_starts"))
    return Table(words, contexts, **arrays, about=about)


def _header(file: BinaryIO, path: Path) -> tuple[dict[str, object], dict[str, int]]:
    first = file.readline(len(NAME) + 20)
    name, _, number = first.decode("utf-8", "replace").rstrip("\n").rpartition(" ")
    if name != NAME:
        raise ParaphrastError(
            f"{path} is not a paraphrase table. Make one with "
            "`paraphrast paraphrases extract`."
        )
    if number != str(FORMAT):
        raise ParaphrastError(
            f"{path} has table format {number}, but this version reads {FORMAT}. "
            "Extract it again, or use the version of paraphrast that made it."
        )
    try:
        header = json.loads(file.readline(LONGEST_LINE))
        lengths = {name: int(header["lengths"][name]) for name in ARRAYS}
        return header["about"], lengths
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path) from error


def _mapped(path: Path, place: int, lengths: dict[str, int]) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    size = path.stat().st_size
    for name, kind in ARRAYS.items():
        place += -place % ALIGNMENT
        end = place + lengths[name] * np.dtype(kind).itemsize
        if lengths[name] < 0 or end > size:
            raise _damaged(path)
        if lengths[name]:
            mapped = np.memmap(path, kind, "r", place, (lengths[name],))
            # As a plain array: memmap makes every slice slow.
            arrays[name] = np.asarray(mapped)
        else:
            arrays[name] = np.zeros(0, kind)
        place = end
    if place != size:
        raise _damaged(path)
    return arrays


def _damaged(path: Path) -> ParaphrastError:
    return ParaphrastError(f"{path} is damaged or cut short. Copy or extract it again.")
