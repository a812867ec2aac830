"""Which phrase is behind a hash, and how often it was seen.

A phrase's words are not kept but the place of one of its occurrences in the coded
text, and only of those phrases that a table needs in the end the words are read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.paraphrases.building import NO_WORD
from paraphrast.paraphrases.coded_text import Vocabulary
from paraphrast.paraphrases.phrase_spans import Integers
from paraphrast.paraphrases.spool import Spool

_BITS = 4


class PhraseBook:
    """Phrases by hash on disk: rows of a hash, a position and a count."""

    LONGEST: ClassVar[int] = (1 << _BITS) - 1

    def __init__(self, folder: Path) -> None:
        """Start with nothing in a new folder."""
        self.spool = Spool(
            folder, [("phrase", "<u8"), ("where", "<i8"), ("count", "<u4")]
        )

    def add(
        self, hashes: NDArray[np.uint64], starts: Integers, lengths: Integers
    ) -> None:
        """Count phrases at positions of the coded text."""
        phrases, first, counts = np.unique(
            hashes, return_index=True, return_counts=True
        )
        where = (starts[first] << _BITS) | lengths[first]
        self.spool.add(phrases, where, counts)


def name_phrases(
    needed: NDArray[np.uint64],
    books: Sequence[tuple[PhraseBook, Vocabulary, NDArray[np.int32]]],
) -> tuple[list[str], NDArray[np.int32]]:
    """Return a vocabulary and the words of phrases, whose hashes are in order.

    With each book come the vocabulary and the row of words that its positions index.
    """
    vocabulary: dict[str, int] = {}
    phrases = np.full((len(needed), 1), NO_WORD, np.int32)
    for book, own, words in books:
        where = _find_phrases(book, needed)
        result = np.flatnonzero(where >= 0)
        starts, lengths = where[result] >> _BITS, where[result] & PhraseBook.LONGEST
        longest = int(lengths.max(initial=1))
        if longest > phrases.shape[1]:
            more = ((0, 0), (0, longest - phrases.shape[1]))
            phrases = np.pad(phrases, more, constant_values=NO_WORD)
        numbers = np.array(
            [vocabulary.setdefault(word, len(vocabulary)) for word in own.words()],
            np.int32,
        )
        for step in range(longest):
            inside = lengths > step
            phrases[result[inside], step] = numbers[words[starts[inside] + step]]
    return list(vocabulary), phrases


def _find_phrases(book: PhraseBook, needed: NDArray[np.uint64]) -> Integers:
    """Return the position of each phrase in the text, or -1."""
    where = np.full(len(needed), -1, np.int64)
    if not len(needed):
        return where
    for part in book.spool:
        index = np.minimum(np.searchsorted(needed, part["phrase"]), len(needed) - 1)
        present = needed[index] == part["phrase"]
        where[index[present]] = part["where"][present]
    return where
