"""Co-training of paraphrases and contexts (Barzilay and McKeown 2001).

Sentence pairs that translate the same source have similar content in similar positions.
Words that both sentences have are the seed paraphrases. The words around them in both
sentences, up to three to the left and three to the right, are a context: their classes,
and which of them are the same word in both sentences. Contexts that surround
paraphrases at least 95 times in 100 are accepted, and whatever else occurs in such
contexts on both sides is a new paraphrase, of up to ``longest`` words. The new
paraphrases are examples for the next iteration, until nothing is new.

A word with a match in the other sentence gives a positive example with its match, and
negative ones with all other words there. Three things differ from the paper. Words have
the classes of `word_classes` instead of tags. Contexts are compared position by
position. And phrases found by a context need not match tag patterns; instead the words
next to them must be the same in both sentences (or their ends), on one side of a word
and on both sides of a longer phrase; and two different phrases must begin and end with
different words.

p(paraphrase, context | phrase) is the share of the phrase's occurrences in positions
compared by accepted contexts whose counterpart is the paraphrase; the context in the
table is the classes of the words just before and after the phrase.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import WordPair
from paraphrast.estimators.matrix import find_sorted
from paraphrast.paraphrases.building import from_rows
from paraphrast.paraphrases.spool import Spool
from paraphrast.paraphrases.table import Paraphrase, Table
from paraphrast.paraphrases.word_classes import word_class

Keys: TypeAlias = NDArray[np.uint64]
Known: TypeAlias = dict[str, set[str]]
Positions: TypeAlias = tuple[NDArray[np.intp], ...]
WIDTHS = (1, 2, 3)
EDGE = "edge"
MOST_EXAMPLES = 500_000


@dataclass(frozen=True)
class Settings:
    """Thresholds for contexts and paraphrases.

    A context is accepted if it was seen ``min_count`` times or more and at least a
    share ``strength`` of its examples are positive. Paraphrases found fewer than
    ``min_found`` times are dropped.
    """

    longest: int = 3
    rounds: int = 4
    strength: float = 0.95
    min_count: int = 5
    min_found: int = 2
    minimum: float = 0.01


@dataclass(frozen=True)
class _Sentence:
    """A sentence in words, numbers of words and numbers of classes from 1 on."""

    words: Sequence[str]
    numbers: NDArray[np.int64]
    classes: Keys


@dataclass(frozen=True)
class _Compared:
    """Two sentences, and the keys of what is left and right of any two positions.

    ``left[w][i, j]`` is the key of the last w + 1 words before position i of the source
    and j of the target, and ``right[w][i, j]`` that of the words from there on.
    """

    source: Sequence[str]
    target: Sequence[str]
    same: NDArray[np.bool_]
    left: list[Keys]
    right: list[Keys]

    def contexts(self, positions: Positions, rows: int, columns: int) -> Iterator[Keys]:
        """Yield the keys around phrases of some rows and columns, width by width."""
        i, j = positions
        for left, right in zip(self.left, self.right, strict=True):
            before = left[i, j] * np.uint64(0x9E3779B97F4A7C15)
            yield before ^ right[i + rows, j + columns]


def extract(pairs: Iterable[WordPair], *, settings: Settings | None = None) -> Table:
    """Return the paraphrases in monolingual sentence pairs, in lower case."""
    chosen = settings or Settings()
    sentences = list(_encode_pairs(pairs))
    learned: Known = {}
    result: Counter[tuple[str, str, str]] = Counter()
    contexts, rounds = np.zeros(0, np.uint64), 0
    while rounds < chosen.rounds:
        rounds += 1
        contexts = _reliable_contexts(map(_compare, sentences), learned, chosen)
        result = Counter(
            occurrence
            for pair in map(_compare, sentences)
            for occurrence in _occurrences(pair, contexts, chosen.longest)
        )
        before = sum(map(len, learned.values()))
        learned = _frequent(result, chosen.min_found)
        if sum(map(len, learned.values())) <= before:
            break
    about = {
        "method": "co-training",
        "case": "lower",
        "pairs": len(sentences),
        "rounds": rounds,
        "believed_contexts": len(contexts),
        "settings": asdict(chosen),
    }
    return from_rows(_rows(result, learned, chosen.minimum), about=about)


def _encode_pairs(pairs: Iterable[WordPair]) -> Iterator[tuple[_Sentence, _Sentence]]:
    numbers: dict[str, int] = {}
    classes: dict[str, int] = {}

    def sentence(given: Sequence[str]) -> _Sentence:
        words = [word.lower() for word in given]
        kinds = map(word_class, words)
        return _Sentence(
            words,
            np.array([numbers.setdefault(word, len(numbers)) for word in words]),
            np.array(
                [classes.setdefault(kind, len(classes) + 1) for kind in kinds],
                np.uint64,
            ),
        )

    for source, target in pairs:
        if source and target:
            yield sentence(source), sentence(target)


def _compare(pair: tuple[_Sentence, _Sentence]) -> _Compared:
    source, target = pair
    same: NDArray[np.bool_] = np.equal.outer(source.numbers, target.numbers)
    # A frame of zeros, which is no class, around the words: the sentences' edges.
    widest = max(WIDTHS)
    rows, columns = np.pad(source.classes, widest), np.pad(target.classes, widest)
    units = rows[:, None] * np.uint64(1 << 10) + columns[None, :] * np.uint64(2)
    units[widest:-widest, widest:-widest] += same.astype(np.uint64)
    left, right = [], []
    height, breadth = len(source.words) + 1, len(target.words) + 1
    before = np.zeros((height, breadth), np.uint64)
    after = before.copy()
    for width in WIDTHS:
        before = _mix(before, _window(units, widest - width, height, breadth))
        after = _mix(after, _window(units, widest + width - 1, height, breadth))
        left.append(before)
        right.append(after)
    return _Compared(source.words, target.words, same, left, right)


def _window(units: Keys, start: int, height: int, breadth: int) -> Keys:
    return units[start : start + height, start : start + breadth]


def _mix(keys: Keys, units: Keys) -> Keys:
    product = (keys ^ units) * np.uint64(0xBF58476D1CE4E5B9)
    return product ^ (product >> np.uint64(31))


def _reliable_contexts(
    pairs: Iterable[_Compared], learned: Known, settings: Settings
) -> Keys:
    """Return the keys of accepted contexts, in order."""
    with tempfile.TemporaryDirectory() as name:
        spool = Spool(Path(name) / "examples", [("context", "<u8"), ("good", "?")])
        waiting: list[tuple[Keys, NDArray[np.bool_]]] = []
        rows = 0
        for pair in pairs:
            good = _matches(pair, learned)
            cells = np.nonzero(np.logical_or.outer(*(np.any(good, x) for x in (1, 0))))
            for keys in pair.contexts(cells, 1, 1):
                waiting.append((keys, good[cells]))
                rows += len(keys)
            if rows > MOST_EXAMPLES:
                spool.add(*map(np.concatenate, zip(*waiting, strict=True)))
                waiting, rows = [], 0
        if waiting:
            spool.add(*map(np.concatenate, zip(*waiting, strict=True)))
        return np.concatenate([_strong(part, settings) for part in spool])


def _strong(part: NDArray[np.void], settings: Settings) -> Keys:
    contexts, index, counts = np.unique(
        part["context"], return_inverse=True, return_counts=True
    )
    good = np.bincount(index, part["good"], minlength=len(contexts))
    strong = (good >= settings.strength * counts) & (counts >= settings.min_count)
    return contexts[strong]


def _matches(pair: _Compared, learned: Known) -> NDArray[np.bool_]:
    """Return which words of the two sentences match: the same, or paraphrases."""
    good = pair.same.copy()
    columns: dict[str, list[int]] = {}
    for column, word in enumerate(pair.target):
        columns.setdefault(word, []).append(column)
    for row, word in enumerate(pair.source):
        for other in learned.get(word, ()):
            good[row, columns.get(other, [])] = True
    return good


def _occurrences(
    pair: _Compared, contexts: Keys, longest: int
) -> Iterator[tuple[str, str, str]]:
    """Yield phrases, what they are compared with, and where, in both directions."""
    framed = np.pad(pair.same, 1)
    framed[0, 0] = framed[-1, -1] = True
    begins, ends = framed[:-1, :-1], framed[1:, 1:]
    for rows in range(1, min(longest, len(pair.source)) + 1):
        for columns in range(1, min(longest, len(pair.target)) + 1):
            join = np.logical_or if rows == columns == 1 else np.logical_and
            fits = join(begins[:-rows, :-columns], ends[rows:, columns:])
            positions: Positions = np.nonzero(fits)
            hits = np.zeros(len(positions[0]), bool)
            for keys in pair.contexts(positions, rows, columns):
                hits |= find_sorted(contexts, keys) >= 0
            for i, j in zip(*(side[hits].tolist() for side in positions), strict=True):
                yield from _both(pair, (i, i + rows), (j, j + columns))


def _both(
    pair: _Compared, rows: tuple[int, int], columns: tuple[int, int]
) -> Iterator[tuple[str, str, str]]:
    left, right = pair.source[slice(*rows)], pair.target[slice(*columns)]
    if left != right and (left[0] == right[0] or left[-1] == right[-1]):
        return  # a shorter phrase says what the difference is
    source, target = " ".join(left), " ".join(right)
    yield source, target, _around(pair.source, *rows)
    yield target, source, _around(pair.target, *columns)


def _around(words: Sequence[str], start: int, end: int) -> str:
    before = word_class(words[start - 1]) if start else EDGE
    after = word_class(words[end]) if end < len(words) else EDGE
    return f"{before} _ {after}"


def _frequent(occurrences: Counter[tuple[str, str, str]], least: int) -> Known:
    totals: Counter[tuple[str, str]] = Counter()
    for (phrase, paraphrase, _), count in occurrences.items():
        totals[phrase, paraphrase] += count
    frequent: Known = {}
    for (phrase, paraphrase), count in totals.items():
        if phrase != paraphrase and count >= least:
            frequent.setdefault(phrase, set()).add(paraphrase)
    return frequent


def _rows(
    occurrences: Counter[tuple[str, str, str]], learned: Known, minimum: float
) -> Iterator[Paraphrase]:
    totals: Counter[str] = Counter()
    shares: Counter[tuple[str, str]] = Counter()
    for (phrase, paraphrase, _), count in occurrences.items():
        totals[phrase] += count
        shares[phrase, paraphrase] += count
    for (phrase, paraphrase, context), count in occurrences.items():
        share = shares[phrase, paraphrase] / totals[phrase]
        if paraphrase in learned.get(phrase, ()) and share >= minimum:
            yield Paraphrase(phrase, paraphrase, count / totals[phrase], context)
