"""Count the n-grams that outputs share with their references, a corpus at a time.

Texts are integer arrays, one element per word (`encode_words`) or per character. An
n-gram is its first n - 1 elements and one more; indexing these pairs by one sort per
order replaces a dictionary per sentence. As an n-gram is shared only if its prefix is,
each order has fewer positions to check.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.base import Matrix

Numbers: TypeAlias = NDArray[np.int64]

_SEGMENTS = 2_000  # counted at once: sorting stays in the cache, memory is bounded


def encode_words(texts: Sequence[Sequence[str]]) -> list[Numbers]:
    """Index every word, consistently over all texts."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    return [np.array([vocabulary[word] for word in text], np.int64) for text in texts]


def encode_characters(text: str) -> Numbers:
    """Return a text's characters as numbers."""
    letters = text.encode("utf-32-le", "surrogatepass")
    return np.frombuffer(letters, np.uint32).astype(np.int64)


def count_shared(
    outputs: Sequence[Numbers], references: Sequence[Sequence[Numbers]], *, order: int
) -> Matrix:
    """Count the n-grams of each output that a reference has: (segments, order).

    Counts are clipped to the maximum over the references.
    """
    blocks = [
        _count_block(
            outputs[start : start + _SEGMENTS],
            references[start : start + _SEGMENTS],
            order=order,
        )
        for start in range(0, len(outputs), _SEGMENTS)
    ]
    return np.concatenate(blocks)


def possible(lengths: Numbers, *, order: int) -> Matrix:
    """Count the n-grams that texts of these lengths have: (segments, order)."""
    counts: Matrix = np.maximum(lengths[:, None] - np.arange(order), 0).astype(float)
    return counts


def _count_block(
    outputs: Sequence[Numbers], references: Sequence[Sequence[Numbers]], *, order: int
) -> Matrix:
    texts = [*outputs, *(text for group in references for text in group)]
    owners = [*range(len(outputs)), *(n for n, k in enumerate(references) for _ in k)]
    roles = [0] * len(outputs) + [r for k in references for r in range(1, len(k) + 1)]
    elements = np.concatenate(texts)
    lengths = np.array([len(text) for text in texts])
    owner, role = np.repeat(owners, lengths), np.repeat(roles, lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(elements))
    size = int(elements.max(initial=0)) + 1

    result = np.zeros((len(outputs), order))
    gram = owner.astype(np.int64)  # of order 0: no elements, only a segment
    where = np.arange(len(elements))
    for n in range(order):
        where = where[left[where] > n]
        _, ids = np.unique(
            gram[where] * size + elements[where + n], return_inverse=True
        )
        hits = _hits(ids, role[where])
        segments = np.zeros(len(hits), np.int64)
        segments[ids] = owner[where]
        result[:, n] = np.bincount(segments, weights=hits, minlength=len(outputs))
        gram[where] = ids
        where = where[hits[ids] > 0]
    return result


def _hits(ids: Numbers, role: Numbers) -> Numbers:
    """Return the clipped count of each n-gram."""
    kinds = int(ids.max(initial=-1)) + 1
    most = np.zeros(kinds, np.int64)
    for number in range(1, int(role.max(initial=0)) + 1):
        np.maximum(most, np.bincount(ids[role == number], minlength=kinds), out=most)
    return np.minimum(most, np.bincount(ids[role == 0], minlength=kinds))
