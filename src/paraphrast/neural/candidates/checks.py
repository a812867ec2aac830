"""What no rewrite may do, whatever a model thinks of it.

`objection` looks at a source and its rewrite and says what is wrong, or nothing: a name
or a number of the source is lost, a number is new, letters of another script come in,
words go round in a loop, or there is nothing left. A name is a capital inside a
sentence, on a word that has no other reason for one (a verse begins with one, too), or
the first word if it is neither a common word nor slang. ``strict`` also takes spelled
numbers for numbers and rarer words for names (`paraphrast.language.kept`), both ways:
that is for training text, of which there is plenty.
"""

from collections import Counter
from dataclasses import dataclass

from paraphrast.corpora.filtering.preservation import keeps
from paraphrast.language.names import find_names
from paraphrast.language.numbers import find_figures
from paraphrast.language.repetition import (
    count_longest_run,
    count_most_repeated,
    has_stretched_letters,
)
from paraphrast.language.words import find_words
from paraphrast.text.overlap import words

MOST_REPEATS = 3  # of three words in a row, beyond those of the source
LONG = 5  # words in a row that are not said twice
MOST_IN_A_ROW = 3  # of one word
MOST_LONGER = 2.5  # times the source's words, and some more, but no more than it has
SOME_WORDS = 5
LEAST_SHARE = 0.3  # of the source's words


@dataclass(frozen=True)
class Checks:
    """Which checks are made."""

    names: bool = True
    numbers: bool = True
    loops: bool = True
    strict: bool = False


def objection(source: str, text: str, checks: Checks) -> str:
    """Return what is wrong with a rewrite, as the end of a sentence, or nothing."""
    if not any(map(str.isalnum, text)):
        return "have been empty"
    missing = checks.names and _lost(find_names(source), text)
    if missing:
        return f"have lost {missing!r}"
    wrong = _numbers_wrong(source, text) if checks.numbers else ""
    foreign = _foreign(source, text)
    if wrong or foreign:
        return wrong or f"have brought in {foreign!r}"
    if checks.strict and not keeps(source, text):
        return "have lost or brought in a name or number"
    if checks.loops and _loops(source, text):
        return "have repeated itself"
    if len(words(text)) < LEAST_SHARE * len(words(source)) - 1:
        return "have left most of it out"
    return ""


def _numbers_wrong(source: str, text: str) -> str:
    before, after = Counter(find_figures(source)), Counter(find_figures(text))
    if before - after:
        return f"have lost {min(before - after)!r}"
    if after.keys() - before.keys():
        return f"have brought in {min(after.keys() - before.keys())!r}"
    return ""


def is_repetitive(text: str) -> bool:
    """Say whether a text itself goes round in a loop."""
    return count_most_repeated(words(text), 3) >= MOST_REPEATS


def is_copy(source: str, text: str) -> bool:
    """Say whether a rewrite has the words of its source, in their order."""
    return words(source) == words(text)


def _lost(wanted: list[str], text: str) -> str:
    there = text.casefold()
    return next((name for name in wanted if name.casefold() not in there), "")


def _foreign(source: str, text: str) -> str:
    """Return a letter of another script than Latin that the source lacks, if any."""
    if text.isascii():
        return ""
    return next((c for c in text if c.isalpha() and c > "ɏ" and c not in source), "")


def _loops(source: str, text: str) -> bool:
    # Here "the" counts, which is no word to `words`.
    own, new = (find_words(side.lower()) for side in (source, text))
    if len(new) > MOST_LONGER * len(own) + min(len(own), SOME_WORDS):
        return True
    if has_stretched_letters(text) and not has_stretched_letters(source):
        return True
    most = count_longest_run(new)
    if most > MOST_IN_A_ROW and most > count_longest_run(own):
        return True
    said = count_most_repeated(new, LONG)
    if said > 1 and said > count_most_repeated(own, LONG):
        return True
    before, after = (
        count_most_repeated(words(source), 3),
        count_most_repeated(words(text), 3),
    )
    return after >= MOST_REPEATS and after > before
