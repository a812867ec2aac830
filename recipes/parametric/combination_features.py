"""Candidate paraphrases from several tables, and the evidence for each.

The core of a candidate is what is left of both phrases without the words with which
both begin and end: of "the old man", "the elderly man" it is "old", "elderly".

Features from each table: whether it has the candidate, its probability, that of the
reverse direction, that of its core, its rank, how many candidates the phrase has and
how much probability none of them has. Features of the words: lengths, overlap, how
similar the letters are, and whether the core is punctuation, has a number, or is only
an insertion or an omission.
"""

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import Words
from paraphrast.paraphrases.building import rows_of
from paraphrast.paraphrases.table import Table
from paraphrast.text.common_subsequence import common_ends, similarity
from paraphrast.text.runs import lengths_of

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.float64]

LONGEST = 5
OF_A_TABLE = (
    "is in it",
    "probability",
    "probability squared",
    "is in it the other way",
    "probability of the way back",
    "core is in it",
    "probability of the core",
    "rank",
    "candidates",
    "probability left",
)
OF_THE_WORDS = (
    *(f"phrase of {number} words" for number in range(1, LONGEST + 1)),
    *(f"paraphrase of {number} words" for number in range(1, LONGEST + 1)),
    "same first word",
    "same last word",
    "shared words",
    "alike letters",
    "core of the phrase",
    "core of the paraphrase",
    "insertion",
    "omission",
    "alike letters of the core",
    "letters of the core",
    "punctuation",
    "number",
    "in how many tables",
    "mean probability",
)
_LEAST = 1e-4  # lower probabilities count as this one
_STEP = np.uint64(0x9E3779B97F4A7C15)
_TURN = np.uint64(0xC2B2AE3D27D4EB4F)
_ALL = (1 << 64) - 1
_MARKS = frozenset(string.punctuation)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Phrases and their paraphrases, with one row of features per pair."""

    phrases: list[Words]
    paraphrases: list[Words]
    features: NDArray[np.float32]


def names(tables: Iterable[str]) -> list[str]:
    """Return the names of the feature columns."""
    return [f"{table}: {name}" for table in tables for name in OF_A_TABLE] + [
        *OF_THE_WORDS
    ]


def candidates(
    tables: Mapping[str, Table], phrases: Iterable[Words], *, least: float
) -> Candidates:
    """Return the paraphrases that any table has with probability ``least`` or more."""
    wanted = {_hash(phrase): phrase for phrase in phrases}
    indexed = [_Indexed(table) for table in tables.values()]
    left, right, paraphrases = _find_candidates(
        indexed, np.array(sorted(wanted), np.uint64), least
    )
    given = [wanted[number] for number in left.tolist()]
    cores = [core(*two) for two in zip(given, paraphrases, strict=True)]
    ends = [np.array([_hash(two[side]) for two in cores], np.uint64) for side in (0, 1)]
    columns = [index.features(left, right, (ends[0], ends[1])) for index in indexed]
    shares = np.array([index.probability(left, right) for index in indexed])
    words = [
        _of_the_words(*three) for three in zip(given, paraphrases, cores, strict=True)
    ]
    features = np.column_stack(
        [
            *columns,
            np.array(words, np.float32).reshape(len(words), len(OF_THE_WORDS) - 2),
            (shares > 0).sum(axis=0),
            _scale_logarithms(shares.mean(axis=0)),
        ]
    )
    return Candidates(given, paraphrases, features.astype(np.float32))


def core(phrase: Words, other: Words) -> tuple[Words, Words]:
    """Return two phrases without the words with which both begin and end."""
    start, end = common_ends(phrase, other)
    return phrase[start : len(phrase) - end], other[start : len(other) - end]


class _Indexed:
    """A table whose rows are looked up by the hashes of their phrases, in bulk."""

    def __init__(self, table: Table) -> None:
        self.table = table
        hashes = np.array([_word(word) for word in table.words.all()], np.uint64)
        places = np.arange(len(table.tokens)) - np.repeat(
            table.starts[:-1].astype(np.int64), lengths_of(table.starts)
        )
        turned = hashes[table.tokens] * _powers(int(places.max(initial=0)) + 1)[places]
        self.phrases: Hashes = _sum_segments(turned, table.starts[:-1].astype(np.int64))
        self.rows = rows_of(table)
        keys = _pair(
            self.phrases[self.rows.phrases], self.phrases[self.rows.paraphrases]
        )
        # Several rows of a table, with different contexts, are one candidate.
        self.keys, self.first, same = np.unique(
            keys, return_index=True, return_inverse=True
        )
        self.sums = np.zeros(len(self.keys))
        np.add.at(self.sums, same, self.rows.probabilities)
        self.of_rows = self.sums[same]
        self.order = np.argsort(self.phrases)

    def rows_for(self, wanted: Hashes, least: float) -> NDArray[np.int64]:
        """Return the rows, one per candidate, of the phrases that are wanted."""
        first = np.sort(self.first)
        is_wanted = np.isin(self.phrases, wanted)[self.rows.phrases[first]]
        return first[is_wanted & (self.of_rows[first] >= least)]

    def probability(self, left: Hashes, right: Hashes) -> Numbers:
        """Return the probability of each candidate, 0 where the table lacks it."""
        there, index = _look_up(_pair(left, right), self.keys)
        result = np.zeros(len(left))
        result[there] = self.sums[index[there]]
        return result

    def features(
        self, left: Hashes, right: Hashes, cores: tuple[Hashes, Hashes]
    ) -> Numbers:
        """Return the columns `OF_A_TABLE` for candidates: (candidates, columns)."""
        if not len(self.keys):
            return np.zeros((len(left), len(OF_A_TABLE)))
        ways = [(left, right), (right, left), cores]
        there, back, inner = (_scale_logarithms(self.probability(*way)) for way in ways)
        sizes = lengths_of(self.table.rows)
        masses = np.bincount(
            self.rows.phrases, self.rows.probabilities, minlength=len(sizes)
        )
        is_listed, index = _look_up(left, self.phrases[self.order])
        number = self.order[index]
        count = np.where(is_listed, sizes[number], 0)
        inside, row = _look_up(_pair(left, right), self.keys)
        rank = self.first[row] - self.table.rows[self.rows.phrases[self.first[row]]]
        return np.column_stack(
            [
                there > 0,
                there,
                there**2,
                back > 0,
                back,
                inner > 0,
                inner,
                np.where(inside, 1 / (1 + rank), 0.0),
                np.log1p(count) / 5,
                np.where(count > 0, 1 - masses[number], 0.0),
            ]
        )

    def words(self, phrase: int, vocabulary: list[str]) -> Words:
        start, end = self.table.starts[phrase : phrase + 2]
        return tuple(vocabulary[word] for word in self.table.tokens[start:end].tolist())


def _find_candidates(
    indexed: Sequence[_Indexed], wanted: Hashes, least: float
) -> tuple[Hashes, Hashes, list[Words]]:
    """Return the phrase and paraphrase of each candidate, and the latter's words."""
    seen: set[int] = set()
    left: list[Hashes] = []
    right: list[Hashes] = []
    words: list[Words] = []
    for index in indexed:
        rows = index.rows_for(wanted, least)
        first = index.phrases[index.rows.phrases[rows]]
        second = index.phrases[index.rows.paraphrases[rows]]
        keys = _pair(first, second).tolist()
        new = np.array([key not in seen for key in keys], bool)
        seen.update(keys)
        left.append(first[new])
        right.append(second[new])
        vocabulary = index.table.words.all()
        numbers = index.rows.paraphrases[rows[new]].tolist()
        words.extend(index.words(number, vocabulary) for number in numbers)
    return np.concatenate(left), np.concatenate(right), words


