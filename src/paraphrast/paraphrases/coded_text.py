"""Sentence pairs as word indices on disk, read back batch by batch.

Every language has its vocabulary; index 0 is not a word. The 64-bit hash of a word
depends only on its letters, so that separately encoded texts can be counted together.
(`phrase.coded_corpus` keeps a corpus in memory and indexes words alphabetically, as a
phrase table needs; here the text is larger than memory.)
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.runs import Integers, Runs, starts_of

Sentence: TypeAlias = list[str]
BATCH = 20_000


class Vocabulary:
    """Words and their numbers from 1 on, in the order of their first use."""

    def __init__(self) -> None:
        """Start with number 0, which is no word."""
        self._numbers = {"": 0}
        self._hashes: list[int] = []

    def __len__(self) -> int:
        """Return the number of words, with the one that is no word."""
        return len(self._numbers)

    def side(self, sentences: Iterable[Sequence[str]]) -> Runs:
        """Return sentences in numbers, new ones for new words."""
        numbers = self._numbers
        coded = [
            [numbers.setdefault(word, len(numbers)) for word in sentence]
            for sentence in sentences
        ]
        flat = [number for sentence in coded for number in sentence]
        return Runs(starts_of(map(len, coded)), np.array(flat, np.int32))

    def words(self) -> list[str]:
        """Return the words by number."""
        return list(self._numbers)

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hashes of the words by number."""
        for word in islice(self._numbers, len(self._hashes), None):
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            self._hashes.append(int.from_bytes(digest))
        return np.array(self._hashes, np.uint64)


class CodedText:
    """Sentence pairs in numbers, in the files of a folder."""

    def __init__(self, folder: Path) -> None:
        """Start with nothing in a new folder."""
        folder.mkdir(parents=True)
        self.vocabularies = (Vocabulary(), Vocabulary())
        self.pairs = 0
        self._words = (folder / "source", folder / "target")
        self._lengths = (folder / "source.lengths", folder / "target.lengths")

    def write(self, pairs: Iterable[tuple[Sentence, Sentence]]) -> None:
        """Append sentence pairs; none is kept in memory."""
        waiting = iter(pairs)
        with (
            self._words[0].open("ab") as source,
            self._words[1].open("ab") as target,
            self._lengths[0].open("ab") as source_lengths,
            self._lengths[1].open("ab") as target_lengths,
        ):
            while batch := list(islice(waiting, BATCH)):
                files = ((source, source_lengths), (target, target_lengths))
                for sentences, vocabulary, (words, lengths) in zip(
                    zip(*batch, strict=True), self.vocabularies, files, strict=True
                ):
                    side = vocabulary.side(sentences)
                    side.words.tofile(words)
                    side.lengths().astype(np.int32).tofile(lengths)
                self.pairs += len(batch)

    def batches(self) -> Iterator[tuple[int, Runs, Runs]]:
        """Yield sides of at most `BATCH` sentences, and where the sources start."""
        begin, other = 0, 0
        lengths = [np.fromfile(path, np.int32) for path in self._lengths]
        for first in range(0, self.pairs, BATCH):
            source = self._side(0, begin, lengths[0][first : first + BATCH])
            target = self._side(1, other, lengths[1][first : first + BATCH])
            yield begin, source, target
            begin += len(source.words)
            other += len(target.words)

    def source_words(self) -> NDArray[np.int32]:
        """Map all source words in one row."""
        if not self.pairs:
            return np.zeros(0, np.int32)
        return np.memmap(self._words[0], np.int32, "r")

    def _side(self, number: int, begin: int, lengths: NDArray[np.int32]) -> Runs:
        starts, path = starts_of(lengths), self._words[number]
        words = np.fromfile(path, np.int32, int(starts[-1]), offset=4 * begin)
        return Runs(starts, words)


@dataclass(frozen=True, eq=False)
class Links:
    """Links between words of the sentence pairs of a batch, in columns."""

    sentence: Integers
    source: Integers
    target: Integers

    def positions(self, source: Runs, target: Runs) -> tuple[Integers, Integers]:
        """Return the links as indices into the rows of words."""
        return (
            source.starts[self.sentence] + self.source,
            target.starts[self.sentence] + self.target,
        )


class LinkFile:
    """The links of the sentences of a `CodedText`, in a file beside it.

    As a context manager it takes links; after that they are read batch by batch.
    """

    def __init__(self, path: Path) -> None:
        """Start with no links."""
        self._path = path
        self._counts: list[int] = []

    def __enter__(self) -> Self:
        """Open the file to write to."""
        self._file = self._path.open("wb")
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self._file.close()

    def add(self, links: Sequence[tuple[int, int]]) -> None:
        """Append the links of the next sentence pair."""
        self._counts.append(len(links))
        np.array(links, np.int32).tofile(self._file)

    def batches(self) -> Iterator[Links]:
        """Yield the links of each batch of the text."""
        begin = 0
        for first in range(0, len(self._counts), BATCH):
            counts = self._counts[first : first + BATCH]
            size = sum(counts)
            cells = np.fromfile(self._path, np.int32, 2 * size, offset=8 * begin)
            begin += size
            sentence = np.repeat(np.arange(len(counts)), counts)
            yield Links(sentence, *cells.reshape(-1, 2).astype(np.int64).T)
