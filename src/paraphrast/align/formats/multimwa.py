"""MultiMWA (Lan et al. 2021): nine tab-separated columns or more, one pair per line.

They are: name, source, an unused column, target, three unused columns, sure links and
possible links as ``i-j`` from 0. Unused columns are written as in the published files.
A link in both columns is sure.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from paraphrast.align.base import AlignedPair
from paraphrast.align.formats.spelling import read_cells, write_cells, write_words
from paraphrast.align.links import links_of, possible_cells, sure_cells
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

SUFFIXES = (".tsv",)
HAS_WORDS = True
COLUMNS = 9


def read(path: Path) -> Iterator[tuple[str, AlignedPair]]:
    """Yield each line's location and pair."""
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}:{number}"
        columns = line.split("\t")
        if len(columns) < COLUMNS:
            raise ParaphrastError(
                f"{where}: expected {COLUMNS} tab-separated columns or more, found "
                f"{len(columns)}."
            )
        name, source, _, target, _, _, _, sure, possible, *_ = columns
        links = links_of(read_cells(sure, where), read_cells(possible, where))
        pair = AlignedPair(tuple(source.split()), tuple(target.split()), links, name)
        yield where, pair


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield a line for each pair; one without a name gets its number."""
    for number, pair in enumerate(pairs, start=1):
        source, target = write_words(pair, number)
        name = pair.name or str(number)
        if "\t" in name or "\n" in name:
            raise ParaphrastError(
                f"pair {number}: the name {name!r} has a tab or line break. Write "
                "jsonl, which allows that."
            )
        sure = sure_cells(pair.links)
        possible = possible_cells(pair.links) - sure
        links = f"{write_cells(sure)}\t{write_cells(possible)}"
        yield f"{name}\t{source}\tN/A\t{target}\tN/A\t1\t1\t{links}\n"
