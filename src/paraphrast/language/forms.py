"""Words and letters that are said again and again."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import regex

_STRETCHED = regex.compile(r"(\p{L})\1{4,}")


def count_most_repeated(words: Sequence[str], order: int) -> int:
    """Return how often the commonest run of ``order`` words stands in a text."""
    ngrams = zip(*(words[start:] for start in range(order)), strict=False)
    return max(Counter(ngrams).values(), default=0)


def count_longest_run(words: Sequence[str]) -> int:
    """Return how often one word is said in a row at most."""
    return max((sum(1 for _ in run) for _, run in groupby(words)), default=0)


def has_stretched_letters(text: str) -> bool:
    """Say whether a letter stands five times in a row or more."""
    return bool(_STRETCHED.search(text))
