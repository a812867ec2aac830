"""The phrase behind a hash, and its count.

Instead of the words of a phrase, the position of one of its occurrences in the coded
text is stored; the words are read only for the phrases of the final table.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.paraphrases.building import NO_WORD, Rows, assemble
from paraphrast.paraphrases.coded_text import Vocabulary
from paraphrast.paraphrases.spool import Spool
from paraphrast.paraphrases.table import Table
from paraphrast.text.runs import Integers

_BITS = 4
LONGEST = (1 << _BITS) - 1


def check_longest(longest: int) -> None:
    """Refuse phrases that are too long for a book."""
    if not 1 <= longest <= LONGEST:
        raise ValueError(f"longest must be from 1 to {LONGEST} words, not {longest}.")


class PhraseBook:
    """Phrases by hash on disk: rows of a hash, a position and a count."""

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


def hash_phrases(
    words: NDArray[np.int32],
    word_hashes: NDArray[np.uint64],
    starts: Integers,
    lengths: Integers,
) -> NDArray[np.uint64]:
    """Return a 64-bit number for each phrase ``words[start:start + length]``.

    The probability that any two of ten million phrases collide is 1 in 400,000.
    """
    own = word_hashes[words]
    hashes = own[starts]
    for step in range(1, int(lengths.max(initial=1))):
        longer = np.flatnonzero(lengths > step)
        mixed = hashes[longer] * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed += own[starts[longer] + step]
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        hashes[longer] = mixed
    return hashes


def assemble_table(
    pairs: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    probability: NDArray[np.float64],
    books: Sequence[tuple[PhraseBook, Vocabulary, NDArray[np.int32]]],
    about: Mapping[str, object],
) -> Table:
    """Build the table of phrases and paraphrases given by their hashes.

    Each book comes with its vocabulary and the array of words that its positions index.
    """
    needed, numbers = np.unique(np.concatenate(pairs), return_inverse=True)
    left, right = np.split(numbers.astype(np.int64), 2)
    vocabulary, phrases = _name_phrases(needed, books)
    return assemble(vocabulary, phrases, Rows(left, right, probability), about=about)


def _name_phrases(
    needed: NDArray[np.uint64],
    books: Sequence[tuple[PhraseBook, Vocabulary, NDArray[np.int32]]],
) -> tuple[list[str], NDArray[np.int32]]:
    """Return a vocabulary and the words of phrases, whose hashes are in order."""
    vocabulary: dict[str, int] = {}
    phrases = np.full((len(needed), 1), NO_WORD, np.int32)
    for book, own, words in books:
        where = _find_phrases(book, needed)
        result = np.flatnonzero(where >= 0)
        starts, lengths = where[result] >> _BITS, where[result] & LONGEST
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
