"""Make a phrase table smaller without loss.

Significance pruning (Johnson et al. 2007) drops phrase pairs that co-occur no more
often than by chance: from the numbers of sentence pairs whose source has f, whose
target has e, and that have both, whether linked or not, Fisher's exact test gives the
probability p of at least so many. Two phrases seen only once each, together, have alpha
= log(number of sentence pairs). The threshold "alpha+epsilon", just above, drops all
such pairs; "alpha-epsilon", just below, keeps them.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import select_options
from paraphrast.phrase.coded_corpus import Corpus
from paraphrast.phrase.table import PhraseTable
from paraphrast.text.runs import lengths_of

Threshold: TypeAlias = Literal["alpha+epsilon", "alpha-epsilon"]
EPSILON = 0.01


def significant(
    table: PhraseTable, corpus: Corpus, *, threshold: Threshold | float
) -> PhraseTable:
    """Keep the options whose -log(p) in the corpus is at least the threshold."""
    return select_options(
        table, significance(table, corpus) >= _limit(threshold, corpus)
    )


def limit_options(table: PhraseTable, most: int) -> PhraseTable:
    """Keep only the most probable options of each phrase, up to a limit."""
    if most < 1:
        raise ParaphrastError(f"a phrase needs at least 1 option, not {most}.")
    firsts = np.repeat(table.option_starts[:-1], lengths_of(table.option_starts))
    return select_options(table, np.arange(len(table)) - firsts < most)


def significance(table: PhraseTable, corpus: Corpus) -> NDArray[np.float64]:
    """Return -log(p) of each option, in the order of the table."""
    source = corpus.source.with_vocabulary(table.source)
    target = corpus.target.with_vocabulary(table.target)
    phrases = table.phrase_numbers()
    with_source, with_target, with_both = _native.cooccurrences(
        source.words,
        source.starts,
        target.words,
        target.starts,
        table.phrase_words,
        table.phrase_starts.astype(np.int64),
        table.output_words,
        table.output_starts.astype(np.int64),
        phrases,
        table.outputs,
    )
    counts = np.stack([with_both, with_source[phrases], with_target[table.outputs]])
    # Most pairs are rare: there are only a few thousand distinct counts.
    distinct, indices = np.unique(counts, axis=1, return_inverse=True)
    both, source_counts, target_counts = distinct.astype(np.int64)
    values = fisher(both, source_counts, target_counts, total=len(corpus))
    return values[indices.reshape(-1)]


def fisher(
    both: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    *,
    total: int,
) -> NDArray[np.float64]:
    """Return -log of the probability that two phrases co-occur ``both`` times or more.

    They occur in ``source`` and ``target`` of ``total`` sentence pairs.
    """
    factorials = np.concatenate(
        [[0.0], np.cumsum(np.log(np.arange(1, total + 1, dtype=np.float64)))]
    )

    def choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        ways: NDArray[np.float64] = factorials[n] - factorials[k] - factorials[n - k]
        return ways

    # Fewer meetings than must be are as likely as those: certain.
    start = np.maximum(both, np.maximum(source + target - total, 0))
    everything = np.full_like(source, total)
    first = (
        choose(source, start)
        + choose(total - source, target - start)
        - choose(everything, target)
    )
    chances: NDArray[np.float64] = -(
        first + np.log(_tail(start, source, target, total))
    )
    return np.maximum(chances, 0.0)


def _tail(
    start: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    total: int,
) -> NDArray[np.float64]:
    """Sum the hypergeometric terms from ``start`` on, relative to the first."""
    sums = np.ones(len(start))
    rows = np.flatnonzero(start < np.minimum(source, target))
    terms, k = np.ones(len(rows)), start[rows]
    with np.errstate(over="ignore"):  # infinitely many times the first: certain
        while len(rows):
            s, t = source[rows], target[rows]
            ratio = (s - k) * (t - k) / ((k + 1) * (total - s - t + k + 1))
            terms, k = terms * ratio, k + 1
            sums[rows] += terms
            more = (k < np.minimum(s, t)) & ((terms > 1e-17 * sums[rows]) | (ratio > 1))
            rows, terms, k = rows[more], terms[more], k[more]
    return sums


def _limit(threshold: Threshold | float, corpus: Corpus) -> float:
    alpha = float(np.log(len(corpus)))
    if threshold == "alpha+epsilon":
        return alpha + EPSILON
    if threshold == "alpha-epsilon":
        return alpha - EPSILON
    if isinstance(threshold, str) or not np.isfinite(threshold):
        raise ParaphrastError(
            f"unknown threshold {threshold!r}. Give alpha+epsilon, alpha-epsilon "
            "or a number."
        )
    return float(threshold)
