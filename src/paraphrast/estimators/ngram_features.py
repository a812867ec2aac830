"""Sentences as sparse rows of n-grams of words and of characters.

An n-gram is named by a 64-bit hash of its characters, worked out for all sentences at
once: with ``P[i]`` the sum of ``code[j] * B**j`` over ``j < i`` (modulo 2**64), the
characters from a to b hash to ``(P[b] - P[a]) / B**a``. With a million n-grams the
probability that any two collide is one in thirty million, so no strings are stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.estimators.matrix import Matrix, find_sorted, mark_changes
from paraphrast.storage import weights
from paraphrast.text.model_words import words

Hashes: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)
_SPACE, _NEWLINE = ord(" "), ord("\n")
_TINY = 1e-300  # keeps a row without worth from being divided by zero


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """A matrix by rows: row i is ``values[starts[i]:starts[i + 1]]`` in ``columns``."""

    starts: Rows
    columns: NDArray[np.int32]
    values: Matrix
    width: int

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1

    def row_of_each(self) -> Rows:
        """Return the row of each value."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def times(self, vector: Matrix) -> Matrix:
        """Return the product with a vector: (rows,)."""
        products = self.values * vector[self.columns]
        filled = np.flatnonzero(np.diff(self.starts))
        result = np.zeros(len(self))
        if len(filled):
            result[filled] = np.add.reduceat(products, self.starts[filled])
        return result

    def transposed_times(self, vector: Matrix) -> Matrix:
        """Return the product of the transpose with a vector: (width,)."""
        each = self.values * np.repeat(vector, np.diff(self.starts))
        sums = np.bincount(self.columns, weights=each, minlength=self.width)
        return np.asarray(sums, dtype=np.float64)


def beside(first: Sparse, second: Sparse) -> Sparse:
    """Join two matrices of equally many rows side by side."""
    counts = np.diff(first.starts) + np.diff(second.starts)
    starts = np.concatenate(([0], np.cumsum(counts)))
    order = np.argsort(
        np.concatenate((first.row_of_each(), second.row_of_each())), kind="stable"
    )
    columns = np.concatenate((first.columns, second.columns + np.int32(first.width)))
    values = np.concatenate((first.values, second.values))
    return Sparse(starts, columns[order], values[order], first.width + second.width)


def dense(matrix: Matrix) -> Sparse:
    """Return a plain matrix as a sparse one."""
    rows, width = matrix.shape
    columns = np.tile(np.arange(width, dtype=np.int32), rows)
    return Sparse(np.arange(rows + 1) * width, columns, matrix.ravel(), width)


@dataclass(frozen=True, slots=True)
class NgramKinds:
    """The n-grams to use: minimum and maximum length, both inclusive; 0, 0 for none."""

    words: tuple[int, int] = (1, 2)
    characters: tuple[int, int] = (2, 5)

    def __post_init__(self) -> None:
        """Refuse lengths that make no n-gram."""
        for first, last in (self.words, self.characters):
            if (first, last) != (0, 0) and not 1 <= first <= last:
                raise ValueError(f"n-gram lengths {first} to {last} make no sense.")


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """The distinct n-grams of each sentence: their hashes, and the sentence of each."""

    hashes: Hashes
    rows: Rows
    sentences: int


def occurrences(texts: Sequence[str], kinds: NgramKinds) -> Occurrences:
    """Find the n-grams of texts, each once per text."""
    spaced = (" ".join(words(text)) for text in texts)
    joined = "".join(f" {text} \n" if text else "\n" for text in spaced)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    text_of = np.concatenate(([0], np.cumsum(codes == _NEWLINE)))
    hashing = _Hashing(codes)
    spans = [*_character_spans(codes, kinds), *_word_spans(codes, kinds)]
    result = [hashing.of(start, stop, salt) for start, stop, salt in spans]
    hashes = np.concatenate([np.zeros(0, np.uint64), *result])
    rows = np.concatenate([np.zeros(0, np.int64), *(text_of[s] for s, _, _ in spans)])
    order = np.lexsort((hashes, rows))
    hashes, rows = hashes[order], rows[order]
    new = mark_changes(hashes, rows)
    return Occurrences(hashes[new], rows[new], len(texts))


