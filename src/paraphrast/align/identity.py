"""The baseline: link identical words, and nothing else.

Case is ignored. Each word is linked once at most; where a word is repeated, the pair
in the longest common run of words is linked first, then the nearest by relative
position.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.align.base import (
    SAVED,
    AlignedPair,
    Link,
    WordPair,
    read_settings,
    seal,
)
from paraphrast.align.links import Cell, links_of
from paraphrast.storage import sealed_folder

NAME = "identity"


@dataclass(frozen=True)
class IdentityAligner:
    """Links identical words."""

    def __call__(self, pairs: Sequence[WordPair]) -> list[tuple[Link, ...]]:
        """Return the links of each pair."""
        return [links_of(_choose_links(source, target)) for source, target in pairs]

    def save(self, folder: Path) -> None:
        """Write a folder with a manifest only."""
        with sealed_folder.new(folder, SAVED) as filling:
            seal(filling, NAME, {})


@dataclass(frozen=True)
class Identity:
    """The family, which needs no training."""

    summary: str = "identical words only; a baseline that needs no training"

    def train(self, pairs: Sequence[AlignedPair]) -> IdentityAligner:
        """Return the aligner; the pairs are ignored."""
        return IdentityAligner()

    def load(self, folder: Path | None) -> IdentityAligner:
        """Return the aligner."""
        if folder is not None:
            read_settings(folder, NAME)
        return IdentityAligner()


def _choose_links(source: Sequence[str], target: Sequence[str]) -> list[Cell]:
    positions = defaultdict(list)
    for j, word in enumerate(target):
        positions[word.lower()].append(j)
    runs = _runs([(i, j) for i, w in enumerate(source) for j in positions[w.lower()]])

    def rank(cell: Cell) -> tuple[int, float, Cell]:
        i, j = cell
        return -runs[cell], abs(i * len(target) - j * len(source)), cell

    chosen, sources, targets = [], set(), set()
    for i, j in sorted(runs, key=rank):
        if i not in sources and j not in targets:
            chosen.append((i, j))
            sources.add(i)
            targets.add(j)
    return chosen


def _runs(cells: Sequence[Cell]) -> dict[Cell, int]:
    """Return the length of the diagonal run that each cell is in; cells are sorted."""
    first: dict[Cell, Cell] = {}
    lengths: dict[Cell, int] = defaultdict(int)
    for i, j in cells:
        first[i, j] = first.get((i - 1, j - 1), (i, j))
        lengths[first[i, j]] += 1
    return {cell: lengths[start] for cell, start in first.items()}


family = Identity()
