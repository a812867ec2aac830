"""Scores of phrase pairs: phrase and lexical probabilities, and reordering.

The four standard scores are Moses'. By phrase, p(e|f) = c(f, e) / c(f) for the source
phrase f and the target phrase e; by word,

    lex(e|f) = product over the words of e of the mean of w(word|its linked words),

with w(e|f) = c(f, e) / c(f) over the word links of the corpus, where a word without
links counts as linked to an empty word (Koehn et al. 2003). The inverse scores turn
the two languages round. The links inside a phrase pair are its commonest.

Counts can be smoothed (Foster, Kuhn and Johnson 2006). "good-turing" lowers counts up
to 10 by the ratio (c + 1) n(c + 1) / (c n(c)), where n(c) pairs were seen c times, as
Moses does. "kneser-ney" takes a discount D from each count and gives what it takes to
all e by how many phrases they translate:

    p(e|f) = (c(f, e) - D) / c(f) + alpha(f) n(e) / n,    alpha(f) = sum of D / c(f).

Here alpha is exact, so that p sums to 1 over all e; Moses takes the pair's own D for
all of f's. Reordering is msd-bidirectional-fe: (c + 0.5) / (all three + 1.5).
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import unknown
from paraphrast.phrase.building import assemble
from paraphrast.phrase.coded_corpus import CodedLinks, Corpus
from paraphrast.phrase.extraction import PhrasePairs
from paraphrast.phrase.table import STANDARD, PhraseTable
from paraphrast.text.runs import Runs, lengths_of

Smoothing: TypeAlias = Literal["none", "good-turing", "kneser-ney"]
SMOOTHINGS = ("none", "good-turing", "kneser-ney")
REORDERING_SMOOTHING = 0.5
# Counts above this are trusted as they are.
GOOD_TURING_MOST = 10
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Counts of linked words; the last index of a side is its empty word.

    ``keys`` are source * (target words + 1) + target, in order.
    """

    source_words: int
    target_words: int
    keys: NDArray[np.int64]
    counts: Floats

    def probabilities(self) -> tuple[Floats, Floats]:
        """Return w(source|target) and w(target|source) of each key."""
        sources, targets = np.divmod(self.keys, self.target_words + 1)
        by_source = np.bincount(sources, self.counts)
        by_target = np.bincount(targets, self.counts)
        return self.counts / by_target[targets], self.counts / by_source[sources]


def score(
    corpus: Corpus,
    links: CodedLinks,
    pairs: PhrasePairs,
    *,
    smoothing: Smoothing = "none",
    reordering: bool = True,
) -> PhraseTable:
    """Return the table of the phrase pairs that `extract` found in a corpus."""
    inverse, direct = phrase_probabilities(pairs, smoothing)
    words = lexicon(corpus, links)
    inverse_words, direct_words = lexical_weights(pairs, words)
    scores = np.stack(
        [np.log(inverse), inverse_words, np.log(direct), direct_words], axis=1
    )
    ways = _reordering(pairs) if reordering else np.zeros((len(pairs), 0))
    return assemble(
        (corpus.source.vocabulary, corpus.target.vocabulary),
        (pairs.sources, pairs.targets),
        pairs.phrases,
        {
            "outputs": pairs.outputs,
            "scores": scores.astype(np.float32),
            "reordering": ways.astype(np.float32),
            "link_starts": pairs.link_starts,
            "links": pairs.links,
            "counts": pairs.counts.astype(np.float32),
            "examples": pairs.examples,
        },
        {"scores": list(STANDARD), "smoothing": smoothing, "pairs": len(corpus)},
    )


def phrase_probabilities(
    pairs: PhrasePairs, smoothing: Smoothing = "none"
) -> tuple[Floats, Floats]:
    """Return p(source|target) and p(target|source) of each phrase pair."""
    by_source = np.bincount(pairs.phrases, pairs.counts)[pairs.phrases]
    by_target = np.bincount(pairs.outputs, pairs.counts)[pairs.outputs]
    if smoothing == "none":
        return pairs.counts / by_target, pairs.counts / by_source
    if smoothing == "good-turing":
        lowered = pairs.counts * good_turing(pairs.counts)
        return lowered / by_target, lowered / by_source
    if smoothing == "kneser-ney":
        return (
            _kneser_ney(pairs.counts, given=pairs.outputs, of=pairs.phrases),
            _kneser_ney(pairs.counts, given=pairs.phrases, of=pairs.outputs),
        )
    raise unknown("smoothing", smoothing, SMOOTHINGS)


def good_turing(counts: Floats) -> Floats:
    """Return what to multiply each count with; at most 1."""
    times = np.ceil(counts - 1e-5).astype(np.int64)
    seen = _counts_of_counts(times, GOOD_TURING_MOST + 1).astype(np.float64)
    ratios = np.ones(GOOD_TURING_MOST + 2)
    for count in range(1, GOOD_TURING_MOST + 1):
        if seen[count] and seen[count + 1]:
            ratio = (count + 1) * seen[count + 1] / (count * seen[count])
            ratios[count] = min(1.0, ratio)
    return ratios[np.minimum(times, GOOD_TURING_MOST + 1)]


