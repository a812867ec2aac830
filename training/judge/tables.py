"""Tables of texts and labels for training, written on one machine, read on another."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.judges.training.examples import LONGEST, Table


class Tokenizer(Protocol):
    """Encodes text; ids are below 65,536."""

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's tokens."""


class Tables:
    """Collects tables and writes them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Start without tables."""
        self._tokenizer = tokenizer
        self._ids: dict[str, list[list[int]]] = {}
        self._labels: dict[str, list[float]] = {}
        self._widths: dict[str, int] = {}
        self._extra: dict[str, list[NDArray[Any]]] = {}

    def add(
        self,
        name: str,
        texts: Sequence[str],
        labels: Sequence[float],
        *,
        width: int = 1,
    ) -> None:
        """Add rows to a table."""
        if len(texts) != width * len(labels):
            raise ParaphrastError(
                f"table {name}: {len(texts)} texts and {len(labels)} labels. "
                f"Give {width} texts per label."
            )
        cut = [self._tokenizer.ids(text)[:LONGEST] for text in texts]
        self._ids.setdefault(name, []).extend(cut)
        self._labels.setdefault(name, []).extend(labels)
        self._widths[name] = width

    def attach(self, name: str, column: str, values: NDArray[Any]) -> None:
        """Add columns of figures, one row per row of the table."""
        self._extra.setdefault(f"{name}/{column}", []).append(values)

    def sizes(self) -> dict[str, int]:
        """Return the number of rows by table."""
        return {name: len(labels) for name, labels in self._labels.items()}

    def save(self, path: Path) -> None:
        """Write the tables as a NumPy archive."""
        arrays: dict[str, Any] = {}
        for name, texts in self._ids.items():
            flat = [number for text in texts for number in text]
            arrays[f"{name}/ids"] = np.array(flat, np.uint16)
            arrays[f"{name}/lengths"] = np.array([len(t) for t in texts], np.uint8)
            arrays[f"{name}/labels"] = np.array(self._labels[name], np.float32)
            arrays[f"{name}/width"] = np.array(self._widths[name], np.uint8)
        for name, result in self._extra.items():
            arrays[f"{name}"] = np.concatenate(result).astype(np.float32)
        np.savez_compressed(path, **arrays)


def write_tables(tables: Mapping[str, Table], path: Path) -> None:
    """Write tables of tokens, as `load` reads them."""
    arrays: dict[str, Any] = {}
    for name, table in tables.items():
        arrays[f"{name}/ids"] = np.concatenate(table.texts).astype(np.uint16)
        arrays[f"{name}/lengths"] = np.array([len(t) for t in table.texts], np.uint8)
        arrays[f"{name}/labels"] = table.labels
        arrays[f"{name}/width"] = np.array(table.width, np.uint8)
        arrays |= {f"{name}/{key}": values for key, values in table.extra.items()}
    np.savez_compressed(path, **arrays)


def load(path: Path) -> dict[str, Table]:
    """Read the tables that `Tables.save` wrote."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    parts = {"ids", "lengths", "labels", "width"}
    result = {}
    for name in sorted({key.partition("/")[0] for key in arrays}):
        ends = np.cumsum(arrays[f"{name}/lengths"].astype(np.int64))
        texts = np.split(arrays[f"{name}/ids"].astype(np.int64), ends[:-1])
        extra = {
            key.partition("/")[2]: array
            for key, array in arrays.items()
            if key.partition("/")[0] == name and key.partition("/")[2] not in parts
        }
        width = int(arrays[f"{name}/width"])
        result[name] = Table(texts, arrays[f"{name}/labels"], width, extra)
    return result


def load_several(paths: Sequence[Path]) -> dict[str, Table]:
    """Read the tables of several archives; the last one of a name is kept."""
    return {name: table for path in paths for name, table in load(path).items()}


def choose_rows(table: Table, count: int) -> Table:
    """Return a random sample of rows in their order; all if there are fewer."""
    if count >= len(table):
        return table
    rows = np.sort(np.random.default_rng(1).permutation(len(table))[:count])
    width = table.width
    texts = [
        table.texts[width * row + column] for row in rows for column in range(width)
    ]
    extra = {name: values[rows] for name, values in table.extra.items()}
    return Table(texts, table.labels[rows], width, extra)
