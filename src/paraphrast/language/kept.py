"""Which names and numbers of a text its rewrite has lost.

A name is a word with a capital whose root is none of the common words, wherever it
stands: "Montague!" has a name, "Yes!" and "Love is blind" have none. Titles are no
names, and the names of one bearer (the Bible's names of God) are one name. A number is
written in digits, or spelled out from "two" on; "two" and "2" are the same number. The
checks look at one word at a time, know English only, and are for filtering text that is
plentiful: what they drop is not always wrong.
"""

import re
from collections.abc import Iterable
from functools import cache

from paraphrast.language.stemming import root
from paraphrast.text.word_lists import read_rows

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|d|ll|re|ve|m|t)?)$")
_SPELLED = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MORE = {"hundred": "100", "thousand": "1000", "million": "1000000", "dozen": "12"}
_NUMERALS = (
    {word: str(value) for value, word in enumerate(_SPELLED) if value > 1}
    | {word: str(10 * value) for value, word in enumerate(_TENS, start=2)}
    | _MORE
)
_VALUES = _NUMERALS | {
    "twice": "2",
    "thrice": "3",
    "twain": "2",
    "both": "2",
    "pair": "2",
}
_SAME_START = 4  # letters: "Capulet" and "Capulets"
_SMALL = frozenset(
    ["auxiliaries", "be", "determiners", "negators", "other function words"]
)
_ALSO_NAMES = frozenset(["art", "may", "will"])


def names(text: str) -> list[str]:
    """Return the words that their capitals show to be names, each once, in order."""
    words = _WORD.findall(text)
    return list(dict.fromkeys(_bare(word) for word in words if _is_name(word)))


def numbers(text: str) -> list[str]:
    """Return the values of a text's numbers as digits, each once, in order."""
    found = []
    for word in _WORD.findall(text):
        if word[0].isdigit():
            found.append(word.replace(",", ""))
        elif (value := _VALUES.get(word.lower())) is not None:
            found.append(value)
    return list(dict.fromkeys(found))


def spelled_numbers(text: str) -> list[tuple[str, str]]:
    """Return the numbers that a text has in words, each with its value.

    "Both" and the like are none: other words can say that.
    """
    words = map(str.lower, _WORD.findall(text))
    return [(word, _NUMERALS[word]) for word in words if word in _NUMERALS]


def lost(source: str, target: str) -> list[str]:
    """Return the names and numbers of the source that the target lacks."""
    there = {_bare(word).lower() for word in _WORD.findall(target)}
    missing = [name for name in names(source) if not _has(there, name.lower())]
    counted = set(numbers(target))
    return missing + [value for value in numbers(source) if value not in counted]


def keeps(source: str, target: str) -> bool:
    """Say whether neither text has a name or number that the other lacks."""
    return not lost(source, target) and not lost(target, source)


def _is_name(word: str) -> bool:
    bare = _bare(word)
    small = bare.lower()
    return (
        word[0].isupper()
        and len(bare) > 2
        and not bare.isupper()
        and small not in _VALUES
        and small not in _function_words()
        and root(small) not in _common_roots()
    )


def _bare(word: str) -> str:
    return _CLITIC.sub("", word)


def _has(words: Iterable[str], name: str) -> bool:
    bearers = next((group for group in _bearers() if name in group), frozenset())
    start = name[:_SAME_START]
    return any(
        word == name
        or word in bearers
        or (len(name) >= _SAME_START and word.startswith(start))
        for word in words
    )


@cache
def _common_roots() -> frozenset[str]:
    return frozenset(
        row[0] for row in read_rows("paraphrast.language", "common_roots.txt")
    )


@cache
def small_words() -> frozenset[str]:
    """Return the words that hold sentences together and are nobody's name."""
    rows = read_rows("paraphrast.language", "word_kinds.txt")
    found = (word for kind, row in rows if kind in _SMALL for word in row.split())
    return frozenset(found) - _ALSO_NAMES


@cache
def _function_words() -> frozenset[str]:
    words = (
        word
        for _, row in read_rows("paraphrast.language", "word_kinds.txt")
        for word in row.split()
    )
    return frozenset(words)


@cache
def _bearers() -> tuple[frozenset[str], ...]:
    return tuple(
        frozenset(row[0].split())
        for row in read_rows("paraphrast.language", "same_bearers.txt")
    )
