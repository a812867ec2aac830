"""Digits that stand for a word in chat: "wait 4 me", "go 2 bed", "eat 1st".

Such a digit is not a number, so it need not be preserved. `spell_digit` interprets one
by the words beside it; `find_chat_digits` finds those of a text in lines that look like
chat, since "in chapter 4 you" is not "for you".
"""

from collections.abc import Iterator

import regex

from paraphrast.text.spans import Span
from paraphrast.text.word_lists import read_rows

CHAT_DIGITS = frozenset({"1st", "2", "4"})
NEAR = 200  # characters of the line on either side
_DIGIT = regex.compile(
    r"(?<![\w.,:/$€£¥#№+*×=<>’'-])(?:[24]|1st)(?![\w%°$€£]|[.,:/’'×-]\w)"
)
_WORD_BEFORE = regex.compile(r"(thank[ \t]+you|[\w'’]+)[ \t]+\Z", regex.IGNORECASE)
_WORD_AFTER = regex.compile(r"[ \t]+([\w'’]+)")
# Spellings that occur only in chat.
_CHAT = regex.compile(
    r"""(?<![\w'’])(?:
        u|ur|r|thx|thnx|thanx|ty|plz|pls|lol|omg|idk|btw|im|ive|dont|cant|wont|didnt
      | i|wat|wot|dat|cuz|coz|gonna|gotta|wanna|cud|wud|shud|ya|yea|nvm|msg|tho|n|b|c
      | [b-z&&[^x]][48]|\p{L}{2}8\p{L}?|2\p{L}{3,}|4(?:ever|get|got)
      | (?:any|some|every)1
    )(?![\w'’])""",
    regex.VERBOSE | regex.VERSION1,
)
_LOWER_START = regex.compile(r"\W*\p{Ll}")
_KINDS = {
    kind: frozenset(words.split())
    for kind, words in read_rows("paraphrast.text", "chat_digits.txt")
}
_OBJECTS = _KINDS["objects"]
_PHRASES = _OBJECTS | _KINDS["noun phrases"]


def spell_digit(before: str, digit: str, after: str) -> str:
    """Return the word that a digit stands for in chat, or "" for a number.

    ``before`` and ``after`` are the words beside it in lower case, or a mark or an
    empty string where there is no word; "thank you" is one word.
    """
    ends = not after[:1].isalnum()
    if digit not in CHAT_DIGITS or before in _KINDS["counting"]:
        return ""
    if digit == "1st":
        is_date = not before.isalpha() or before in _KINDS["dates"]
        return "first" if ends and not is_date else ""
    if digit == "2" and ends:
        return "too" if before in ("me", "you", "u") else ""
    if not before[:1].isalpha():
        return ""
    if digit == "4":
        plural = after.endswith("s") or after == "people"
        thanks = _thanks(before) and not ends and not plural
        doing = before in _KINDS["for doing"] and after.endswith("ing")
        return "for" if after in _PHRASES or thanks or doing else ""
    return "to" if after in _PHRASES | _KINDS["infinitives"] else ""


def find_chat_digits(text: str) -> list[Span]:
    """Return where digits stand for words, in lines that look like chat."""
    return [span for span in _find_spelt(text) if _is_chat(text, span)]


def _find_spelt(text: str) -> Iterator[Span]:
    for match in _DIGIT.finditer(text):
        before, after = _find_neighbours(text, *match.span())
        if spell_digit(before, match.group(), after):
            yield Span(match.start(), match.end())


def _find_neighbours(text: str, start: int, end: int) -> tuple[str, str]:
    first = _WORD_BEFORE.search(text, max(0, start - 40), start)
    last = _WORD_AFTER.match(text, end)
    return (
        " ".join(first[1].lower().split()) if first else "",
        last[1].lower() if last else "",
    )


def _thanks(before: str) -> bool:
    return before in _KINDS["surely for"] or before == "thank you"


def _is_chat(text: str, span: Span) -> bool:
    """Return whether a line has chat spelling, or words that leave no doubt."""
    first, last = (
        text[max(0, span.start - NEAR) : span.end],
        text[span.end : span.end + NEAR],
    )
    line = first.rpartition("\n")[2] + last.partition("\n")[0]
    before, after = _find_neighbours(text, span.start, span.end)
    surely = _thanks(before) or before in _KINDS["for doing"]
    if before == "me" or (surely and text[span.start] == "4"):
        return True
    if _CHAT.search(line):
        return True
    begins_small = bool(_LOWER_START.match(line))
    return begins_small and (before in _KINDS["surely to"] or after in _OBJECTS)
