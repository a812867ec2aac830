"""Sorted strings in two arrays, found by binary search without reading them all.

The strings are in the order of their code points, which UTF-8 keeps, so that a file
can be searched where it lies (`numpy.memmap`) and nothing is decoded but the answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Strings:
    """Distinct strings in order: string i is ``text[starts[i]:starts[i + 1]]``."""

    text: NDArray[np.uint8]
    starts: NDArray[np.uint32]

    def __len__(self) -> int:
        """Return how many strings there are."""
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> str:
        """Return one string."""
        return self._encoded(index).decode("utf-8")

    def find(self, string: str) -> int | None:
        """Return the index of a string, or nothing."""
        wanted = string.encode("utf-8")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._encoded(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._encoded(low) == wanted else None

    def all(self) -> list[str]:
        """Return all strings in order."""
        whole, starts = self.text.tobytes(), self.starts.tolist()
        return [
            whole[start:end].decode("utf-8")
            for start, end in zip(starts, starts[1:], strict=False)
        ]

    def _encoded(self, index: int) -> bytes:
        return self.text[self.starts[index] : self.starts[index + 1]].tobytes()


def strings(ordered: Iterable[str]) -> Strings:
    """Pack strings that are distinct and in order."""
    encoded = [string.encode("utf-8") for string in ordered]
    starts = np.zeros(len(encoded) + 1, np.uint32)
    np.cumsum([len(string) for string in encoded], out=starts[1:])
    return Strings(np.frombuffer(b"".join(encoded), np.uint8), starts)
