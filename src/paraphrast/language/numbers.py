"""Numbers in a text, in digits or spelled out, as values that can be compared.

``1,500``, ``fifteen hundred``, ``1.5 thousand`` and ``a thousand five hundred`` are the
same value; so are ``threescore`` and ``sixty``, ``third`` and ``3rd``, ``twice`` and
``two times``. "One" is not a number here, as it is mostly a pronoun or an article.
Times, dates and versions (``8:30``, ``1/2``) have no single value: `find_figures`
returns them as written.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import regex

from paraphrast.language.sentence import Sentence, Word, read
from paraphrast.language.words import find_words

_UNITS = {
    "zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twain": 2, "twice": 2, "thrice": 3, "fortnight": 14,
    "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
    "eighteenth": 18, "nineteenth": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "twentieth": 20, "thirtieth": 30,
    "fortieth": 40, "fiftieth": 50, "sixtieth": 60, "seventieth": 70,
    "eightieth": 80, "ninetieth": 90, "threescore": 60, "fourscore": 80,
}  # fmt: skip
_SCALES = {
    "dozen": 12, "score": 20, "hundred": 100, "hundredth": 100, "thousand": 1_000,
    "thousandth": 1_000, "million": 10**6, "millionth": 10**6, "billion": 10**9,
    "trillion": 10**12, "k": 1_000, "hundreds": 100, "thousands": 1_000,
    "millions": 10**6,
}  # fmt: skip
# Words that a number in letters can begin with.
_FIRST_WORDS = _UNITS.keys() | _TENS.keys() | _SCALES.keys()
_AFTER_AND = _UNITS.keys() | _TENS.keys() | _SCALES.keys() | {"one"}
# A row of more digits is no value that anybody compares, and slow to read.
# `re` knows the digits that Python can convert; `regex` may know more.
_DIGITS = re.compile(r"\d{1,99}(?:\.\d{1,99})?")
_ORDINAL = re.compile(r"(\d{1,99})(?:st|nd|rd|th)")
_FIGURE = regex.compile(r"\p{Nd}+(?:[.,:/]\p{Nd}+)*")
_NO_VALUE = regex.compile(r"[:/]")
_MULTIPLE = regex.compile(r"(?<=\p{L}{3})fold\b")
# Words that may say two, but are seldom used to count.
_PAIRS = frozenset(["both", "pair", "couple", "twain"])


def find_values(sentence: Sentence) -> Counter[Fraction]:
    """Count the values of a text's numbers."""
    return Counter(value for value in _parse_values(sentence.words) if value != 1)


def find_figures(text: str) -> list[str]:
    """Return the numbers written in digits, as written."""
    return list(_FIGURE.findall(text))


def find_lost_numbers(source: str, text: str) -> list[str]:
    """Return the values, times and dates of a source that a text lacks.

    "Both" or "a pair" may express two, and "tenfold" ten times.
    """
    there = set(find_values(read(_MULTIPLE.sub(" fold", text))))
    if not _PAIRS.isdisjoint(find_words(text.lower())):
        there.add(Fraction(2))
    lost = [str(value) for value in find_values(read(source)) if value not in there]
    figures = set(find_figures(text))
    valueless = filter(_NO_VALUE.search, find_figures(source))
    return lost + [figure for figure in valueless if figure not in figures]


def find_repeated_figure(source: str, text: str) -> str:
    """Return a number in digits that a text has more often than its source, or nothing.

    Only numbers of the source count: others are added, not repeated.
    """
    own, new = Counter(find_figures(source)), Counter(find_figures(text))
    return next((figure for figure in new if new[figure] > own[figure] > 0), "")


def says_figure(sentence: Sentence, figure: str) -> bool:
    """Say whether a text has the value of a number in digits, in any spelling."""
    values = find_values(read(figure))
    if not values:  # a time, a date, or one
        return figure == "1" and any(word.text == "one" for word in sentence.words)
    return values.keys() <= find_values(sentence).keys()


def is_number_word(word: str) -> bool:
    """Say whether a word in lower case is a number, or may express two."""
    return word in _UNITS or word in _TENS or word in _SCALES or word in _PAIRS


def _parse_values(words: Sequence[Word]) -> Iterator[Fraction]:
    run: list[str] = []
    texts = _put_tens_first([word.text for word in words])
    for at, text in enumerate(texts):
        if not run and text not in _FIRST_WORDS and not text[:1].isdecimal():
            continue  # as most words
        if _continues(text, run, texts[at + 1 : at + 2]):
            run.append(text)
            continue
        # A hyphen ties "twenty-five" together; two digits in a row are two numbers.
        if text == "-" and run:
            continue
        yield from _value_of(run)
        run = [text] if _continues(text, [], texts[at + 1 : at + 2]) else []
    yield from _value_of(run)


def _put_tens_first(texts: list[str]) -> list[str]:
    """Turn "four and twenty" into the modern "twenty four"."""
    result = list(texts)
    for at in range(len(texts) - 2):
        unit, between, tens = texts[at : at + 3]
        small = _UNITS.get(unit, 1 if unit == "one" else 0)
        if between == "and" and tens in _TENS and 0 < small < 10:
            result[at : at + 3] = ["", tens, unit]
    return result


def _continues(text: str, run: Sequence[str], following: Sequence[str]) -> bool:
    if _DIGITS.fullmatch(text) or _ORDINAL.fullmatch(text):
        return not run
    if text in _SCALES:
        return bool(run) or text in ("hundred", "thousand", "dozen", "million")
    if text in _TENS:
        return not run or run[-1] in _SCALES or run[-1] == "and"
    if text in _UNITS or (text == "one" and run):
        return not run or run[-1] not in _UNITS and not _DIGITS.fullmatch(run[-1])
    if text != "and" or not run or not following:
        return False
    if run[-1] in _TENS:
        return following[0] in _UNITS
    return run[-1] in _SCALES and following[0] in _AFTER_AND


def _value_of(run: Sequence[str]) -> Iterator[Fraction]:
    if not run:
        return
    whole, part = Fraction(0), Fraction(0)
    for text in run:
        if text == "and":
            continue
        if text in _SCALES:
            part = (part or Fraction(1)) * _SCALES[text]
            if _SCALES[text] >= 1_000:
                whole, part = whole + part, Fraction(0)
        else:
            part += _value_of_word(text)
    yield whole + part


def _value_of_word(text: str) -> Fraction:
    if text == "one":
        return Fraction(1)
    ordinal = _ORDINAL.fullmatch(text)
    if ordinal:
        return Fraction(ordinal.group(1))
    remaining = _UNITS.get(text, _TENS.get(text))
    return Fraction(text) if remaining is None else Fraction(remaining)
