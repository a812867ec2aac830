"""Find the sentences of a text.

A sentence ends at ``.``, ``?``, ``!`` or an ellipsis, with any closing quotes and
brackets after it, if white space follows and none of these exceptions applies: an
abbreviation, an initial, a list number, a lower-case word after a closing quote.
It also ends at a blank line; a single line break is just white space. Text without
capitals, as in chats, is also split at its stops.

The running time is linear in the length of the text: every stop is examined once, with
a few characters on either side.
"""

import re

import regex

from paraphrast.text.emoticons import EMOJI, EMOTICON
from paraphrast.text.spans import Span
from paraphrast.text.word_lists import read_rows

_CLOSERS = r"\"'”’»)\]}*_`"
_OPENERS = r"\"'“‘«(\[{*_`¿¡"
_FACE = rf"(?:{EMOTICON}|{EMOJI})"
_BLANK_LINE = r"(?P<blank>\n[^\S\n]*+\n)"
# A closing mark at the very end belongs to the last sentence, space or not.
_STOP = rf"""(?P<stop>[.?!…。？！]++)
             (?P<close>[{_CLOSERS}]*+(?:[^\S\n]++[{_CLOSERS}]++(?=\s*+\Z))?)"""
_END = re.compile(rf"{_STOP} (?=\s|\Z) | {_BLANK_LINE}", re.VERBOSE)
# An emoticon after a stop belongs to the sentence before it, and an emoticon before a
# capital ends a sentence by itself. Searching for them is slow and rarely needed.
_FACE_HINT = re.compile(r"[:;=<^_\\]|[xX]D|8[-^]?\)|[^\x00-\x7f]")
_END_WITH_FACES = regex.compile(
    rf"""{_STOP} (?:[^\S\n]{{0,2}}{_FACE})*+ (?=\s|\Z)
       | {_BLANK_LINE}
       | (?<=\s)(?P<face>{_FACE}) (?=\s++[{_OPENERS}]*+\p{{Lu}})
    """,
    regex.VERBOSE,
)
_NEXT = regex.compile(rf"\s*+([{_OPENERS}]*+)\s*+([^\W_]++(?:['’]\w++)?|\S|\Z)")
_INITIAL = regex.compile(r"\p{Lu}|(?:\p{L}\.)+\p{L}")
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})")
_SELF = re.compile(r"I(?:['’]\w+)?")
_LONGEST_WORD = 32


def split_sentences(text: str) -> list[Span]:
    """Return the sentences of a text in order; only white space lies between them."""
    ends = [0]
    pattern = _END_WITH_FACES if _FACE_HINT.search(text) else _END
    for match in pattern.finditer(text):
        # If there is a stop, "close" is the last group, empty or not.
        if match.lastgroup != "close" or _is_end(text, match, ends[-1]):
            ends.append(match.end())
    return _trim_spans(text, [*ends[1:], len(text)])


def _trim_spans(text: str, ends: list[int]) -> list[Span]:
    spans = []
    start = 0
    for end in ends:
        part = text[start:end]
        bare = part.lstrip()
        if bare:
            first = start + len(part) - len(bare)
            spans.append(Span(first, first + len(bare.rstrip()), "sentence"))
        start = end
    return spans


def _is_end(text: str, match: re.Match[str], start: int) -> bool:
    """Return whether the sentence that begins at ``start`` ends with this stop."""
    opened, word = _NEXT.match(text, match.end()).groups()
    if not word:
        return True
    if word[0] in ",;:)]}" or (match["close"] and word[0].islower()):
        return False
    stop = match["stop"]
    if stop == ".":
        return _full_stop_ends(text, match, start, opened=opened, word=word)
    if not stop.strip(".…"):
        return bool(opened) or not (word[0].islower() or _SELF.fullmatch(word))
    return True


def _full_stop_ends(
    text: str, match: re.Match[str], start: int, *, opened: str, word: str
) -> bool:
    begin = max(start, match.start() - _LONGEST_WORD)
    before = text[begin : match.start()].rsplit(None, 1)
    if not before:
        return True
    last = before[-1].lstrip(_OPENERS)
    if begin == start and len(before) == 1 and _NUMBER.fullmatch(last):
        return False
    kind = _KINDS.get(last) or _KINDS.get(last.lower(), "")
    if not kind and last != "I" and _INITIAL.fullmatch(last):
        kind = "perhaps"
    if kind == "number":
        return not word[0].isdigit()
    if kind == "perhaps":
        return (
            bool(opened and word[0].isupper()) or word.replace("’", "'") in _FIRST_WORDS
        )
    return kind != "never"


_KINDS = {
    word: kind for word, kind in read_rows("paraphrast.text", "abbreviations.txt")
}
_FIRST_WORDS = frozenset(
    word for (word,) in read_rows("paraphrast.text", "first_words.txt")
)