def discounts(counts: Floats) -> Floats:
    """Return modified Kneser-Ney's D of each count (Chen and Goodman 1998).

    D is at most the count, and 0 where the corpus is too small to tell.
    """
    times = np.ceil(counts - 1e-5).astype(np.int64)
    seen = _counts_of_counts(times, 4).astype(np.float64)
    some = seen[1] + 2 * seen[2]
    share = seen[1] / some if some else 0.0
    values = np.zeros(4)
    for count in (1, 2, 3):
        if seen[count]:
            value = count - (count + 1) * share * seen[count + 1] / seen[count]
            # The bounds are Moses': something must be left of each count.
            values[count] = min(max(value, 0.0), count - 0.1)
    return np.minimum(values[np.minimum(times, 3)], 0.9 * counts)


def lexicon(corpus: Corpus, links: CodedLinks) -> Lexicon:
    """Count linked words, and words without links as linked to the empty word."""
    source_words = len(corpus.source.vocabulary)
    target_words = len(corpus.target.vocabulary)
    runs = np.repeat(np.arange(len(links.starts) - 1), np.diff(links.starts))
    alignment, pair = np.divmod(runs, len(corpus))
    source_indices = corpus.source.starts[pair] + links.cells[:, 0]
    target_indices = corpus.target.starts[pair] + links.cells[:, 1]
    sources = [corpus.source.words[source_indices]]
    targets = [corpus.target.words[target_indices]]
    for number in range((len(links.starts) - 1) // len(corpus)):
        mine = alignment == number
        left = np.delete(corpus.source.words, source_indices[mine])
        right = np.delete(corpus.target.words, target_indices[mine])
        sources += [left, np.full(len(right), source_words)]
        targets += [np.full(len(left), target_words), right]
    keys = np.concatenate(sources).astype(np.int64) * (target_words + 1)
    keys, counts = np.unique(keys + np.concatenate(targets), return_counts=True)
    return Lexicon(source_words, target_words, keys, counts.astype(np.float64))


def lexical_weights(pairs: PhrasePairs, words: Lexicon) -> tuple[Floats, Floats]:
    """Return the logarithms of lex(source|target) and lex(target|source)."""
    rows = np.repeat(np.arange(len(pairs)), lengths_of(pairs.link_starts))
    sources = pairs.sources.take(pairs.phrases)
    targets = pairs.targets.take(pairs.outputs)
    from_ = sources.starts[rows] + pairs.links[:, 0]
    to = targets.starts[rows] + pairs.links[:, 1]
    keys = sources.words[from_].astype(np.int64) * (words.target_words + 1)
    result = np.searchsorted(words.keys, keys + targets.words[to])
    inverse, direct = words.probabilities()
    # The keys of words linked to nothing: source with empty target, and the reverse.
    alone = sources.words.astype(np.int64) * (words.target_words + 1)
    source_alone = np.searchsorted(words.keys, alone + words.target_words)
    beginning = words.source_words * (words.target_words + 1)
    target_alone = np.searchsorted(words.keys, beginning + targets.words)
    return (
        _product(sources, from_, inverse[result], _at(inverse, source_alone)),
        _product(targets, to, direct[result], _at(direct, target_alone)),
    )


def _product(
    runs: Runs, indices: NDArray[Any], linked: Floats, alone: Floats
) -> Floats:
    """Multiply, for each run, the mean of each word's links, or its value alone."""
    links = np.bincount(indices, minlength=len(runs.words))
    sums = np.bincount(indices, linked, minlength=len(runs.words))
    means = np.where(links > 0, sums / np.maximum(links, 1), alone)
    sums_of_runs: Floats = np.add.reduceat(np.log(means), runs.starts[:-1])
    return sums_of_runs


def _kneser_ney(
    counts: Floats, *, given: NDArray[np.uint32], of: NDArray[np.uint32]
) -> Floats:
    taken = discounts(counts)
    total = np.bincount(given, counts)[given]
    mass = np.bincount(given, taken)[given] / total
    share = np.bincount(of)[of] / len(counts)
    return (counts - taken) / total + mass * share


def _reordering(pairs: PhrasePairs) -> Floats:
    counts = pairs.orientations.astype(np.float64).reshape(-1, 2, 3)
    smoothed = counts + REORDERING_SMOOTHING
    shares = smoothed / smoothed.sum(axis=2, keepdims=True)
    logarithms: Floats = np.log(shares).reshape(-1, 6)
    return logarithms


def _counts_of_counts(times: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    return np.bincount(times[times <= most], minlength=most + 1)


def _at(values: Floats, indices: NDArray[np.intp]) -> Floats:
    # A word that is never without links has no such key, and its value is not used.
    return values[np.minimum(indices, len(values) - 1)]
