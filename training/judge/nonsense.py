"""Fluent nonsense, to learn from: sentences as weak rewriting systems write them.

A weak system keeps to what is usual from word to word and loses the sentence. `Weak`
does so on purpose, in the ways of `KINDS`: it samples from a trigram model, copies half
a sentence and babbles on, puts in strangers that are as frequent as what they replace
or that go well with their neighbours, translates word by word with the wrong word, and
joins or repeats pieces. All is drawn, so the same seed gives the same sentences. No
output of a published system is needed, or was looked at.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from training.judge.mistakes import Babbler, Words

_LITTLE_ONES = 150  # number of the most frequent words, which carry no content
_BAND = 40  # words of similar frequency
_TRANSLATIONS = 4
_LEAST_TOGETHER = 3
_LONGEST = 45
_TRIED = 30  # candidate words per position


class Weak:
    """Makes nonsense of sentences, by the word order of ``sentences``.

    ``pairs`` are sentences and their translations; words of the one side are put for
    those of the other.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        pairs: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
    ) -> None:
        """Count words, neighbours and translations."""
        self._sentences = [list(words) for words in sentences if len(words) > 2]
        self._babbler = Babbler(self._sentences)
        counts = Counter(word for words in self._sentences for word in words)
        ranked = [word for word, _ in counts.most_common() if word.isalpha()]
        self._little = frozenset(ranked[:_LITTLE_ONES])
        self._ranked = ranked[_LITTLE_ONES:]
        self._rank = {word: index for index, word in enumerate(self._ranked)}
        self._after = _followers(self._sentences)
        self._together = {
            pair
            for words in self._sentences
            for pair in zip(words, words[1:], strict=False)
        }
        self._lexicon = _lexicon(pairs)

    def make(self, words: Sequence[str], draw: random.Random) -> tuple[str, Words]:
        """Return the kind of nonsense, and the resulting sentence.

        Now and then two kinds meet; the last one then gives its name.
        """
        kind = draw.choice(tuple(KINDS))
        result = list(words)
        if draw.random() < 0.25:
            other = draw.choice(tuple(KINDS))
            result = KINDS[other](self, result, draw)
        for _ in range(4):
            result = KINDS[kind](self, result, draw)[:_LONGEST]
            if len(result) > 1 and result != list(words):
                return kind, result
            kind = draw.choice(tuple(KINDS))
        return "repeated", [*words, *words]

    def sample_trigrams(self, words: Words, draw: random.Random) -> Words:
        """Return an unconditional sample of a trigram model, about as long."""
        start = draw.choice(self._sentences)[:2]
        count = max(2, len(words) + draw.randrange(-2, 4))
        return self._babbler.continue_words(start, count, draw)

    def half_copied(self, words: Words, draw: random.Random) -> Words:
        """Return the beginning of the sentence, and babble."""
        kept = max(2, int(len(words) * draw.uniform(0.2, 0.7)))
        return self._babbler.continue_words(words[:kept], len(words) - kept + 2, draw)

    def strangers(self, words: Words, draw: random.Random) -> Words:
        """Return the sentence with words as frequent as its own in their places."""
        share = draw.uniform(0.1, 0.7)
        return [
            self._as_frequent(word, draw) if draw.random() < share else word
            for word in words
        ]

    def neighbourly(self, words: Words, draw: random.Random) -> Words:
        """Return the sentence with words that go well with their neighbours."""
        share = draw.uniform(0.15, 0.9)
        result = list(words)
        for index in range(1, len(result) - 1):
            if result[index] in self._little or draw.random() > share:
                continue
            usual = self._after.get(result[index - 1])
            if not usual:
                continue
            tried = draw.choices(usual, k=_TRIED)
            content = [word for word in tried if word not in self._little]
            fitting = [w for w in content if (w, result[index + 1]) in self._together]
            if content:
                result[index] = (fitting or content)[0]
        return result

    def translate_words(self, words: Words, draw: random.Random) -> Words:
        """Return the sentence translated word by word, often with wrong words."""
        share = draw.uniform(0.1, 0.7)
        result: Words = []
        for word in words:
            chance = draw.random()
            choices = self._lexicon.get(word)
            if choices and chance < share:
                result.append(draw.choice(choices))
            elif chance < 0.97:
                result.append(word)
        return result

    def mix_sentences(self, words: Words, draw: random.Random) -> Words:
        """Return the beginning of the sentence and the end of another one."""
        other = draw.choice(self._sentences)
        kept = max(1, int(len(words) * draw.uniform(0.25, 0.75)))
        return words[:kept] + other[int(len(other) * draw.uniform(0.2, 0.8)) :]

    def repeat_span(self, words: Words, draw: random.Random) -> Words:
        """Return the sentence with a span repeated, in place or later."""
        size = draw.choice((1, 1, 2, 2, 3, 4))
        start = draw.randrange(max(1, len(words) - size))
        piece = words[start : start + size] * draw.choice((1, 1, 2))
        index = draw.choice((start + size, start + size, draw.randrange(len(words))))
        return [*words[:index], *piece, *words[index:]]

    def _as_frequent(self, word: str, draw: random.Random) -> str:
        index = self._rank.get(word)
        if index is None:
            return word
        low = max(0, min(index - _BAND, len(self._ranked) - 2 * _BAND))
        return draw.choice(self._ranked[low : low + 2 * _BAND])


KINDS: Mapping[str, Callable[[Weak, Words, random.Random], Words]] = {
    "sampled": Weak.sample_trigrams,
    "half copied": Weak.half_copied,
    "strangers": Weak.strangers,
    "neighbourly": Weak.neighbourly,
    "translated": Weak.translate_words,
    "mixed": Weak.mix_sentences,
    "repeated": Weak.repeat_span,
}


def _followers(sentences: Sequence[Sequence[str]]) -> dict[str, Words]:
    """Return the words that follow a word, each as often as it does."""
    result: defaultdict[str, Words] = defaultdict(list)
    for words in sentences:
        for first, second in zip(words, words[1:], strict=False):
            if second.isalpha():
                result[first].append(second)
    return dict(result)


def _lexicon(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
) -> dict[str, Words]:
    """Return the words that a word is found together with, by Dice's coefficient."""
    together: Counter[tuple[str, str]] = Counter()
    counts: Counter[str] = Counter()
    for one, other in pairs:
        ours, theirs = set(one), set(other)
        counts.update(ours)
        counts.update(theirs)
        for first in ours:
            for second in theirs:
                together[first, second] += 1
                together[second, first] += 1
    result: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for (first, second), count in together.items():
        if count >= _LEAST_TOGETHER and first != second and second.isalpha():
            likeness = 2 * count / (counts[first] + counts[second])
            result[first].append((likeness, second))
    return {
        word: [other for _, other in sorted(choices, reverse=True)[:_TRANSLATIONS]]
        for word, choices in result.items()
    }
