"""GIZA++'s A3: three lines per pair; every source word lists its target words from 1.

    # Sentence pair (1) source length 2 target length 3 alignment score : 0.1
    the black cat
    NULL ({ 1 }) chat ({ 3 }) noir ({ 2 })

The second line is the target, the third the source; NULL lists the unlinked target
words. There are no labels, so possible links are refused.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from paraphrast.align.base import AlignedPair, Words
from paraphrast.align.formats.spelling import write_words
from paraphrast.align.links import links_of
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

SUFFIXES = (".A3", ".A3.final")
HAS_WORDS = True
HEADER = re.compile(r"# Sentence pair \((\d+)\)", flags=re.ASCII)
WORD = re.compile(r"(\S+) \(\{((?: \d+)*) \}\)(?: |$)", flags=re.ASCII)


def read(path: Path) -> Iterator[tuple[str, AlignedPair]]:
    """Yield the location of each pair's first line, and the pair."""
    lines = read_lines(path)
    for number, three in enumerate(zip_longest(lines, lines, lines)):
        where = f"{path}:{3 * number + 1}"
        header, target, source = three
        match = HEADER.match(header)
        if match is None or source is None:
            raise ParaphrastError(
                f"{where}: expected '# Sentence pair (1) …' and two lines after it."
            )
        words, cells = _parse_words(source, f"{path}:{3 * number + 3}")
        pair = AlignedPair(words, tuple(target.split()), links_of(cells), match[1])
        yield where, pair


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield three lines for each pair, numbered in order."""
    for number, pair in enumerate(pairs, start=1):
        _, target = write_words(pair, number)
        if not all(link.sure for link in pair.links):
            raise ParaphrastError(
                f"pair {number}: A3 cannot represent possible links. Write another "
                "format."
            )
        lists: list[list[int]] = [[] for _ in (None, *pair.source)]
        for link in pair.links:
            lists[link.source + 1].append(link.target + 1)
        linked = {link.target for link in pair.links}
        lists[0] = [j + 1 for j in range(len(pair.target)) if j not in linked]
        source = " ".join(
            f"{word} ({{ {''.join(f'{j} ' for j in indices)}}})"
            for word, indices in zip(("NULL", *pair.source), lists, strict=True)
        )
        yield (
            f"# Sentence pair ({number}) source length {len(pair.source)} target "
            f"length {len(pair.target)} alignment score : 1\n{target}\n{source}\n"
        )


def _parse_words(line: str, where: str) -> tuple[Words, Sequence[tuple[int, int]]]:
    text = line.strip()
    result = list(WORD.finditer(text))
    if "".join(match[0] for match in result) != text or not result:
        raise ParaphrastError(
            f"{where}: expected words with lists of indices, such as NULL ({{ }}) the "
            f"({{ 1 }})."
        )
    if result[0][1] != "NULL":
        raise ParaphrastError(f"{where}: the first list must belong to NULL.")
    words = tuple(match[1] for match in result[1:])
    cells = {
        (i, int(index) - 1)
        for i, match in enumerate(result[1:])
        for index in match[2].split()
    }
    return words, sorted(cells)
