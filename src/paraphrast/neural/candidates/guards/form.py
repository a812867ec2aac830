"""Guards of form: a candidate is whole English text of about its source's size."""

import regex

from paraphrast.language.old_forms import find_false_forms
from paraphrast.language.quotations import count_double_quotes, find_single_quotes
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
SHORTEST_STUB = 3  # letters that are left of a word

_LAST_WORD = regex.compile(r"(\p{L}+)\W*\Z")


def check_empty(source: str, text: str) -> str:
    """Reject a text without letters and digits."""
    return "" if any(map(str.isalnum, text)) else "were empty"


def check_script(source: str, text: str) -> str:
    """Reject letters of another script than Latin that the source lacks."""
    if text.isascii():
        return ""
    added = (c for c in text if c.isalpha() and c > "ɏ" and c not in source)
    return next((f"added {letter!r}" for letter in added), "")


def check_repetition(source: str, text: str) -> str:
    """Reject loops, stutters and texts that go on and on."""
    # Here "the" counts, which is no word to `words`.
    own, new = (find_words(side.lower()) for side in (source, text))
    most_run = max(MOST_IN_A_ROW, count_longest_run(own))
    most_long = max(1, count_most_repeated(own, LONG))
    before, after = (count_most_repeated(words(side), 3) for side in (source, text))
    loops = (
        len(new) > MOST_LONGER * len(own) + min(len(own), SOME_WORDS)
        or (has_stretched_letters(text) and not has_stretched_letters(source))
        or count_longest_run(new) > most_run
        or count_most_repeated(new, LONG) > most_long
        or (after >= MOST_REPEATS and after > before)
    )
    return "repeated themselves" if loops else ""


def is_repetitive(text: str) -> bool:
    """Say whether a text itself goes round in a loop."""
    return count_most_repeated(words(text), 3) >= MOST_REPEATS


def check_length(source: str, text: str) -> str:
    """Reject a text that has few of its source's words left."""
    short = len(words(text)) < LEAST_SHARE * len(words(source)) - 1
    return "left out most of the text" if short else ""


def check_quotation_marks(source: str, text: str) -> str:
    """Reject quotation marks that do not pair as those of the source do."""
    odd = count_double_quotes(source) % 2 != count_double_quotes(text) % 2
    own, new = (list(map(len, find_single_quotes(side))) for side in (source, text))
    lone = own[0] == own[1] and new[0] != new[1]
    return "broke the quotation marks" if odd or lone else ""


def check_false_forms(source: str, text: str) -> str:
    """Reject verbs that never were: stops'd, hit'd, begin'd."""
    own = find_false_forms(source)
    added = (form for form in find_false_forms(text) if form not in own)
    return next((f"wrote {form!r}, which is no word" for form in added), "")


def check_last_word(source: str, text: str) -> str:
    """Reject a text that ends in the first letters of its source's last word."""
    own, new = _LAST_WORD.search(source.lower()), _LAST_WORD.search(text.lower())
    if not own or not new or len(new[1]) < SHORTEST_STUB or own[1] == new[1]:
        return ""
    cut = own[1].startswith(new[1]) and own[1].removeprefix(new[1]) not in ("s", "ly")
    return "cut off the last word" if cut else ""
