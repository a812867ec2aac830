"""IBM Model 1 for sentence alignment (Moore 2002, section 3.2).

It is trained on the pairs that are certain by lengths alone. Words seen once in them,
and all but the most frequent few thousand, are mapped to one word, *other*; in each EM
iteration after the first, a link that is no more probable than chance is assigned to
the empty word instead, which keeps rare words from explaining everything.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.sentence_alignment.search import Floats

Words: TypeAlias = Sequence[str]
Ids: TypeAlias = NDArray[np.int64]

ITERATIONS = 4
VOCABULARY = 5000
# These bound the memory of training. Four million links between words come from
# some thirty thousand pairs of sentences, or a hundred of whole pages.
LINKS = 4_000_000
WORDS_LINKED = 200
OTHER = 0
# Shares of exactly chance must not pass for more because of rounding.
MORE = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Lexicon:
    """t(target | source): one sparse row per source word and for the empty word."""

    source_ids: dict[str, int]
    target_ids: dict[str, int]
    columns: list[Ids]
    values: list[Floats]
    empty: Floats


def train(pairs: Sequence[tuple[Words, Words]]) -> Lexicon:
    """Estimate the lexicon from sentence pairs, starting from uniform.

    Without any pair all words are *other*, and therefore uninformative.
    """
    if not pairs:
        return Lexicon({}, {}, [np.array([OTHER])], [np.ones(1)], np.ones(1))
    sample = _sample(pairs)
    source_ids = _vocabulary(source for source, _ in sample)
    target_ids = _vocabulary(target for _, target in sample)
    empty = 1 + len(source_ids)
    width = 1 + len(target_ids)
    keys, places, chances = _links(sample, source_ids, target_ids)
    distinct, which = np.unique(keys, return_inverse=True)
    source, target = distinct // width, distinct % width
    to_empty = np.searchsorted(distinct, empty * width + target)
    probabilities = np.ones(len(distinct))
    for iteration in range(ITERATIONS):
        likely = probabilities[which]
        share = likely / np.bincount(places, weights=likely)[places]
        credited = which
        if iteration > 0:
            credited = np.where(share > chances[places] * MORE, which, to_empty[which])
        counts = np.bincount(credited, weights=share, minlength=len(distinct))
        totals = np.bincount(source, weights=counts)[source]
        probabilities = np.divide(
            counts, totals, out=np.zeros_like(counts), where=totals > 0
        )
    return _lexicon(source_ids, target_ids, source, target, probabilities)


def number(side: dict[str, int], words: Words) -> Ids:
    """Return the indices of words, that of *other* for unknown ones."""
    return np.array([side.get(word, OTHER) for word in words], dtype=np.int64)


def _sample(pairs: Sequence[tuple[Words, Words]]) -> list[tuple[Words, Words]]:
    """Return the first pairs, and the first words of each, that memory allows."""
    cut = [(source[:WORDS_LINKED], target[:WORDS_LINKED]) for source, target in pairs]
    links = accumulate((1 + len(source)) * len(target) for source, target in cut)
    return [pair for pair, total in zip(cut, links, strict=True) if total <= LINKS]


def _vocabulary(sentences: Iterable[Words]) -> dict[str, int]:
    """Index the words seen at least twice, the most frequent first."""
    counts = Counter(word for sentence in sentences for word in sentence)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    # A tie at the end of the list is kept whole, as nothing but the alphabet
    # would decide it.
    least = max(2, counts[ranked[VOCABULARY - 1]] if len(ranked) > VOCABULARY else 2)
    kept = [word for word in ranked if counts[word] >= least]
    return {word: number for number, word in enumerate(kept, start=1)}


def _links(
    pairs: Sequence[tuple[Words, Words]],
    source_ids: dict[str, int],
    target_ids: dict[str, int],
) -> tuple[Ids, Ids, Floats]:
    """List every possible link: its pair of words and the index of its target.

    The last value is, for every target word, the uniform probability of its links.
    """
    empty, width = 1 + len(source_ids), 1 + len(target_ids)
    keys: list[Ids] = []
    places: list[Ids] = []
    chances: list[Floats] = []
    offset = 0
    for source, target in pairs:
        origins = np.append(number(source_ids, source), empty)
        results = number(target_ids, target)
        keys.append(np.add.outer(results, origins * width).ravel())
        places.append(np.repeat(np.arange(len(results)) + offset, len(origins)))
        chances.append(np.full(len(results), 1 / len(origins)))
        offset += len(results)
    return np.concatenate(keys), np.concatenate(places), np.concatenate(chances)


def _lexicon(
    source_ids: dict[str, int],
    target_ids: dict[str, int],
    source: Ids,
    target: Ids,
    probabilities: Floats,
) -> Lexicon:
    empty = np.zeros(1 + len(target_ids))
    edges = np.searchsorted(source, np.arange(3 + len(source_ids)))
    columns, values = [], []
    for low, high in zip(edges[:-2], edges[1:-1], strict=True):
        kept = probabilities[low:high] > 0
        columns.append(target[low:high][kept])
        values.append(probabilities[low:high][kept])
    last = slice(edges[-2], edges[-1])
    empty[target[last]] = probabilities[last]
    return Lexicon(source_ids, target_ids, columns, values, empty)
