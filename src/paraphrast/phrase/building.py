"""Build phrase tables: from rows in Python, from columns, or from options of another.

`from_options` is for tests, dictionaries and files of other programs; data extracted
from a corpus are large columns of indices, for `assemble`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.table import (
    LONGEST,
    NO_EXAMPLE,
    STANDARD,
    Option,
    PhraseTable,
    ranking,
)
from paraphrast.text.runs import Runs, starts_of
from paraphrast.text.strings import Strings, strings

Numbers: TypeAlias = dict[str, int]


# The arrays of a table that have one row per option.
COLUMNS = ("outputs", "scores", "reordering", "counts", "examples")


def assemble(
    vocabularies: tuple[Strings, Strings],
    phrases: tuple[Runs, Runs],
    numbers: NDArray[np.uint32],
    options: Mapping[str, NDArray[Any]],
    about: Mapping[str, Any],
) -> PhraseTable:
    """Make a table of options in any order; the phrases must be in order already.

    Option i has the source phrase ``numbers[i]``. ``options`` are the `COLUMNS` of the
    table, and its ``link_starts`` and ``links``.
    """
    column = ranking(about["scores"])
    likelihood = (
        np.zeros(len(numbers), np.float32)
        if column is None
        else -options["scores"][:, column]
    )
    order = np.lexsort((options["outputs"], likelihood, numbers))
    sources, targets = phrases
    return PhraseTable(
        *vocabularies,
        phrase_starts=_narrow(sources.starts),
        phrase_words=sources.words,
        option_starts=_narrow(starts_of(np.bincount(numbers, minlength=len(sources)))),
        output_starts=_narrow(targets.starts),
        output_words=targets.words,
        **_take_options(options, order),
        about=dict(about),
    )


def select_options(table: PhraseTable, kept: NDArray[np.bool_]) -> PhraseTable:
    """Return a table of some of the options, without phrases and words left over."""
    options = _take_options(vars(table), np.flatnonzero(kept))
    numbers = table.phrase_numbers()[kept]
    source, sources, numbers = _compact(table.source, table.sources, numbers)
    outputs = options["outputs"]
    target, targets, options["outputs"] = _compact(table.target, table.targets, outputs)
    about = table.about
    return assemble((source, target), (sources, targets), numbers, options, about)


def from_options(
    options: Iterable[Option],
    *,
    scores: Sequence[str] = STANDARD,
    about: Mapping[str, Any] | None = None,
) -> PhraseTable:
    """Make a table of rows in any order; no phrase pair may be given twice."""
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
    examples = [NO_EXAMPLE if row.example is None else row.example for row in rows]
    columns: dict[str, NDArray[Any]] = {
        "outputs": outputs,
        "scores": _logarithms([row.probabilities for row in rows], len(scores)),
        "reordering": _logarithms([row.reordering for row in rows], reordering),
        "link_starts": starts_of(len(row.links) for row in rows),
        "links": np.array(links, np.uint8).reshape(-1, 2),
        "counts": np.array([row.count for row in rows], np.float32),
        "examples": np.array(examples, np.uint32),
    }
    made = {**(about or {}), "scores": list(scores)}
    return assemble((source, target), (sources, targets), phrases, columns, made)


def vocabulary(texts: Iterable[Sequence[str]]) -> tuple[Strings, Numbers]:
    """Return the words of texts in order, and the number of each."""
    words = sorted(set(chain.from_iterable(texts)))
    for word in words:
        if not word or any(0xD800 <= ord(letter) <= 0xDFFF for letter in word):
            raise ParaphrastError(
                f"{word!r} is not a word in Unicode. Clean the text, or drop the line."
            )
    return strings(words), {word: number for number, word in enumerate(words)}


def _narrow(starts: NDArray[Any]) -> NDArray[np.uint32]:
    if starts[-1] > np.iinfo(np.uint32).max:
        raise ParaphrastError(
            f"a phrase table cannot hold {starts[-1]:,} entries. Allow only shorter "
            "phrases, or prune more."
        )
    return starts.astype(np.uint32)


def _take_options(
    options: Mapping[str, NDArray[Any]], chosen: NDArray[np.intp]
) -> dict[str, Any]:
    links = Runs(options["link_starts"], options["links"]).take(chosen)
    return {
        **{name: options[name][chosen] for name in COLUMNS},
        "link_starts": _narrow(links.starts),
        "links": links.words,
    }


def _compact(
    words: Strings, runs: Runs, numbers: NDArray[np.uint32]
) -> tuple[Strings, Runs, NDArray[np.uint32]]:
    """Keep the phrases that ``numbers`` name and their words; return new numbers."""
    kept, new_numbers = np.unique(numbers, return_inverse=True)
    runs = runs.take(kept)
    used, word_numbers = np.unique(runs.words, return_inverse=True)
    letters = Runs(words.starts, words.text).take(used)
    fewer = Strings(letters.words, _narrow(letters.starts))
    compact = Runs(runs.starts, word_numbers.astype(np.uint32))
    return fewer, compact, new_numbers.astype(np.uint32)


def _encode_phrases(
    texts: list[tuple[str, ...]], numbers: Numbers
) -> tuple[Runs, NDArray[np.uint32]]:
    coded = [tuple(numbers[word] for word in text) for text in texts]
    distinct = sorted(set(coded))
    indices = {phrase: index for index, phrase in enumerate(distinct)}
    words = np.fromiter(chain.from_iterable(distinct), np.uint32)
    runs = Runs(starts_of(map(len, distinct)), words)
    return runs, np.array([indices[phrase] for phrase in coded], np.uint32)


def _logarithms(rows: list[tuple[float, ...]], columns: int) -> NDArray[np.float32]:
    return np.log(np.array(rows, np.float64).reshape(len(rows), columns)).astype(
        np.float32
    )


def _check(row: Option, scores: int, reordering: int) -> None:
    """Refuse an invalid row."""
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
