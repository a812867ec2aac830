"""Read the pairs that people aligned, and take the half that is wanted."""

from pathlib import Path
from typing import Literal, cast

from paraphrast.align.base import AlignedPair
from paraphrast.align.links import check_links, from_gold
from paraphrast.corpora.loaders.alignments import half_of, read_links
from paraphrast.errors import ParaphrastError, unknown

HALVES = ("all", "train", "score")


def read_gold(path: Path, *, half: str = "all") -> list[AlignedPair]:
    """Return the aligned pairs of a file in Jacana's form, checked."""
    if half not in HALVES:
        raise unknown("half", half, HALVES)
    pairs = read_links(path)
    if half != "all":
        pairs = half_of(pairs, cast(Literal["train", "score"], half))
    aligned = [from_gold(pair) for pair in pairs]
    names = set()
    for pair in aligned:
        where = f"{path}: pair {pair.name!r}"
        check_links(pair, where)
        if pair.name in names:
            raise ParaphrastError(f"{where} is given twice. Keep one of them.")
        names.add(pair.name)
    if not aligned:
        raise ParaphrastError(f"{path} has no pair in {half!r}. Give another file.")
    return aligned
