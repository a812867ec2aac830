"""Build paraphrase tables: from rows, from arrays, from other tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import mark_changes, sum_groups
from paraphrast.paraphrases.table import Paraphrase, Table
from paraphrast.text.runs import lengths_of, starts_of
from paraphrast.text.strings import strings

NO_WORD = -1


@dataclass(frozen=True)
class Rows:
    """Rows in columns: numbers of phrases and contexts, and probabilities."""

    phrases: NDArray[np.int64]
    paraphrases: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    contexts: NDArray[np.int64] | None = None


def from_rows(rows: Iterable[Paraphrase], *, about: Mapping[str, object]) -> Table:
    """Build a table from rows; the probabilities of equal rows are summed."""
    phrases: dict[str, int] = {}
    contexts: dict[str, int] = {"": 0}
    columns: tuple[list[int], list[int], list[float], list[int]] = ([], [], [], [])
    for row in rows:
        columns[0].append(phrases.setdefault(row.phrase, len(phrases)))
        columns[1].append(phrases.setdefault(row.paraphrase, len(phrases)))
        columns[2].append(row.probability)
        columns[3].append(contexts.setdefault(row.context, len(contexts)))
    vocabulary, matrix = _encode_phrases([phrase.split() for phrase in phrases])
    return assemble(
        vocabulary,
        matrix,
        Rows(
            np.array(columns[0], np.int64),
            np.array(columns[1], np.int64),
            np.array(columns[2], np.float64),
            np.array(columns[3], np.int64),
        ),
        contexts=list(contexts),
        about=about,
    )


def assemble(
    vocabulary: Sequence[str],
    phrases: NDArray[np.int32],
    rows: Rows,
    *,
    contexts: Sequence[str] = ("",),
    about: Mapping[str, object],
) -> Table:
    """Make a table of phrases in word numbers, (phrases, longest), and of rows.

    Shorter phrases are filled up with `NO_WORD`. Words, phrases and rows may come in
    any order, and phrases and rows more than once.
    """
    if len(phrases) and bool((phrases[:, 0] == NO_WORD).any()):
        raise ParaphrastError("a phrase of a paraphrase table must have a word.")
    words, matrix = _words_in_order(vocabulary, phrases)
    order, phrase_ids = _phrases_in_order(matrix)
    names, context_ids = np.unique(np.array(contexts, object), return_inverse=True)
    left, right = phrase_ids[rows.phrases], phrase_ids[rows.paraphrases]
    context = (
        np.zeros(len(left), np.int64)
        if rows.contexts is None
        else context_ids[rows.contexts].astype(np.int64)
    )
    left, right, probability, context = _add_equal_rows(
        left, right, rows.probabilities, context
    )
    counts = np.bincount(left, minlength=len(order))
    chosen = matrix[order]
    return Table(
        words=strings(words),
        contexts=strings(names.tolist()),
        starts=starts_of((chosen != NO_WORD).sum(1)).astype(np.uint32),
        tokens=chosen[chosen != NO_WORD].astype(np.uint32),
        rows=starts_of(counts).astype(np.uint32),
        paraphrases=right.astype(np.uint32),
        probabilities=probability.astype(np.float32),
        context_numbers=context.astype(np.uint32),
        about=about,
    )


def merge(tables: Sequence[Table], *, weights: Sequence[float] | None = None) -> Table:
    """Interpolate tables linearly; missing rows count as zero.

    The weights are normalised; without weights all tables count equally.
    """
    shares = _shares(tables, weights)
    vocabularies = [table.words.all() for table in tables]
    vocabulary: dict[str, int] = {}
    contexts: dict[str, int] = {}
    matrices, parts, before = [], [], 0
    longest = max(_longest(table) for table in tables)
    for table, words, share in zip(tables, vocabularies, shares, strict=True):
        numbers = np.array(
            [vocabulary.setdefault(w, len(vocabulary)) for w in words], np.int32
        )
        names = [contexts.setdefault(c, len(contexts)) for c in table.contexts.all()]
        matrices.append(_matrix(table, numbers, longest))
        rows = rows_of(table)
        parts.append(
            Rows(
                rows.phrases + before,
                rows.paraphrases + before,
                rows.probabilities * share,
                np.array(names, np.int64)[table.context_numbers],
            )
        )
        before += len(matrices[-1])
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return assemble(
        list(vocabulary),
        np.concatenate(matrices),
        Rows(*(np.concatenate(column) for column in columns)),
        contexts=list(contexts),
        about={
            "method": "merged",
            "parts": [dict(table.about) for table in tables],
            "weights": shares,
        },
    )


def prune(table: Table, *, minimum: float = 0.0, best: int | None = None) -> Table:
    """Keep rows with at least a probability, and only the best of each phrase."""
    counts = lengths_of(table.rows)
    rank = np.arange(len(table)) - np.repeat(table.rows[:-1].astype(np.int64), counts)
    kept = table.probabilities >= np.float32(minimum)
    if best is not None:
        kept &= rank < best
    old = rows_of(table)
    rows = Rows(
        old.phrases[kept],
        old.paraphrases[kept],
        old.probabilities[kept],
        table.context_numbers[kept].astype(np.int64),
    )
    # Phrases that no row needs any longer go, and so do their words.
    needed, numbers = np.unique(
        np.concatenate([rows.phrases, rows.paraphrases]), return_inverse=True
    )
    same = np.arange(len(table.words), dtype=np.int32)
    left, right = np.split(numbers.astype(np.int64), 2)
    return assemble(
        table.words.all(),
        _matrix(table, same, _longest(table))[needed],
        replace(rows, phrases=left, paraphrases=right),
        contexts=table.contexts.all(),
        about=table.about,
    )


def rows_of(table: Table) -> Rows:
    """Return the rows of a table in columns."""
    counts = lengths_of(table.rows)
    return Rows(
        np.repeat(np.arange(len(counts)), counts),
        table.paraphrases.astype(np.int64),
        table.probabilities.astype(np.float64),
        table.context_numbers.astype(np.int64),
    )


def _encode_phrases(
    phrases: Sequence[Sequence[str]],
) -> tuple[list[str], NDArray[np.int32]]:
    vocabulary: dict[str, int] = {}
    for word in chain.from_iterable(phrases):
        vocabulary.setdefault(word, len(vocabulary))
    longest = max((len(phrase) for phrase in phrases), default=1)
    matrix = np.full((len(phrases), max(longest, 1)), NO_WORD, np.int32)
    for row, phrase in zip(matrix, phrases, strict=True):
        row[: len(phrase)] = [vocabulary[word] for word in phrase]
    return list(vocabulary), matrix


def _words_in_order(
    vocabulary: Sequence[str], phrases: NDArray[np.int32]
) -> tuple[list[str], NDArray[np.int32]]:
    """Return the words in use, sorted, and the phrases in their new numbers."""
    used = np.unique(phrases)
    order = sorted(
        (number for number in used.tolist() if number != NO_WORD),
        key=vocabulary.__getitem__,
    )
    # The last number is that of NO_WORD, which as an index is the last one too.
    numbers = np.full(len(vocabulary) + 1, NO_WORD, np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    return [vocabulary[number] for number in order], numbers[phrases]


def _phrases_in_order(
    matrix: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows to take, sorted and distinct, and the new index of each row."""
    order = np.lexsort(matrix.T[::-1])
    ordered = matrix[order]
    new = mark_changes(*ordered.T)
    index = np.empty(len(order), np.int64)
    index[order] = np.cumsum(new) - 1
    return order[new], index


