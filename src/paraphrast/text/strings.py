"""Sorted strings in two arrays, found by binary search without reading them all.

The strings are in the order of their code points, which UTF-8 preserves, so that a file
can be searched in place (`numpy.memmap`) and only the result is decoded.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError


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
        return _decode(self._read_bytes(index))

    def find(self, string: str) -> int | None:
        """Return the index of a string, or None."""
        wanted = string.encode("utf-8", "surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._read_bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._read_bytes(low) == wanted else None

    def all(self) -> list[str]:
        """Return all strings in order."""
        whole, starts = self.text.tobytes(), self.starts.tolist()
        return [
            _decode(whole[start:end])
            for start, end in zip(starts, starts[1:], strict=False)
        ]

    def _read_bytes(self, index: int) -> bytes:
        return self.text[self.starts[index] : self.starts[index + 1]].tobytes()


def _decode(encoded: bytes) -> str:
    try:
        return encoded.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParaphrastError(
            f"the word {encoded[:40]!r} is not UTF-8: the file is damaged. "
            "Re-download it, or create it again."
        ) from error


def strings(ordered: Iterable[str]) -> Strings:
    """Pack strings that are distinct and sorted."""
    try:
        encoded = [string.encode("utf-8") for string in ordered]
    except UnicodeEncodeError as error:
        raise ParaphrastError(
            f"the word {error.object!r} is not UTF-8. Save the file as UTF-8."
        ) from error
    starts = np.zeros(len(encoded) + 1, np.uint32)
    np.cumsum([len(string) for string in encoded], out=starts[1:])
    return Strings(np.frombuffer(b"".join(encoded), np.uint8), starts)
