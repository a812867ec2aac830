"""Write cells as ``i-j`` and words as text, and read them back."""

import re
from collections.abc import Iterable

from paraphrast.align.base import AlignedPair
from paraphrast.align.links import Cell
from paraphrast.errors import ParaphrastError

CELL = re.compile(r"(\d+)-(\d+)", flags=re.ASCII)


def read_cells(text: str, where: str) -> list[Cell]:
    """Read ``i-j`` cells separated by spaces."""
    cells = []
    for item in text.split():
        match = CELL.fullmatch(item)
        if match is None:
            raise ParaphrastError(f"{where}: {item!r} is not a link such as 0-1.")
        cells.append((int(match[1]), int(match[2])))
    return cells


def write_cells(cells: Iterable[Cell]) -> str:
    """Write cells in order."""
    return " ".join(f"{i}-{j}" for i, j in sorted(cells))


def write_words(pair: AlignedPair, number: int) -> tuple[str, str]:
    """Join each side's words by spaces; a word with a space inside is refused."""
    for word in (*pair.source, *pair.target):
        if word.split() != [word]:
            raise ParaphrastError(
                f"pair {number}: the word {word!r} is empty or has a space. Write "
                "jsonl, which allows that."
            )
    return " ".join(pair.source), " ".join(pair.target)
