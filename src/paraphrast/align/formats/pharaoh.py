"""Pharaoh: one line per pair, a link ``i-j`` from 0; the words are in other files.

A possible link is written ``ipj``, as gold files for neural aligners have it; ``i?j``
is read too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from paraphrast.align.base import AlignedPair, Link, WordPair
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

SUFFIXES = (".pharaoh", ".align")
HAS_WORDS = False
LINK = re.compile(r"(\d+)([-p?])(\d+)", flags=re.ASCII)


def read(path: Path, words: Sequence[WordPair]) -> Iterator[tuple[str, AlignedPair]]:
    """Yield each line's location and pair."""
    count = 0
    for count, line in enumerate(read_lines(path), start=1):
        if count > len(words):
            continue
        where = f"{path}:{count}"
        links = tuple(sorted(_link(item, where) for item in line.split()))
        yield where, AlignedPair(*words[count - 1], links)
    if count != len(words):
        raise ParaphrastError(
            f"{path} has links for {count:,} pairs, but there are words for "
            f"{len(words):,}. Check that they belong together."
        )


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield a line for each pair."""
    for pair in pairs:
        links = (f"{k.source}{'-' if k.sure else 'p'}{k.target}" for k in pair.links)
        yield " ".join(links) + "\n"


def _link(item: str, where: str) -> Link:
    match = LINK.fullmatch(item)
    if match is None:
        raise ParaphrastError(f"{where}: {item!r} is not a link such as 0-1 or 0p1.")
    return Link(int(match[1]), int(match[3]), sure=match[2] == "-")
