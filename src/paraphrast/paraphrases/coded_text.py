"""Sentence pairs in numbers on disk, read back batch by batch.

Every language has its vocabulary; number 0 is no word. Whatever the numbers, the
64-bit hash of a word depends on its letters alone, so that texts coded apart can be
counted together.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.paraphrases.phrase_spans import Side

Sentence: TypeAlias = list[str]
BATCH = 20_000


@dataclass
class Vocabulary:
    """Words and their numbers from 1 on, in the order of their first use."""

    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def __len__(self) -> int:
        """Return the number of words, with the one that is no word."""
        return len(self.numbers)

    def encode(self, words: Sentence) -> list[int]:
        """Return the numbers of words, new ones for new words."""
        numbers = self.numbers
        return [numbers.setdefault(word, len(numbers)) for word in words]

    def words(self) -> list[str]:
        """Return the words by number."""
        return list(self.numbers)

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hashes of the words by number."""
        return np.array(
            [
                int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
                for word in self.numbers
            ],
            np.uint64,
        )


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
                sides = zip(*batch, strict=True)
                files = ((source, source_lengths), (target, target_lengths))
                for side, vocabulary, (words, lengths) in zip(
                    sides, self.vocabularies, files, strict=True
                ):
                    _append(side, vocabulary, words, lengths)
                self.pairs += len(batch)

    def batches(self) -> Iterator[tuple[int, Side, Side]]:
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

    def _side(self, number: int, begin: int, lengths: NDArray[np.int32]) -> Side:
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        words = np.fromfile(
            self._words[number], np.int32, int(starts[-1]), offset=4 * begin
        )
        return Side(words, starts)


def _append(
    sentences: Iterable[Sentence],
    vocabulary: Vocabulary,
    words: BinaryIO,
    lengths: BinaryIO,
) -> None:
    coded = [vocabulary.encode(sentence) for sentence in sentences]
    np.array([len(numbers) for numbers in coded], np.int32).tofile(lengths)
    flat = [number for numbers in coded for number in numbers]
    np.array(flat, np.int32).tofile(words)