def _of_the_words(
    phrase: Words, other: Words, cores: tuple[Words, Words]
) -> list[float]:
    here, there = " ".join(cores[0]), " ".join(cores[1])
    shared = len(set(phrase) & set(other))
    return [
        *(float(min(len(phrase), LONGEST) == n) for n in range(1, LONGEST + 1)),
        *(float(min(len(other), LONGEST) == n) for n in range(1, LONGEST + 1)),
        float(phrase[0] == other[0]),
        float(phrase[-1] == other[-1]),
        shared / max(len(phrase), len(other)),
        similarity(" ".join(phrase), " ".join(other)),
        len(cores[0]) / LONGEST,
        len(cores[1]) / LONGEST,
        float(not here),
        float(not there),
        similarity(here, there),
        min(len(here) + len(there), 20) / 20,
        float(set(here + there) <= _MARKS),
        float(any(sign.isdigit() for sign in here + there)),
    ]


def _scale_logarithms(probabilities: Numbers) -> Numbers:
    """Return logarithms from 0, for none or hardly any, to 1, for certainty."""
    return np.asarray(1 - np.log(np.maximum(probabilities, _LEAST)) / np.log(_LEAST))


def _word(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8"), digest_size=8).digest())


def _hash(phrase: Words) -> int:
    total, factor = 0, 1
    for word in phrase:
        total += factor * _known_word(word)
        factor = factor * int(_STEP) & _ALL
    return total & _ALL


_known_word = cache(_word)


def _powers(count: int) -> Hashes:
    powers = [pow(int(_STEP), number, 1 << 64) for number in range(count)]
    return np.array(powers, np.uint64)


def _sum_segments(values: Hashes, starts: NDArray[np.int64]) -> Hashes:
    if not len(starts):
        return np.zeros(0, np.uint64)
    return np.asarray(np.add.reduceat(values, starts), np.uint64)


def _pair(left: Hashes, right: Hashes) -> Hashes:
    return np.asarray(left * _TURN + right, np.uint64)


def _look_up(
    wanted: Hashes, listed: Hashes
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which are found, and their positions in the sorted array (else any)."""
    if not len(listed):
        return np.zeros(len(wanted), bool), np.zeros(len(wanted), np.int64)
    index = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
    return listed[index] == wanted, index
