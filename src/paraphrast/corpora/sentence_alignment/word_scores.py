"""The probability of the words of a bead: Model 1 and word frequencies.

Words of unpaired sentences, and source words, have their frequency in the document. A
target word of a bead comes from one of its source words or from the empty word, with
uniform probability. With ``cognates`` a source word may also become, with probability
one half, any word that shares its first four letters (Simard, Foster & Isabelle 1992).
This helps for two texts in the same language, where the rare words, which Model 1
cannot distinguish, are often the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paraphrast.corpora.sentence_alignment.model1 import Ids, Lexicon, Words, number
from paraphrast.corpora.sentence_alignment.search import (
    CONTRACT,
    DELETE,
    EXPAND,
    INSERT,
    MATCH,
    Floats,
)

PREFIX = 4
COGNATES = 0.5


@dataclass(frozen=True, slots=True)
class Cognates:
    """Which words share a prefix, and the probability that this adds."""

    sources: list[Ids]  # for each source sentence, the groups of its words
    targets: Ids  # for each target word, its group
    values: Floats  # for each target word


@dataclass(frozen=True, slots=True)
class WordScores:
    """Log-probabilities of the words of two documents.

    Values of a target sentence are stored at the column after it, as in the lattice:
    sentence j-1 at column j.
    """

    lexicon: Lexicon
    sources: list[Ids]
    source_alone: Floats
    target_alone: Floats
    targets: Ids  # the words of all target sentences, one after the other
    firsts: Ids  # where each sentence begins among them
    cognates: Cognates | None

    def row(self, i: int, start: int, stop: int) -> Floats:
        """Return the scores of the beads that end at nodes (i, start..stop-1)."""
        scores = np.zeros((5, stop - start))
        scores[INSERT] = self.target_alone[start:stop]
        if i > 0:
            scores[DELETE] = self.source_alone[i - 1]
            becoming = self._translations(range(i - 1, i), start, stop)
            scores[MATCH] = scores[DELETE] + becoming[1:]
            scores[EXPAND] = scores[DELETE] + becoming[1:] + becoming[:-1]
        if i > 1:
            becoming = self._translations(range(i - 2, i), start, stop)
            scores[CONTRACT] = self.source_alone[i - 2 : i].sum() + becoming[1:]
        return scores

    def _translations(self, sources: range, start: int, stop: int) -> Floats:
        """Return log P(target sentence | sources) for columns start-1 to stop-1."""
        scores = np.zeros(stop - start + 1)
        first, last = max(start - 2, 0), stop - 1
        if first >= last:
            return scores
        words = slice(self.firsts[first], self.firsts[last])
        rivals = 1 + sum(len(self.sources[i]) for i in sources)
        likely = self._sums(sources)[self.targets[words]]
        if self.cognates is not None:
            likely += self._cognate_sums(self.cognates, sources, words)
        logs = np.log(likely / rivals)
        begins = self.firsts[first:last] - self.firsts[first]
        scores[len(scores) - (last - first) :] = np.add.reduceat(logs, begins)
        return scores

    def _sums(self, sources: range) -> Floats:
        """Add up t(target | source) over the source words and the empty one."""
        sums = self.lexicon.empty.copy()
        for i in sources:
            shares = self._shares(i)
            for word, share in zip(self.sources[i], shares, strict=True):
                sums[self.lexicon.columns[word]] += share * self.lexicon.values[word]
        return sums

    def _shares(self, i: int) -> Floats:
        """Return the mass that each word of a source sentence leaves to Model 1."""
        if self.cognates is None:
            return np.ones(len(self.sources[i]))
        return np.where(self.cognates.sources[i] < 0, 1.0, 1.0 - COGNATES)

    def _cognate_sums(self, cognates: Cognates, sources: range, words: slice) -> Floats:
        groups = np.concatenate([cognates.sources[i] for i in sources])
        counts = np.bincount(groups[groups >= 0], minlength=cognates.targets.max() + 1)
        sums: Floats = counts[cognates.targets[words]] * cognates.values[words]
        return COGNATES * sums


def word_scores(
    lexicon: Lexicon,
    sources: Sequence[Words],
    targets: Sequence[Words],
    *,
    cognates: bool,
) -> WordScores:
    """Prepare the scores of two documents, given as the words of each sentence."""
    source_numbers = [number(lexicon.source_ids, words) for words in sources]
    target_numbers = [number(lexicon.target_ids, words) for words in targets]
    lengths = [len(words) for words in targets]
    every = np.concatenate(target_numbers)
    shares = np.bincount(every, minlength=len(lexicon.empty)) / len(every)
    # A word that training never met has no translation at all; as the empty word
    # it gets its own frequency.
    empty = np.where(lexicon.empty > 0, lexicon.empty, shares)
    return WordScores(
        lexicon=replace(lexicon, empty=empty),
        sources=source_numbers,
        source_alone=_alone(source_numbers),
        target_alone=np.concatenate(([0.0], _alone(target_numbers))),
        targets=every,
        firsts=np.concatenate(([0], np.cumsum(lengths))),
        cognates=_cognates(sources, targets, shares[every]) if cognates else None,
    )


def _alone(sentences: Sequence[Ids]) -> Floats:
    """Return the log-probability of each sentence as words drawn one by one."""
    every = np.concatenate(sentences)
    logs = np.log(np.maximum(np.bincount(every), 1) / len(every))
    return np.array([logs[words].sum() for words in sentences])


def _cognates(
    sources: Sequence[Words], targets: Sequence[Words], class_shares: Floats
) -> Cognates:
    """Group words by their prefixes.

    The lexicon gives the probability of a word's class, which is many words in the case
    of *other*. To make the two comparable, P(word | cognate) is divided by P(word |
    class), and the word's own frequency cancels.
    """
    groups: dict[str, int] = {}
    every = np.array(
        [
            groups.setdefault(word[:PREFIX], len(groups))
            for words in targets
            for word in words
        ]
    )
    group_shares = np.bincount(every)[every] / len(every)
    return Cognates(
        sources=[
            np.array([groups.get(word[:PREFIX], -1) for word in words])
            for words in sources
        ],
        targets=every,
        values=class_shares / group_shares,
    )
