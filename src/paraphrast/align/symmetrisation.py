"""Merge two directional alignments into one (Koehn, Och and Marcu 2003).

``forward`` links each target word to at most one source word, ``backward`` each source
word to at most one target word; both are cells (source, target). By name:

intersection    what both directions say
union           what either says
grow-diag       the intersection, grown step by step to neighbouring cells of the union
                (diagonal ones too) where a word is not linked yet
grow-diag-final         then every cell of forward, and of backward, where one of the
                        two words is not linked yet
grow-diag-final-and     the same where neither is

Cells are looked at in the order of their source words, then target words.
"""

from collections.abc import Callable, Iterable
from functools import partial

from paraphrast.align.links import Cell, Cells
from paraphrast.errors import unknown

NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrise(forward: Iterable[Cell], backward: Iterable[Cell], method: str) -> Cells:
    """Merge two directional alignments by the method of that name."""
    if method not in METHODS:
        raise unknown("symmetrisation", method, METHODS)
    return METHODS[method](frozenset(forward), frozenset(backward))


class _Growing:
    """Cells that are added one by one, and the words they link."""

    def __init__(self, cells: Cells) -> None:
        self.cells = set(cells)
        self.sources = {i for i, _ in cells}
        self.targets = {j for _, j in cells}

    def add(self, cell: Cell) -> None:
        self.cells.add(cell)
        self.sources.add(cell[0])
        self.targets.add(cell[1])

    def links_both(self, cell: Cell) -> bool:
        return cell[0] in self.sources and cell[1] in self.targets

    def links_either(self, cell: Cell) -> bool:
        return cell[0] in self.sources or cell[1] in self.targets


def _grow_diag(forward: Cells, backward: Cells) -> _Growing:
    union = forward | backward
    growing = _Growing(forward & backward)
    grown = True
    while grown:
        grown = False
        # Going through the union in order meets new cells in the same round, as
        # going through the whole grid would.
        for i, j in sorted(union):
            if (i, j) not in growing.cells:
                continue
            for down, right in NEIGHBOURS:
                cell = (i + down, j + right)
                if cell in union and not growing.links_both(cell):
                    growing.add(cell)
                    grown = True
    return growing


def _grow_diag_final(forward: Cells, backward: Cells, *, both: bool) -> Cells:
    """Add cells where a word is not linked yet; with ``both``, where neither is."""
    growing = _grow_diag(forward, backward)
    is_linked = growing.links_either if both else growing.links_both
    for direction in (forward, backward):
        for cell in sorted(direction):
            if not is_linked(cell):
                growing.add(cell)
    return frozenset(growing.cells)


METHODS: dict[str, Callable[[Cells, Cells], Cells]] = {
    "intersection": lambda forward, backward: forward & backward,
    "union": lambda forward, backward: forward | backward,
    "grow-diag": lambda forward, backward: frozenset(
        _grow_diag(forward, backward).cells
    ),
    "grow-diag-final": partial(_grow_diag_final, both=False),
    "grow-diag-final-and": partial(_grow_diag_final, both=True),
}
