"""The words that a model knows, by number; one list for both sides.

The first four numbers are not words: `PAD`, `UNKNOWN`, `BEGIN` and `END`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from paraphrast.nmt import settings

PAD, UNKNOWN, BEGIN, END = range(4)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")


@dataclass(frozen=True)
class Vocabulary:
    """``words[i]`` has the number i; the first four are `SPECIAL`."""

    words: tuple[str, ...]

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return len(self.words)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Map each word to its number; a text cannot contain the special ones."""
        first = len(SPECIAL)
        return {word: first + i for i, word in enumerate(self.words[first:])}

    def encode(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words, `UNKNOWN` for those that it lacks."""
        return [self.numbers.get(word, UNKNOWN) for word in words]


def count_words(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], limits: settings.Vocabulary
) -> Vocabulary:
    """Return the words of most pairs; of equally frequent ones the first by letters.

    A pair counts once, however often it is repeated and a word occurs in it: a name
    on both sides of one pair is not known, but to be copied. A protected span with a
    blank in it is never a word that a model knows.
    """
    distinct = {(tuple(source), tuple(target)) for source, target in pairs}
    counts = Counter(word for a, b in distinct for word in {*a, *b})
    able = [
        word
        for word, count in counts.items()
        if count >= limits.least_count and not any(map(str.isspace, word))
    ]
    able.sort(key=lambda word: (-counts[word], word))
    return Vocabulary((*SPECIAL, *able[: limits.size]))
