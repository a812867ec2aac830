"""Sentences or phrases as word ids, concatenated in one array."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.strings import Strings

Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Runs:
    """Run i is ``words[starts[i]:starts[i + 1]]``."""

    starts: NDArray[Any]
    words: NDArray[Any]

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> list[int]:
        """Return the word ids of one run."""
        start, end = self.starts[index], self.starts[index + 1]
        run: list[int] = self.words[start:end].tolist()
        return run

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the word ids of each run."""
        return map(self.__getitem__, range(len(self)))

    def lengths(self) -> Integers:
        """Return the number of words of each run."""
        return lengths_of(self.starts)

    def take(self, chosen: NDArray[Any]) -> "Runs":
        """Return the runs with these indices, in this order."""
        lengths = self.lengths()[chosen]
        starts = starts_of(lengths)
        shift = np.repeat(self.starts[chosen].astype(np.int64) - starts[:-1], lengths)
        return Runs(starts, self.words[np.arange(starts[-1]) + shift])

    def find(self, words: Sequence[str], vocabulary: Strings) -> int | None:
        """Return the index of a run, or None; the runs must be sorted."""
        numbers = [vocabulary.find(word) for word in words]
        wanted = [number for number in numbers if number is not None]
        if not words or len(wanted) < len(words):
            return None
        index = bisect_left(self, wanted)
        return index if index < len(self) and self[index] == wanted else None


def starts_of(lengths: Iterable[int] | NDArray[Any]) -> Integers:
    """Return the start offsets of runs of these lengths, and the end of the last."""
    sizes = lengths if isinstance(lengths, np.ndarray) else list(lengths)
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def lengths_of(starts: NDArray[Any]) -> Integers:
    """Return the lengths of the runs that start at these offsets."""
    wide = starts.astype(np.int64)
    return wide[1:] - wide[:-1]
