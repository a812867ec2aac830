"""Make phrase tables: from rows in Python, from columns, or of some options of one.

`from_options` serves tests, dictionaries and files of other programs; what is learnt
from a corpus comes as columns that are large and already have numbers, to `assemble`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.table import (
    LONGEST,
    NO_EXAMPLE,
    Option,
    PhraseTable,
    ranking,
)
from paraphrast.text.strings import Strings, strings

Phrase: TypeAlias = tuple[int, ...]
Numbers: TypeAlias = dict[str, int]


@dataclass(frozen=True, eq=False)
class Runs:
    """Phrases in order of their words' numbers: i is words[starts[i]:starts[i + 1]]."""

    starts: NDArray[np.uint32]
    words: NDArray[np.uint32]

    def __len__(self) -> int:
        """Return how many phrases there are."""
        return len(self.starts) - 1

    def lengths(self) -> NDArray[np.int64]:
        """Return how many words each phrase has."""
        return lengths_of(self.starts)

    def select(self, kept: NDArray[np.bool_]) -> "Runs":
        """Return some of the phrases."""
        lengths = self.lengths()
        words = self.words[np.repeat(kept, lengths)]
        return Runs(starts_of(lengths[kept]), words)


@dataclass(frozen=True, eq=False)
class Columns:
    """The options of a table, one row per option, in any order.

    ``phrases`` and ``outputs`` are the numbers of the option's source and target
    phrase; the links of row i are ``links[link_starts[i]:link_starts[i + 1]]``.
    """

    phrases: NDArray[np.uint32]
    outputs: NDArray[np.uint32]
    scores: NDArray[np.float32]
    reordering: NDArray[np.float32]
    link_starts: NDArray[np.uint32]
    links: NDArray[np.uint8]
    counts: NDArray[np.float32]
    examples: NDArray[np.uint32]

    def __len__(self) -> int:
        """Return the number of options."""
        return len(self.outputs)

    def take_rows(self, rows: NDArray[np.intp]) -> "Columns":
        """Return the given rows, in the given order."""
        lengths = lengths_of(self.link_starts)[rows]
        starts = starts_of(lengths)
        # Indices of the links: each row's links are consecutive.
        begin = np.repeat(self.link_starts[rows].astype(np.int64), lengths)
        within = np.arange(len(begin)) - np.repeat(starts[:-1].astype(int), lengths)
        return Columns(
            self.phrases[rows],
            self.outputs[rows],
            self.scores[rows],
            self.reordering[rows],
            starts,
            self.links[begin + within],
            self.counts[rows],
            self.examples[rows],
        )


def assemble(
    vocabularies: tuple[Strings, Strings],
    phrases: tuple[Runs, Runs],
    columns: Columns,
    about: Mapping[str, Any],
) -> PhraseTable:
    """Put options in order; source and target phrases must be in order already."""
    column = ranking(about["scores"])
    likelihood = (
        np.zeros(len(columns), np.float32)
        if column is None
        else -columns.scores[:, column]
    )
    order = np.lexsort((columns.outputs, likelihood, columns.phrases))
    ordered = columns.take_rows(order)
    sources, targets = phrases
    options = np.bincount(ordered.phrases, minlength=len(sources))
    return PhraseTable(
        *vocabularies,
        phrase_starts=sources.starts,
        phrase_words=sources.words,
        option_starts=starts_of(options),
        output_starts=targets.starts,
        output_words=targets.words,
        outputs=ordered.outputs,
        scores=ordered.scores,
        reordering=ordered.reordering,
        link_starts=ordered.link_starts,
        links=ordered.links,
        counts=ordered.counts,
        examples=ordered.examples,
        about=dict(about),
    )


def columns_of(table: PhraseTable) -> Columns:
    """Return a table's options as columns, in its order."""
    options = lengths_of(table.option_starts)
    numbers = np.arange(table.phrases, dtype=np.uint32)
    return Columns(
        np.repeat(numbers, options),
        table.outputs,
        table.scores,
        table.reordering,
        table.link_starts,
        table.links,
        table.counts,
        table.examples,
    )


def select_options(table: PhraseTable, kept: NDArray[np.bool_]) -> PhraseTable:
    """Return a table of some of the options, without phrases and words left over."""
    columns = columns_of(table).take_rows(np.flatnonzero(kept))
    source, sources, phrases = _compact(
        table.source,
        Runs(table.phrase_starts, table.phrase_words),
        columns.phrases,
    )
    target, targets, outputs = _compact(
        table.target,
        Runs(table.output_starts, table.output_words),
        columns.outputs,
    )
    columns = replace(columns, phrases=phrases, outputs=outputs)
    return assemble((source, target), (sources, targets), columns, table.about)


