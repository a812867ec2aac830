"""Views of an alignment's links, and the check that they fit their sentences.

A cell (i, j) is a link without its probability and its label. COHN08 calls the sure
cells S and the possible ones P, where every sure cell is also possible.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from paraphrast.align.base import AlignedPair, Link
from paraphrast.corpora.loaders.alignments import LinkedPair
from paraphrast.errors import ParaphrastError

Cell: TypeAlias = tuple[int, int]
Cells: TypeAlias = frozenset[Cell]


def sure_cells(links: Iterable[Link]) -> Cells:
    """Return S, the cells of the sure links alone."""
    return frozenset((link.source, link.target) for link in links if link.sure)


def possible_cells(links: Iterable[Link]) -> Cells:
    """Return P, the cells of all links, sure or possible."""
    return frozenset((link.source, link.target) for link in links)


def links_of(sure: Iterable[Cell], possible: Iterable[Cell] = ()) -> tuple[Link, ...]:
    """Return links in order; a cell that is in both is sure."""
    certain = frozenset(sure)
    cells = sorted(certain.union(possible))
    return tuple(Link(i, j, sure=(i, j) in certain) for i, j in cells)


def from_gold(linked: LinkedPair) -> AlignedPair:
    """Return a pair of a gold corpus in words with links."""
    source, target = linked.pair.source.split(), linked.pair.target.split()
    links = links_of(linked.sure, linked.possible)
    return AlignedPair(tuple(source), tuple(target), links, linked.name)


def out_of_range(
    where: str, cell: tuple[int, int], rows: int, columns: int
) -> ParaphrastError:
    """Return the error for a link outside sentences of so many words."""
    return ParaphrastError(
        f"{where}: link {cell[0]}-{cell[1]} is out of range for {rows} source and "
        f"{columns} target words. Words are numbered from 0; check that links and "
        "sentences belong together."
    )


def check_links(pair: AlignedPair, where: str) -> None:
    """Refuse links outside the sentences and links given twice, naming the location."""
    rows, columns = len(pair.source), len(pair.target)
    for link in pair.links:
        if not (0 <= link.source < rows and 0 <= link.target < columns):
            raise out_of_range(where, (link.source, link.target), rows, columns)
    cells = Counter((link.source, link.target) for link in pair.links)
    twice = [cell for cell, count in cells.items() if count > 1]
    if twice:
        i, j = min(twice)
        raise ParaphrastError(
            f"{where}: link {i}-{j} is given twice. Keep one, sure or possible."
        )


def check_sides(pair: AlignedPair, where: str) -> None:
    """Refuse a pair with an empty side, naming the location."""
    for side, words in (("source", pair.source), ("target", pair.target)):
        if not words:
            raise ParaphrastError(
                f"{where}: the {side} side is empty. Drop the pair, or give its words."
            )
