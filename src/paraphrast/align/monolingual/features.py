"""The grid of a sentence pair: features of every pair of words that need no training.

Pairs are laid out in batches of grids, padded to the largest. A cell's features are
named in `NAMES`. Positions are relative, so a pair's length does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from paraphrast.align.base import WordPair
from paraphrast.align.monolingual.forms import Floats, Form, form

Ids: TypeAlias = npt.NDArray[np.int64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Named: TypeAlias = dict[str, npt.NDArray[Any]]

NAMES: Final = (
    "identical",
    "same stem",
    "common beginning",
    "common end",
    "letter trigrams",
    "both marks",
    "both numbers",
    "both function words",
    "both content words",
    "function and content word",
    "mark and word",
    "number and content word",
    "identical and alone",
    "same occurrence of a word",
    "same occurrence of a stem",
    "no same stem in the row",
    "no same stem in the column",
    "distance from the diagonal",
    "above the diagonal",
    "both first",
    "both last",
    "length of the source word",
    "length of the target word",
    "short source",
    "short target",
)


@dataclass(frozen=True, slots=True)
class Grids:
    """A batch of pairs; ``words`` are in lower case and the first is padding."""

    cells: Floats  # features, pairs, source words, target words
    mask: Floats  # pairs, source words, target words
    sources: Ids  # pairs, source words: which of ``words``
    targets: Ids
    words: tuple[str, ...]


def grids(pairs: Sequence[WordPair]) -> Grids:
    """Lay out pairs as one batch; none may have an empty side."""
    table: dict[str, int] = {"": 0}
    sources = _ids([source for source, _ in pairs], table)
    targets = _ids([target for _, target in pairs], table)
    word_forms = [form(word) for word in table]
    mask = (sources > 0)[:, :, None] & (targets > 0)[:, None, :]
    named = (
        _words(word_forms, sources, targets, mask)
        | _spelling(word_forms, sources, targets)
        | _kinds(word_forms, sources, targets)
        | _positions(mask)
    )
    cells = np.empty((len(NAMES), *mask.shape), dtype=np.float32)
    for feature, name in zip(cells, NAMES, strict=True):
        np.multiply(named[name], mask, out=feature)
    return Grids(cells, mask.astype(np.float32), sources, targets, tuple(table))


def _ids(sentences: Sequence[Sequence[str]], table: dict[str, int]) -> Ids:
    ids = np.zeros((len(sentences), max(map(len, sentences))), dtype=np.int64)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = [
            table.setdefault(word.lower() or " ", len(table)) for word in sentence
        ]
    return ids


def _words(forms: Sequence[Form], sources: Ids, targets: Ids, mask: Truths) -> Named:
    numbers: dict[str, int] = {}
    stem = np.array([numbers.setdefault(form.stem, len(numbers)) for form in forms])
    identical = (sources[:, :, None] == targets[:, None, :]) & mask
    same_stem = (stem[sources][:, :, None] == stem[targets][:, None, :]) & mask
    alone = identical.sum(1, keepdims=True) * identical.sum(2, keepdims=True) == 1
    return {
        "identical": identical,
        "same stem": same_stem,
        "identical and alone": identical & alone,
        "same occurrence of a word": identical & _same_rank(sources, targets),
        "same occurrence of a stem": same_stem
        & _same_rank(stem[sources], stem[targets]),
        "no same stem in the row": ~same_stem.any(2, keepdims=True),
        "no same stem in the column": ~same_stem.any(1, keepdims=True),
    }


def _same_rank(sources: Ids, targets: Ids) -> Truths:
    left, right = (
        np.tril(ids[:, :, None] == ids[:, None, :], -1).sum(2)
        for ids in (sources, targets)
    )
    same: Truths = left[:, :, None] == right[:, None, :]
    return same


def _spelling(forms: Sequence[Form], sources: Ids, targets: Ids) -> Named:
    length = np.array([max(form.length, 1) for form in forms], dtype=np.float32)
    left, right = length[sources][:, :, None], length[targets][:, None, :]
    longest = np.maximum(left, right)
    first = _common([form.first for form in forms], sources, targets)
    last = _common([form.last for form in forms], sources, targets)
    trigrams = np.stack([form.trigrams for form in forms])
    return {
        "common beginning": first / longest,
        "common end": last / longest,
        "letter trigrams": trigrams[sources] @ trigrams[targets].swapaxes(1, 2),
        "length of the source word": np.minimum(left, 12) / 12,
        "length of the target word": np.minimum(right, 12) / 12,
    }


def _common(letters: Sequence[npt.NDArray[Any]], sources: Ids, targets: Ids) -> Floats:
    """Count the letters that two words share from this end on."""
    codes = np.stack(letters).T
    common = np.zeros(
        (len(sources), sources.shape[1], targets.shape[1]), dtype=np.float32
    )
    going = np.ones(common.shape, dtype=bool)
    for code in codes:
        left = code[sources][:, :, None]
        going &= (left == code[targets][:, None, :]) & (left > 0)
        common += going
    return common


def _kinds(forms: Sequence[Form], sources: Ids, targets: Ids) -> Named:
    kind = np.array([first.kind for first in forms])
    left = [(kind == k)[sources][:, :, None] for k in range(4)]
    right = [(kind == k)[targets][:, None, :] for k in range(4)]
    mark, number, function, content = range(4)

    def one_of_each(first: int, second: int) -> Truths:
        both: Truths = (left[first] & right[second]) | (left[second] & right[first])
        return both

    return {
        "both marks": left[mark] & right[mark],
        "both numbers": left[number] & right[number],
        "both function words": left[function] & right[function],
        "both content words": left[content] & right[content],
        "function and content word": one_of_each(function, content),
        "mark and word": left[mark] ^ right[mark],
        "number and content word": one_of_each(number, content),
    }


def _positions(mask: Truths) -> Named:
    rows = mask.any(2).sum(1)[:, None, None]
    columns = mask.any(1).sum(1)[:, None, None]
    i = np.arange(mask.shape[1])[:, None]
    j = np.arange(mask.shape[2])
    offset = (i + 0.5) / rows - (j + 0.5) / columns
    return {
        "distance from the diagonal": np.abs(offset),
        "above the diagonal": np.maximum(offset, 0),
        "both first": (i + j == 0) & mask,
        "both last": (i == rows - 1) & (j == columns - 1),
        "short source": 4.0 / (rows + 4),
        "short target": 4.0 / (columns + 4),
    }
