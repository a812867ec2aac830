"""The vocabulary of a model, shared by both sides.

The first four indices are not words: `PAD`, `UNKNOWN`, `BEGIN` and `END`.
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
    """``words[i]`` has the index i; the first four are `SPECIAL`."""

    words: tuple[str, ...]

    def __len__(self) -> int:
        """Return the size, including special words."""
        return len(self.words)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Map each word to its index; a text cannot contain the special ones."""
        first = len(SPECIAL)
        return {word: first + i for i, word in enumerate(self.words[first:])}

    def encode(self, words: Iterable[str]) -> list[int]:
        """Return the indices of words, `UNKNOWN` for unknown ones."""
        return [self.numbers.get(word, UNKNOWN) for word in words]


def count_words(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], limits: settings.Vocabulary
) -> Vocabulary:
    """Return the words in the most pairs; ties are in alphabetical order.

    A pair counts once, regardless of repetitions in it: a name on both sides of a
    single pair is left unknown, to be copied. A protected span with a space is never in
    the vocabulary.
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
