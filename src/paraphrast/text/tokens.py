"""Tokenise English exactly as the Moses tokeniser does.

`tokenise` returns the same as ``tokenizer.perl -l en -no-escape`` and its port
sacremoses, in one pass of one pattern instead of a chain of substitutions. Where the
substitutions of the chain interfere with one another (neighbouring apostrophes as in
``rock'n'roll``, runs of commas), the pattern cannot reproduce them, and the text goes
through the chain itself.

We differ from sacremoses on purpose in two cases. It has tables of an old version of
Unicode that lack, for instance, Han and Hangul, and so splits such words into
characters; we follow the Unicode of the ``regex`` package. And it turns the word
``DOTMULTI``, which it uses internally, into a full stop. Control characters are
removed, as in Moses; to keep every character, use `paraphrast.text.exact`.
"""

import re
from typing import Any

import regex

from paraphrast.text.word_lists import read_rows

# White space to Python and Moses, but not to the regex package.
_SEPARATORS = {code: " " for code in range(0x1C, 0x20)}
JUNK = re.compile(r"[\x00-\x08\x0e-\x1b]")
_RARE = re.compile(r"[\x00-\x08\x0e-\x1f]")
_SPACES = re.compile(r"\s+")
# The chain's substitutions overlap here in a character, so that one hides the next.
_TANGLE = re.compile(r"'(?:\s+|\S)?'|,,")


def tokenise(text: str) -> list[str]:
    """Return the Moses tokens of one English sentence, not escaped."""
    if _RARE.search(text):
        text = JUNK.sub("", _SPACES.sub(" ", text.translate(_SEPARATORS)))
    text = text.strip()
    classes = _ASCII if text.isascii() else _UNICODE
    if "'" in text or "," in text:
        tangled = _TANGLE.search(text)
        tokens = classes.chain(text) if tangled else classes.find(text)
    else:
        tokens = classes.find(text)
    return _split_stops(tokens, classes) if "." in text else tokens


class _Classes:
    """The patterns for one definition of letters and digits."""

    def __init__(self, library: Any, *, letter: str, digit: str, word: str) -> None:
        # A word continues after these; what cannot be in a word is a token itself.
        inside = rf"""(?: (?: (?<!\.)\.(?!\.)              # a stop, cut off later
                          | (?<=[{digit}]),(?=[{digit}])
                          | (?<=[{digit}])(?<![{letter}])'(?!s)(?=[{letter}])
                          | '\Z
                        ) [{word}`-]*+
                     )*+"""
        self.find = library.compile(
            rf"""
              [{word}`-]++ {inside}
            | (?: (?<=[{letter}])'(?=[{letter}])          # he|'s
                | (?<=[{digit}])'(?=s)                    # 1980|'s
                | (?<!\.)\.(?!\.)
                | \A' | '\Z | \A,(?=[{digit}])
              ) [{word}`-]*+ {inside}
            | \.\.++
            | \S
            """,
            library.VERBOSE,
        ).findall
        self.has_letter = library.compile(rf"[{letter}]").search
        cut_off = r"\1 ' \2"
        rules = (
            (rf"([^{word}\s.'`,-])", r" \1 "),
            (r"\.\.+", r" \g<0> "),
            (rf"([^{digit}]),", r"\1 , "),
            (rf",([^{digit}])", r" , \1"),
            (rf"([{digit}]),\Z", r"\1 , "),
            (rf"([^{letter}])'([^{letter}])", cut_off),
            (rf"([^{letter}{digit}])'([{letter}])", cut_off),
            (rf"([{letter}])'([^{letter}])", cut_off),
            (rf"([{letter}])'([{letter}])", r"\1 '\2"),
            (rf"([{digit}])'(s)", r"\1 '\2"),
        )
        self._rules = [(library.compile(rule).sub, to) for rule, to in rules]

    def chain(self, text: str) -> list[str]:
        """Find the tokens by a chain of substitutions, as Moses does."""
        text = _SPACES.sub(" ", text)
        for substitute, replacement in self._rules:
            text = substitute(replacement, text)
        return text.split()


def _split_stops(tokens: list[str], classes: _Classes) -> list[str]:
    """Split a final full stop off every word that does not need it."""
    split: list[str] = []
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        if token[-1] == "." and token[0:2] not in (".", ".."):
            following = tokens[index + 1] if index < last else ""
            if not _keeps_stop(token[:-1], following, classes):
                split += (token[:-1], ".")
                continue
        split.append(token)
    if split and split[-1].endswith(".'"):
        word = split.pop()[:-2]
        split += (word, ".", "'") if word else (".", "'")
    return split


def _keeps_stop(word: str, following: str, classes: _Classes) -> bool:
    if following[:1].islower() or ("." in word and classes.has_letter(word)):
        return True
    before_number = _PREFIXES.get(word)
    if before_number is None:
        return False
    return not before_number or "0" <= following[:1] <= "9"


# Each prefix, and whether it keeps its stop before a number only.
_PREFIXES = {
    row[0]: row[1:] == ["number"]
    for row in read_rows("paraphrast.text", "nonbreaking_prefixes.txt")
}
_ASCII = _Classes(re, letter="A-Za-z", digit="0-9", word="0-9A-Za-z")
_UNICODE = _Classes(
    regex,
    letter=r"\p{Alphabetic}",
    digit=r"\p{Nd}\p{Nl}",
    word=r"\p{Alphabetic}\p{Nd}",
)
