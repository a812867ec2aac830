"""Tab-separated text: quora, captions, europarl, tatoeba."""

from collections.abc import Iterator
from pathlib import Path

from paraphrast.corpora.formats import read_pairs
from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import unknown

_FILES = {
    "quora": {"train": "quora.tsv.xz"},
    "captions": {"train": "multi30k-captions.tsv.xz"},
    "europarl": {"en-fr": "europarl.en-fr.tsv.xz", "en-de": "europarl.en-de.tsv.xz"},
    "tatoeba": {"en-fra": "tatoeba.en-fra.tsv.xz", "en-deu": "tatoeba.en-deu.tsv.xz"},
}


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield paraphrases, or English sentences with their translations."""
    if split not in _FILES[name]:
        raise unknown("part", split, _FILES[name])
    if name == "captions":
        return (
            Pair(*two)
            for five in captions(folder)
            for two in ((five[0], five[1]), (five[2], five[3]))
        )
    return read_pairs(folder / _FILES[name][split])


def captions(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the five captions of each image."""
    for line in read_lines(folder / _FILES["captions"]["train"]):
        yield tuple(line.split("\t"))
