"""Runs of ``order`` tokens, and how often each occurs."""

from collections import Counter
from collections.abc import Iterator, Sequence


def ngrams(tokens: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    """Yield every run of ``order`` tokens from left to right."""
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def count_ngrams(
    tokens: Sequence[str], *, longest: int, shortest: int = 1
) -> Counter[tuple[str, ...]]:
    """Count the n-grams of every order from ``shortest`` to ``longest``."""
    counts: Counter[tuple[str, ...]] = Counter()
    for order in range(shortest, longest + 1):
        counts.update(ngrams(tokens, order))
    return counts
