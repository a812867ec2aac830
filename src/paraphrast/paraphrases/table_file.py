"""A paraphrase table in one file, queried in place (`paraphrast.storage.arrays`)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.table import Table
from paraphrast.storage import arrays as array_file
from paraphrast.text.strings import Strings

KIND = array_file.Kind(
    "paraphrase table", 2, "Make one with `paraphrast paraphrases extract`."
)
OWN = (
    "starts",
    "tokens",
    "rows",
    "paraphrases",
    "probabilities",
    "context_numbers",
)


def write(table: Table, path: Path) -> None:
    """Write a table; the file appears whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {
        "word_text": table.words.text,
        "word_starts": table.words.starts,
        "context_text": table.contexts.text,
        "context_starts": table.contexts.starts,
        **{name: getattr(table, name) for name in OWN},
    }
    if len(table.contexts) == 1:  # then all ids are 0 and need no space
        arrays["context_numbers"] = arrays["context_numbers"][:0]
    array_file.write(path, KIND, arrays, table.about)


def read(path: Path) -> Table:
    """Open a table that `write` wrote; its arrays are mapped, not read."""
    arrays, about = array_file.read(path, KIND)
    try:
        words = Strings(arrays["word_text"], arrays["word_starts"])
        contexts = Strings(arrays["context_text"], arrays["context_starts"])
        own = {name: arrays[name] for name in OWN}
    except KeyError as error:
        raise ParaphrastError(f"{path} has no {error}. {KIND.again}") from error
    if not len(own["context_numbers"]):
        own["context_numbers"] = np.broadcast_to(np.uint32(0), own["paraphrases"].shape)
    return Table(words, contexts, **own, about=about)
