"""A language model: interpolated modified Kneser-Ney (Chen & Goodman, 1998).

It estimates the same model as KenLM's ``lmplz``. Highest-order n-grams are counted as
they are; a shorter one counts the different words that come before it, unless it begins
the sentence. One ``<s>`` opens a sentence and ``</s>`` closes it; the vocabulary is
that of the training text plus ``<unk>``, to which the last level, a uniform one, gives
its share.

An n-gram is encoded as an integer: the row of its first n-1 words among the
(n-1)-grams, times the size of the vocabulary, plus its last word. Rows are sorted, so
training is a sort and scoring a binary search for all words of all sentences at once.

The compiled `language_model` estimates the same (a test compares them). This one is
kept for the judges: their published signatures are hashes of these sorted arrays, which
cannot be recovered from the compiled tables, as these keep hashes of n-grams.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import Matrix, find_sorted
from paraphrast.storage import weights

Rows: TypeAlias = NDArray[np.int64]
Tokens: TypeAlias = Sequence[str]

UNKNOWN, START, END = "<unk>", "<s>", "</s>"
_SPECIAL = (UNKNOWN, START, END)
_KIND = "ngram-model"
_NEVER = -99.0  # the natural logarithm given to <s>, which is never predicted


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The n-grams of one length: sorted keys, log probabilities, log back-offs."""

    keys: Rows
    log_probability: Matrix
    log_backoff: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of each word of some sentences, including ``</s>``.

    Four arrays of one length, cut into sentences by ``starts``: the natural log
    probability, what it would be without the words before, the length of the longest
    n-gram that was found, and whether the word is unknown.
    """

    log_probability: Matrix
    alone: Matrix
    matched: Rows
    unknown: NDArray[np.bool_]
    starts: Rows

    def sums(self) -> Matrix:
        """Return the log probability of each sentence."""
        return np.add.reduceat(self.log_probability, self.starts)

    def lengths(self) -> Rows:
        """Return the number of words of each sentence, including ``</s>``."""
        return np.diff(np.append(self.starts, len(self.log_probability)))


@dataclass(frozen=True, eq=False)
class NgramModel:
    """A trained model; make one with `train` or `load`."""

    vocabulary: tuple[str, ...]
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """Return the length of the longest n-gram."""
        return len(self.levels)

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        return weights.digest(_KIND, {}, self._arrays())

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.vocabulary)}

    def score(self, sentences: Sequence[Tokens]) -> Scored:
        """Score every word of every sentence, given the words before it."""
        if not sentences:
            nothing = np.zeros(0, np.int64)
            none = np.zeros(0)
            return Scored(none, none, nothing, nothing.astype(bool), nothing)
        ids, position = _encode_sentences(sentences, self._ids)
        rows = ids
        alone = self.levels[0].log_probability[ids]
        log_probability = alone.copy()
        matched = np.where(ids == 0, 0, 1)
        for n in range(2, self.order + 1):
            context = np.concatenate(([-1], rows[:-1]))
            context[position < n - 1] = -1
            has_context = context >= 0
            level, shorter = self.levels[n - 1], self.levels[n - 2]
            rows = np.full(len(ids), -1)
            keys = context[has_context] * len(self.vocabulary) + ids[has_context]
            rows[has_context] = find_sorted(level.keys, keys)
            backed = has_context & (rows < 0)
            log_probability[backed] += shorter.log_backoff[context[backed]]
            hit = rows >= 0
            log_probability[hit] = level.log_probability[rows[hit]]
            matched[hit] = n
        words = position > 0
        return Scored(
            log_probability[words],
            alone[words],
            matched[words],
            ids[words] == 0,
            np.flatnonzero(position[words] == 1),
        )

    def perplexity(self, sentences: Sequence[Tokens]) -> float:
        """Return the perplexity per word, including unknown words and ``</s>``."""
        if not sentences:
            raise ParaphrastError("perplexity: nothing to score.")
        return float(np.exp(-np.mean(self.score(sentences).log_probability)))

    def save(self, path: Path) -> None:
        """Write the model; see `weights.save`."""
        weights.save(path, _KIND, {}, self._arrays())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {
            "vocabulary": weights.pack_texts(self.vocabulary)
        }
        for n, level in enumerate(self.levels, start=1):
            arrays[f"keys{n}"] = level.keys
            arrays[f"log_probability{n}"] = level.log_probability.astype(np.float32)
            if n < self.order:
                arrays[f"log_backoff{n}"] = level.log_backoff.astype(np.float32)
        return arrays


def load(path: Path) -> NgramModel:
    """Read a model that `NgramModel.save` wrote."""
    _, arrays = weights.load(path, _KIND)
    order = sum(name.startswith("keys") for name in arrays)
    levels = []
    for n in range(1, order + 1):
        keys = arrays[f"keys{n}"]
        backoff = arrays.get(f"log_backoff{n}", np.zeros(len(keys)))
        probability = arrays[f"log_probability{n}"]
        levels.append(Level(keys, weights.single(probability), weights.single(backoff)))
    return NgramModel(weights.unpack_texts(arrays["vocabulary"]), tuple(levels))


def train(
    sentences: Sequence[Tokens],
    *,
    order: int = 3,
    minimum_count: int = 1,
    also: Iterable[str] = (),
) -> NgramModel:
    """Estimate a model; words rarer than ``minimum_count`` become ``<unk>``.

    Words in ``also`` belong to the vocabulary even if the sentences lack them, so that
    two models can share a vocabulary and their probabilities can be compared.
    """
    if not 1 <= order <= 5:
        raise ParaphrastError(f"order must be 1 to 5, not {order}.")
    if not any(sentences):
        raise ParaphrastError("no words to train a language model on.")
    vocabulary = _vocabulary(sentences, minimum_count, also)
    ids, position = _encode_sentences(
        sentences, {w: i for i, w in enumerate(vocabulary)}
    )
    keys, counts = _count_ngrams(ids, position, order=order, size=len(vocabulary))
    levels: list[Level] = []
    for n in range(1, order + 1):
        levels.append(_level(n, keys, counts, levels, size=len(vocabulary)))
    for n in range(1, order):
        contexts = keys[n] // len(vocabulary)
        backoff = _backoff(counts[n], contexts, len(keys[n - 1]))
        levels[n - 1].log_backoff[:] = np.log(backoff)
    return NgramModel(vocabulary, tuple(map(_round, levels)))


def _round(level: Level) -> Level:
    # As precise as what is saved, so that a model says the same before and after.
    return Level(
        level.keys,
        weights.single(level.log_probability),
        weights.single(level.log_backoff),
    )


def _vocabulary(
    sentences: Sequence[Tokens], minimum_count: int, also: Iterable[str]
) -> tuple[str, ...]:
    counts = Counter(chain.from_iterable(sentences))
    kept = {word for word, count in counts.items() if count >= minimum_count}
    return (*_SPECIAL, *sorted(kept.union(also).difference(_SPECIAL)))


def _encode_sentences(
    sentences: Sequence[Tokens], ids: dict[str, int]
) -> tuple[Rows, NDArray[np.int64]]:
    # All sentences in a row, each with <s> and </s>; each word's position in its own.
    lengths = np.fromiter((len(s) + 2 for s in sentences), np.int64, len(sentences))
    encoded = chain.from_iterable(
        chain((1,), (ids.get(word, 0) for word in sentence), (2,))
        for sentence in sentences
    )
    total = int(lengths.sum())
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.fromiter(encoded, np.int64, total), np.arange(total) - starts


def _count_ngrams(
    ids: Rows, position: Rows, *, order: int, size: int
) -> tuple[list[Rows], list[Rows]]:
    """Return each order's sorted n-grams and their counts."""
    keys: list[Rows] = [np.arange(size)]
    raw = np.bincount(ids, minlength=size)
    counts: list[Rows] = []
    opens = np.arange(size) == 1
    rows = ids
    for n in range(2, order + 1):
        inside = np.flatnonzero(position >= n - 1)
        context = rows[inside - 1]
        result, first, inverse, times = np.unique(
            context * size + ids[inside],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        suffix = rows[inside[first]]
        before = np.bincount(suffix, minlength=len(raw))
        counts.append(np.where(opens, raw, before))
        opens = opens[context[first]]
        rows = np.full(len(ids), -1)
        rows[inside] = inverse
        keys.append(result)
        raw = times
    return keys, [*counts, raw]


def _level(
    n: int, keys: list[Rows], counts: list[Rows], lower: list[Level], *, size: int
) -> Level:
    count = counts[n - 1].copy()
    if n == 1:
        count[1] = 0  # <s> is never predicted
        context = np.zeros(size, np.int64)
        below = np.full(size, 1 / (size - 1))
    else:
        context = keys[n - 1] // size
        below = np.exp(lower[-1].log_probability[_suffix(n, keys, size)])
    rows = 1 if n == 1 else len(keys[n - 2])
    discounted = count - _discounts(count)[np.minimum(count, 3)]
    total = np.bincount(context, weights=count, minlength=rows)
    backoff = _backoff(count, context, rows)
    probability = discounted / total[context] + backoff[context] * below
    if n == 1:
        probability[1] = np.exp(_NEVER)
    return Level(keys[n - 1], np.log(probability), np.zeros(len(probability)))


def _suffix(n: int, keys: list[Rows], size: int) -> Rows:
    # The row of w2 … wn for each w1 … wn: drop the first word, then look up again.
    words = []
    rows = np.arange(len(keys[n - 1]))
    for level in range(n, 1, -1):
        key = keys[level - 1][rows]
        words.append(key % size)
        rows = key // size
    row = words[-1]
    for level, word in enumerate(reversed(words[:-1]), start=2):
        row = find_sorted(keys[level - 1], row * size + word)
    return row


def _backoff(count: Rows, context: Rows, rows: int) -> Matrix:
    """Return the share of each context's mass that its discounts free."""
    total = np.bincount(context, weights=count, minlength=rows)
    discount = _discounts(count)[np.minimum(count, 3)]
    free = np.bincount(context, weights=discount, minlength=rows)
    # A context that is never continued (every </s>) hands all to the shorter one.
    return np.divide(free, total, out=np.ones(rows), where=total > 0)


def _discounts(count: Rows) -> Matrix:
    """Return the discounts for counts of 0, 1, 2 and 3 or more."""
    n1, n2, n3, n4 = (int(np.sum(count == k)) for k in (1, 2, 3, 4))
    if min(n1, n2, n3, n4) > 0:
        y = n1 / (n1 + 2 * n2)
        result = np.array(
            [0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
        )
        if np.all(result[1:] > 0) and np.all(result <= np.arange(4)):
            return result
    # Too little text to estimate them: KenLM's --discount_fallback.
    return np.array([0, 0.5, 1.0, 1.5])
