"""The data filter for meaning: does a pair keep its names and numbers?

It is for training text, which is plentiful: what it drops is not always wrong. It uses
the same facts of language as the rewriter's guards, so a share of "names kept" that it
counts is not independent of them.
"""

from collections.abc import Callable

from paraphrast.language.names import find_lost_names
from paraphrast.language.numbers import find_lost_numbers


def find_lost(source: str, target: str) -> list[str]:
    """Return the names and numbers of the source that the target lacks."""
    return find_lost_names(source, target) + find_lost_numbers(source, target)


def differ(
    first: str, second: str, find_lost: Callable[[str, str], list[str]] = find_lost
) -> bool:
    """Say whether only one text has a name or number, or what is looked for."""
    return bool(find_lost(first, second) or find_lost(second, first))


def keeps(source: str, target: str) -> bool:
    """Say whether neither text has a name or number that the other lacks."""
    return not differ(source, target)
