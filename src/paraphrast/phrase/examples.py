"""The sentence pairs that a pack was trained on, to show where a phrase comes from.

The texts are stored consecutively in one array: source 0, target 0, source 1, and so
on, in the order of the indices in a phrase table's ``examples``. They are tokenised and
in lower case, as in training.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.storage import arrays as array_file
from paraphrast.text.strings import Strings, strings

KIND = array_file.Kind("training pairs", 1, "Train the pack again.")
LARGEST = np.iinfo(np.uint32).max
WIDTH = 60  # letters of an example that are shown

WordPair: TypeAlias = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True, eq=False)
class Examples:
    """Training pairs; pair i is texts 2 i and 2 i + 1, which are not sorted."""

    texts: Strings

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.texts) // 2

    def pair(self, number: int) -> tuple[str, str]:
        """Return the texts of a pair."""
        if not 0 <= number < len(self):
            raise IndexError(f"pair {number} of {len(self)}")
        return self.texts[2 * number], self.texts[2 * number + 1]

    def save(self, path: Path) -> None:
        """Write the pairs; the file appears whole or not at all."""
        arrays: array_file.Arrays = {
            "text": self.texts.text,
            "starts": self.texts.starts,
        }
        array_file.write(path, KIND, arrays, {})

    @classmethod
    def open(cls, path: Path) -> "Examples":
        """Open saved pairs; they are mapped, not read."""
        arrays, _ = array_file.read(path, KIND)
        text = arrays.get("text", np.zeros(0))
        starts = arrays.get("starts", np.zeros(0))
        if text.dtype != np.uint8 or starts.dtype != np.uint32 or len(starts) % 2 == 0:
            raise ParaphrastError(f"{path} is damaged. {KIND.again}")
        return cls(Strings(text, starts))


def pack_examples(pairs: Iterable[WordPair]) -> Examples:
    """Pack tokenised pairs."""
    texts = [" ".join(words) for words in chain.from_iterable(pairs)]
    if sum(len(text.encode()) for text in texts) > LARGEST:
        raise ParaphrastError(
            "there are more letters than a pack can keep. Train on fewer pairs."
        )
    return Examples(strings(texts))


def excerpt(text: str, phrase: str) -> str:
    """Return the part of an example's side that shows a phrase."""
    if len(text) <= WIDTH:
        return text
    middle = max(f" {text} ".find(f" {phrase} "), 0) + len(phrase) // 2
    start = min(max(middle - WIDTH // 2, 0), len(text) - WIDTH)
    part = text[start : start + WIDTH]
    return f"{'…' if start else ''}{part}{'…' if start + WIDTH < len(text) else ''}"
