"""Eight English Bibles, verse by verse; any two of them make a corpus of pairs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown

# Book, chapter and number, such as ("Genesis", "1", "1").
Verse: TypeAlias = tuple[str, str, str]

VERSIONS = ("ASV", "BBE", "DARBY", "DRA", "KJV", "LEB", "WEB", "YLT")


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield the verses that both versions of ``SOURCE-TARGET`` have."""
    source, dash, target = split.partition("-")
    if not dash:
        raise ParaphrastError(
            f"{split!r} is not a pair of versions. Write it like KJV-BBE; known: "
            f"{', '.join(VERSIONS)}."
        )
    targets = verses(folder, target)
    return (
        Pair(text, targets[verse])
        for verse, text in verses(folder, source).items()
        if verse in targets
    )


def texts_of(folder: Path, name: str, split: str) -> Iterator[str]:
    """Yield the verses of a version in order."""
    return iter(verses(folder, split).values())


def verses(folder: Path, version: str) -> dict[Verse, str]:
    """Return a version's text by verse; a repeated number has both texts."""
    if version not in VERSIONS:
        raise unknown("version", version, VERSIONS)
    texts: dict[Verse, str] = {}
    for line in read_lines(folder / f"{version}.tsv.xz"):
        book, file, number, text = line.split("\t")
        chapter = file.removeprefix(book).removesuffix(".txt")
        verse = (book, chapter, number)
        texts[verse] = f"{texts[verse]} {text}" if verse in texts else text
    return texts
