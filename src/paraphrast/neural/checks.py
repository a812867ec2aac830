"""What no rewrite may do, whatever a model thinks of it.

`objection` looks at a source and its rewrite and says what is wrong, or nothing: a name
or a number of the source is lost, a number is new, words go round in a loop, or there
is nothing left. What counts as a name is a capital inside a sentence, on a word that
has no other reason for one. ``strict`` also takes the first word for a name unless it
is a common one, and spelled numbers for numbers (`paraphrast.text.kept`), both ways
round: that is for training text, of which there is plenty, and too much for people's
slang.
"""

from collections import Counter
from dataclasses import dataclass

import regex

from paraphrast.text import kept
from paraphrast.text.overlap import words

MOST_REPEATS = 3  # of three words in a row, beyond those of the source
MOST_LONGER = 3.0  # times the source's words, and some more
SOME_WORDS = 8
LEAST_SHARE = 0.3  # of the source's words

# A capital after a stop, a quote or a dash may be there for them.
_NAME = regex.compile(r"(?<=[\p{Ll}\p{N},;']\s)\p{Lu}[\p{L}'’-]*\p{L}")
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,:/]\p{Nd}+)*")
_STUTTER = regex.compile(r"(\p{L})\1{4,}")
_OWNER = regex.compile(r"['’]\p{L}{0,2}\Z")  # Romeo's, I'm, he'll
_TITLES = frozenset(["Mr", "Mrs", "Ms", "Dr", "Sir", "Lord", "Lady", "God", "O", "Oh"])


@dataclass(frozen=True)
class Checks:
    """Which checks are made."""

    names: bool = True
    numbers: bool = True
    loops: bool = True
    strict: bool = False


def names(text: str) -> list[str]:
    """Return the names of a sentence, each as often as it stands there."""
    found = (_OWNER.sub("", match) for match in _NAME.findall(text))
    return [name for name in found if name not in _TITLES and len(name) > 1]


def numbers(text: str) -> list[str]:
    """Return the numbers written in digits."""
    return list(_NUMBER.findall(text))


def objection(source: str, text: str, checks: Checks) -> str:
    """Return what is wrong with a rewrite, as the end of a sentence, or nothing."""
    if not any(map(str.isalnum, text)):
        return "have been empty"
    if checks.names:
        lost = _lost(names(source), text)
        if lost:
            return f"have lost {lost!r}"
    if checks.numbers:
        before, after = Counter(numbers(source)), Counter(numbers(text))
        if before - after:
            return f"have lost {min(before - after)!r}"
        if after.keys() - before.keys():
            return f"have brought in {min(after.keys() - before.keys())!r}"
    if checks.strict and not kept.keeps(source, text):
        return "have lost or brought in a name or number"
    if checks.loops and _loops(source, text):
        return "have repeated itself"
    if len(words(text)) < LEAST_SHARE * len(words(source)) - 1:
        return "have left most of it out"
    return ""


def is_copy(source: str, text: str) -> bool:
    """Say whether a rewrite has the words of its source, in their order."""
    return words(source) == words(text)


def _lost(wanted: list[str], text: str) -> str:
    there = text.casefold()
    return next((name for name in wanted if name.casefold() not in there), "")


def _loops(source: str, text: str) -> bool:
    if len(words(text)) > MOST_LONGER * len(words(source)) + SOME_WORDS:
        return True
    if _STUTTER.search(text) and not _STUTTER.search(source):
        return True
    before, after = _most_repeated(words(source)), _most_repeated(words(text))
    return after >= MOST_REPEATS and after > before


def _most_repeated(side: list[str]) -> int:
    threes = Counter(zip(side, side[1:], side[2:], strict=False))
    return max(threes.values(), default=0)
