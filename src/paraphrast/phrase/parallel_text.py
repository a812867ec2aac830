"""Parallel text prepared for training: cleaned, tokenised, word-aligned.

Pairs with an empty side, a very long side, or a side much longer than the other are
dropped and counted. Word links come from one aligner or from several, each of which
then counts as a separate text.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from paraphrast.align import choosing
from paraphrast.align.base import AlignedPair, Link, Words
from paraphrast.align.statistical import Statistical
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.surface import TextPair, lowercase, tokens_of

Links: TypeAlias = list[tuple[Link, ...]]

GLANCE = (4, 20)  # words
EMPTY = "a side is empty"
TOO_LONG = "a side is too long"
UNEVEN = "one side is much longer"


@dataclass(frozen=True)
class Cleaning:
    """Limits for pairs: words per side, and the ratio of the lengths."""

    max_words: int = 80
    max_ratio: float = 9.0

    def problem(self, source: Sequence[str], target: Sequence[str]) -> str | None:
        """Return why a pair is dropped, if it is."""
        short, long = sorted((len(source), len(target)))
        if not short:
            return EMPTY
        if long > self.max_words:
            return TOO_LONG
        return UNEVEN if long > self.max_ratio * short else None


@dataclass(frozen=True)
class ParallelText:
    """Tokenised, cased pairs, and the counts of dropped ones by reason."""

    sources: list[list[str]]
    targets: list[list[str]]
    dropped: Counter[str]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.sources)

    def lowercase_pairs(self) -> list[tuple[Words, Words]]:
        """Return the pairs in lower case."""
        return [
            (tuple(lowercase(source)), tuple(lowercase(target)))
            for source, target in zip(self.sources, self.targets, strict=True)
        ]

    def split_off(
        self, number: int, seed: int
    ) -> tuple["ParallelText", "ParallelText"]:
        """Return the text without ``number`` sampled pairs, and those pairs.

        Short pairs are preferred, if there are enough.
        """
        able = [
            index
            for index, words in enumerate(self.sources)
            if GLANCE[0] <= len(words) <= GLANCE[1]
        ]
        indices = able if len(able) >= number else range(len(self))
        drawn = set(Random(seed).sample(indices, number))
        kept = [index for index in range(len(self)) if index not in drawn]
        return self._select(kept), self._select(sorted(drawn))

    def _select(self, indices: Sequence[int]) -> "ParallelText":
        return ParallelText(
            [self.sources[index] for index in indices],
            [self.targets[index] for index in indices],
            self.dropped,
        )


def prepare_pairs(
    pairs: Iterable[TextPair],
    cleaning: Cleaning | None = None,
    *,
    tokenised: bool = False,
) -> ParallelText:
    """Tokenise pairs if necessary, and drop unsuitable ones."""
    rules = cleaning or Cleaning()
    sources: list[list[str]] = []
    targets: list[list[str]] = []
    dropped: Counter[str] = Counter()
    for source_text, target_text in pairs:
        source = tokens_of(source_text, tokenised=tokenised)
        target = tokens_of(target_text, tokenised=tokenised)
        if problem := rules.problem(source, target):
            dropped[problem] += 1
        else:
            sources.append(source)
            targets.append(target)
    text = ParallelText(sources, targets, dropped)
    _refuse_useless(text)
    return text


def align_pairs(
    pairs: Sequence[tuple[Words, Words]],
    *,
    using: str,
    symmetrisation: str,
    seed: int,
) -> Links:
    """Return the links of each pair by the aligner of that name, trained on them."""
    family = choosing.family(using)
    if not isinstance(family, Statistical):
        return choosing.load(using)(pairs)
    settings = replace(family.settings, symmetrisation=symmetrisation, seed=seed)
    aligner = replace(family, settings=settings).train(
        [AlignedPair(source, target) for source, target in pairs]
    )
    return aligner(pairs)


def _refuse_useless(text: ParallelText) -> None:
    if not len(text):
        reasons = ", ".join(f"{why}: {count:,}" for why, count in text.dropped.items())
        raise ParaphrastError(
            "there are no sentence pairs to learn from "
            f"({reasons or 'no line at all'}). Give two files that are parallel line "
            "by line."
        )
    sources = {word.lower() for words in text.sources for word in words}
    if not any(word.lower() in sources for words in text.targets for word in words):
        raise ParaphrastError(
            "the two sides have no word in common, so they are not two styles of the "
            "same language. Check that the files belong together and have the same "
            "encoding."
        )