def from_options(
    options: Iterable[Option],
    *,
    scores: Sequence[str],
    about: Mapping[str, Any] | None,
) -> PhraseTable:
    """Make a table of rows in any order; see `PhraseTable.from_options`."""
    rows = list(options)
    reordering = max((len(row.reordering) for row in rows), default=0)
    for row in rows:
        _check(row, len(scores), reordering)
    source, source_numbers = vocabulary(row.source for row in rows)
    target, target_numbers = vocabulary(row.target for row in rows)
    sources, phrases = _encode_phrases([row.source for row in rows], source_numbers)
    targets, outputs = _encode_phrases([row.target for row in rows], target_numbers)
    _refuse_twice(rows, phrases, outputs)
    links = [link for row in rows for link in row.links]
    columns = Columns(
        phrases,
        outputs,
        _logarithms([row.probabilities for row in rows], len(scores)),
        _logarithms([row.reordering for row in rows], reordering),
        starts_of(np.array([len(row.links) for row in rows], np.int64)),
        np.array(links, np.uint8).reshape(-1, 2),
        np.array([row.count for row in rows], np.float32),
        np.array(
            [NO_EXAMPLE if row.example is None else row.example for row in rows],
            np.uint32,
        ),
    )
    made = {**(about or {}), "scores": list(scores)}
    return assemble((source, target), (sources, targets), columns, made)


def vocabulary(texts: Iterable[Sequence[str]]) -> tuple[Strings, Numbers]:
    """Return the words of texts in order, and the number of each."""
    words = sorted(set(chain.from_iterable(texts)))
    for word in words:
        if not word or any(0xD800 <= ord(letter) <= 0xDFFF for letter in word):
            raise ParaphrastError(
                f"{word!r} is not a word in Unicode. Clean the text, or drop the line."
            )
    return strings(words), {word: number for number, word in enumerate(words)}


def starts_of(lengths: NDArray[np.integer[Any]]) -> NDArray[np.uint32]:
    """Return where runs of these lengths start, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    if starts[-1] > np.iinfo(np.uint32).max:
        raise ParaphrastError(
            f"a phrase table cannot hold {starts[-1]:,} entries. Allow only shorter "
            "phrases, or prune more."
        )
    return starts.astype(np.uint32)


def lengths_of(starts: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return how long the runs are that start at the given indices."""
    wide = starts.astype(np.int64)
    return wide[1:] - wide[:-1]


def _compact(
    words: Strings, runs: Runs, numbers: NDArray[np.uint32]
) -> tuple[Strings, Runs, NDArray[np.uint32]]:
    """Keep the phrases that ``numbers`` name and their words; return new numbers."""
    kept = np.zeros(len(runs), np.bool_)
    kept[numbers] = True
    runs, numbers = runs.select(kept), _new_ids(kept)[numbers]
    used = np.zeros(len(words), np.bool_)
    used[runs.words] = True
    letters = lengths_of(words.starts)
    text = words.text[np.repeat(used, letters)]
    fewer = Strings(text, starts_of(letters[used]))
    return fewer, Runs(runs.starts, _new_ids(used)[runs.words]), numbers


def _new_ids(kept: NDArray[np.bool_]) -> NDArray[np.uint32]:
    return (np.cumsum(kept) - 1).astype(np.uint32)


def _encode_phrases(
    texts: list[tuple[str, ...]], numbers: Numbers
) -> tuple[Runs, NDArray[np.uint32]]:
    coded = [tuple(numbers[word] for word in text) for text in texts]
    distinct = sorted(set(coded))
    places = {phrase: index for index, phrase in enumerate(distinct)}
    lengths = np.array([len(phrase) for phrase in distinct], np.int64)
    words = np.fromiter(chain.from_iterable(distinct), np.uint32)
    runs = Runs(starts_of(lengths), words)
    return runs, np.array([places[phrase] for phrase in coded], np.uint32)


def _logarithms(rows: list[tuple[float, ...]], columns: int) -> NDArray[np.float32]:
    return np.log(np.array(rows, np.float64).reshape(len(rows), columns)).astype(
        np.float32
    )


def _check(row: Option, scores: int, reordering: int) -> None:
    """Refuse a row that no table can hold."""
    problem = None
    if not row.source:
        problem = "the source phrase is empty"
    elif max(len(row.source), len(row.target)) > LONGEST:
        problem = f"a phrase has more than {LONGEST} words"
    elif len(row.probabilities) != scores:
        problem = f"{len(row.probabilities)} scores where {scores} are named"
    elif len(row.reordering) != reordering or reordering not in (0, 6):
        problem = f"{len(row.reordering)} reordering scores, not 6 (or none at all)"
    elif not all(0 < p < np.inf for p in (*row.probabilities, *row.reordering)):
        problem = "a score is not above 0 and finite"
    elif not all(
        0 <= i < len(row.source) and 0 <= j < len(row.target) for i, j in row.links
    ):
        problem = "a link is outside the phrases"
    elif not 0 <= row.count < np.inf:
        problem = "the count is negative or not a number"
    elif row.example is not None and not 0 <= row.example < NO_EXAMPLE:
        problem = "the number of the example is out of range"
    if problem:
        raise ParaphrastError(
            f"phrase pair {_pair(row)}: {problem}. Fix or drop the row."
        )


def _refuse_twice(
    rows: list[Option], phrases: NDArray[np.uint32], outputs: NDArray[np.uint32]
) -> None:
    keys = phrases.astype(np.uint64) << np.uint64(32) | outputs
    _, first = np.unique(keys, return_index=True)
    if len(first) < len(rows):
        twice = int(np.setdiff1d(np.arange(len(rows)), first)[0])
        raise ParaphrastError(
            f"phrase pair {_pair(rows[twice])} is given twice. Keep one of the rows."
        )


def _pair(row: Option) -> str:
    source, target = (" ".join(side)[:60] for side in (row.source, row.target))
    return f"{source!r} -> {target!r}"