class _Hashing:
    """Hashes of substrings of one array of characters."""

    def __init__(self, codes: NDArray[np.uint32]) -> None:
        steps = np.full(len(codes) + 1, _BASE, np.uint64)
        back = np.full(len(codes) + 1, _INVERSE, np.uint64)
        steps[0] = back[0] = 1
        self._back = np.cumprod(back)
        terms = _mix(codes.astype(np.uint64)) * np.cumprod(steps)[:-1]
        self._sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms)))

    def of(self, start: Rows, stop: Rows, salt: int) -> Hashes:
        """Hash the characters from start to stop; another salt, another hash."""
        plain = (self._sums[stop] - self._sums[start]) * self._back[start]
        return _mix(plain + np.uint64(salt))


def _mix(numbers: Hashes) -> Hashes:
    # The finisher of splitmix64: spreads every bit over all others.
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _character_spans(
    codes: NDArray[np.uint32], kinds: NgramKinds
) -> list[tuple[Rows, Rows, int]]:
    first, last = kinds.characters
    # A newline within would join two texts: the next one must not come too soon.
    ends = np.flatnonzero(codes == _NEWLINE)
    room = np.repeat(ends, np.diff(ends, prepend=-1)) - np.arange(len(codes))
    spans = []
    for n in range(first, last + 1) if last else ():
        start = np.flatnonzero(room >= n)
        spans.append((start, start + n, n))
    return spans


def _word_spans(
    codes: NDArray[np.uint32], kinds: NgramKinds
) -> list[tuple[Rows, Rows, int]]:
    first, last = kinds.words
    # Every word has a space on both sides; n words lie between n + 1 spaces.
    spaces = np.flatnonzero(codes == _SPACE)
    breaks = np.cumsum(codes == _NEWLINE)[spaces]
    spans = []
    for n in range(first, last + 1) if last else ():
        same = breaks[n:] == breaks[: len(breaks) - n]
        start, stop = spaces[: len(spaces) - n][same], spaces[n:][same]
        spans.append((start, stop + 1, 1000 + n))
    return spans


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The n-grams a model knows, sorted, and the value of each if present.

    With a ``length``, every row is scaled to it, so that long and short sentences have
    the same weight.
    """

    hashes: Hashes
    worth: Matrix
    kinds: NgramKinds
    length: float | None = None

    def matrix(self, occurrences: Occurrences) -> Sparse:
        """Return sentences as rows over the known n-grams."""
        indices = find_sorted(self.hashes, occurrences.hashes)
        present = indices >= 0
        columns, rows = indices[present], occurrences.rows[present]
        values = self.worth[columns]
        if self.length is not None:
            squares = np.bincount(
                rows, weights=values**2, minlength=occurrences.sentences
            )
            values = self.length * values / np.sqrt(np.maximum(squares, _TINY))[rows]
        starts = np.searchsorted(rows, np.arange(occurrences.sentences + 1))
        return Sparse(starts, columns.astype(np.int32), values, len(self.hashes))


def vocabulary(
    occurrences: Occurrences, kinds: NgramKinds, *, minimum: int
) -> Vocabulary:
    """Return the n-grams in at least ``minimum`` sentences, each with the value 1."""
    hashes, sentences = np.unique(occurrences.hashes, return_counts=True)
    hashes = hashes[sentences >= minimum]
    return Vocabulary(hashes, np.ones(len(hashes)), kinds)


def uneven(
    occurrences: Occurrences,
    kinds: NgramKinds,
    labels: NDArray[np.int64],
    *,
    classes: int,
    minimum: int,
    length: float,
) -> Vocabulary:
    """Return n-grams, each valued by how unevenly the classes use it.

    The value is the largest log ratio of an n-gram's share in one class to its share in
    the others (naive-Bayes weighting: Wang & Manning, 2012).
    """
    ngrams = vocabulary(occurrences, kinds, minimum=minimum)
    present = ngrams.matrix(occurrences)
    counts = np.stack(
        [present.transposed_times((labels == k).astype(float)) for k in range(classes)]
    )
    rest = counts.sum(axis=0) - counts + 1
    counts = counts + 1
    share = counts / counts.sum(axis=1, keepdims=True)
    share_of_rest = rest / rest.sum(axis=1, keepdims=True)
    worth = np.abs(np.log(share / share_of_rest)).max(axis=0)
    return Vocabulary(ngrams.hashes, weights.single(worth), kinds, length)
