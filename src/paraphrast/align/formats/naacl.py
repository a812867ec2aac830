"""NAACL 2003: one link per line, ``pair source target S``; no words.

All three are counted from 1. The label is S for sure, which may be left out, or P for
possible; a number after it is a confidence and is not kept. A link to position 0 means
that a word is unlinked, and is skipped.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from paraphrast.align.base import AlignedPair, Link, WordPair
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

SUFFIXES = (".naacl", ".wa")
HAS_WORDS = False


def read(path: Path, words: Sequence[WordPair]) -> Iterator[tuple[str, AlignedPair]]:
    """Yield the location of each pair's first link, and the pair; none is left out."""
    links: dict[int, list[Link]] = defaultdict(list)
    locations: dict[int, str] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            where = f"{path}:{number}"
            pair, link = _parse_line(line, where)
            if not 1 <= pair <= len(words):
                raise ParaphrastError(
                    f"{where}: there is no pair {pair} among {len(words):,}. Check "
                    "that links and words belong together."
                )
            locations.setdefault(pair, where)
            if link is not None:
                links[pair].append(link)
    for number, sides in enumerate(words, start=1):
        where = locations.get(number, f"{path}: pair {number}")
        yield where, AlignedPair(*sides, tuple(sorted(links[number])))


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield a line for each link."""
    for number, pair in enumerate(pairs, start=1):
        for link in pair.links:
            label = "S" if link.sure else "P"
            yield f"{number} {link.source + 1} {link.target + 1} {label}\n"


def _parse_line(line: str, where: str) -> tuple[int, Link | None]:
    fields = line.split()
    label = fields[3].upper() if len(fields) > 3 else "S"
    numbers = [int(field) for field in fields[:3] if field.isdecimal()]
    if len(numbers) < 3 or label not in ("S", "P"):
        raise ParaphrastError(
            f"{where}: {line!r} is not a link such as '12 3 4 S': pair, source and "
            "target word counted from 1, S or P."
        )
    pair, source, target = numbers
    if not source or not target:
        return pair, None
    return pair, Link(source - 1, target - 1, sure=label == "S")