def _add_equal_rows(
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    probability: NDArray[np.float64],
    context: NDArray[np.int64],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Add up equal rows, and order the rest by phrase and probability."""
    order = np.lexsort((context, right, left))
    left, right, context = left[order], right[order], context[order]
    first = np.flatnonzero(mark_changes(left, right, context))
    sums = sum_groups(probability[order], first)
    left, right, context = left[first], right[first], context[first]
    # Rows are in order of everything but probability, and lexsort is stable.
    final = np.lexsort((-sums.astype(np.float32), left))
    return left[final], right[final], sums[final], context[final]


def _shares(tables: Sequence[Table], weights: Sequence[float] | None) -> list[float]:
    if not tables:
        raise ParaphrastError("there are no tables to merge. Give at least one.")
    given = [1.0] * len(tables) if weights is None else list(weights)
    if len(given) != len(tables) or min(given) < 0 or not sum(given) > 0:
        raise ParaphrastError(
            f"{len(tables)} tables need as many weights, none of them negative and "
            f"not all zero, but the weights are {given}."
        )
    return [weight / sum(given) for weight in given]


def _longest(table: Table) -> int:
    return max(int(lengths_of(table.starts).max(initial=1)), 1)


def _matrix(
    table: Table, numbers: NDArray[np.int32], longest: int
) -> NDArray[np.int32]:
    """Return a table's phrases as a matrix, its words renumbered."""
    sizes = lengths_of(table.starts)
    matrix = np.full((len(sizes), longest), NO_WORD, np.int32)
    matrix[np.arange(longest) < sizes[:, None]] = numbers[table.tokens]
    return matrix
