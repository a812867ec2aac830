"""Find what must stay letter for letter, and mask it from rewriters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from paraphrast.text.chat_digits import find_chat_digits
from paraphrast.text.emoticons import EMOJI, EMOTICON
from paraphrast.text.spans import Span, merge_spans

_TAIL = r"""(?:[^\s<>"()\[\]{}|\\^`]|\([^\s<>()]{0,99}\))"""
_LAST = r"""(?<![.,;:!?'"…*_~])"""  # a sentence's own punctuation is not the address's
_LABELS = r"(?:[a-zA-Z\d][a-zA-Z\d-]*+\.){1,8}"
_SUFFIXES = (
    "com|org|net|edu|gov|mil|info|io|ai|dev|app|co\\.uk|ac\\.uk|org\\.uk|com\\.au"
)
_FILES = "py|js|ts|cpp|sh|md|txt|csv|tsv|json|jsonl|xml|toml|yaml|yml|pdf|docx?|"
_FILES += "xlsx?|pptx?|html?|css|jpe?g|png|gif|svg|mp[34]|zip|gz|exe"
_UNITS = "st|nd|rd|th|s|'s|[kKmMbB]|bn|am|pm|AM|PM|x|k?g|km|cm|mm|mg|ml|lbs?|oz|ft|in|"
_UNITS += "mph|kmh|[kKMGT]B|[kMG]?Hz|°[CF]?|%|‰"

_URL = rf"""
    (?:https?|ftp|ssh|git)://{_TAIL}+{_LAST}
  | (?<![a-zA-Z\d_@.-])(?:  # letters of other scripts may touch an address
        www\.(?=\w){_TAIL}+{_LAST}
      | {_LABELS}(?:{_SUFFIXES})(?![\w-]|\.\w)(?:/{_TAIL}*{_LAST})?
      | {_LABELS}[a-z]{{2,6}}/(?=\w){_TAIL}+{_LAST}
    )"""
_EMAIL = r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"
_MENTION = r"(?<![\w@.])@\w++(?:[.-]\w++)*+"
_HASHTAG = r"(?<![\w#&/])\#(?=\w*?[^\W\d])\w++"
_NUMBER = rf"""
    (?<![\w.,])(?:
        \+?\d{{0,3}}[ ]?\(\d{{2,4}}\)[ .-]?\d{{2,4}}(?:[ .-]\d{{2,4}})++(?!\w)
      | \+\d{{1,3}}(?:[ .-]\d{{2,4}})++(?!\w)
      | \d{{3}}[ ]\d{{3,4}}[ ]\d{{3,4}}(?!\w)
      | [#№]?[-−+]?[$€£¥₹]?(?:\.(?=\d))?[\d\p{{No}}]++
        (?:[.,:/'’–-]\d++)*+(?:(?:{_UNITS})(?!\w)|(?!\w))
    )"""
CODE_SPAN = r"(?<!`)(?P<ticks>`++)(?s:.{1,5000}?)(?<!`)(?P=ticks)(?!`)"
_CODE_NAMES = rf"""
    (?<![\w/\\.])(?:
        [A-Za-z][A-Za-z\d]*+(?:_[A-Za-z\d]++)++(?:\(\))?
      | [A-Za-z_]\w*+(?:\.\w++)*+\(\)
      | \w[\w-]*+\.(?:{_FILES})(?![\w-]|\.\w)
      | (?:~|\.\.?)?(?:/[\w.-]*\w){{2,}}/?
      | [A-Za-z]:\\[^\s"<>|]*+
    )"""
MARKDOWN_SPAN = r"""
      \[\^[^\[\]\s]++\]                             # a footnote's mark
    | !?\[(?:[^\[\]]++|!?\[[^\[\]]*+\](?:\([^()]*+\))?+)*+\](?:  # [words](target)
          \(\s*+(?:<[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)?+)
          (?:\s++(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?+\s*+\)
        | \[[^\[\]]*+\]
      )
    | <(?:/?[A-Za-z][^<>\n]{0,500}+|!--(?s:.{0,2000}?)--|https?://[^<>\s]++)>
    | &(?:\#\d{1,7}|\#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,24});
    """
_EMPHASIS = r"""
      (?<![\w*_~])(?P<open>\*{1,3}|_{1,3}|~~)(?=[^\s*_~])
    | (?<=[^\s*_~])(?P<close>\*{1,3}|_{1,3}|~~)(?![\w*_~])
    """

_DIGITS = "0123456789"
_CHAT_DIGITS = frozenset("124")
# A kind, the characters of which it needs at least one, and its pattern.
_RULES: tuple[tuple[str, frozenset[str], Any], ...] = tuple(
    (kind, frozenset(needed), regex.compile(pattern, regex.VERBOSE).finditer)
    for kind, needed, pattern in (
        ("code", "`", CODE_SPAN),
        ("code", "_(/\\.", _CODE_NAMES),
        ("url", "/.", _URL),
        ("email", "@", _EMAIL),
        ("mention", "@", _MENTION),
        ("hashtag", "#", _HASHTAG),
        ("emoji", "é", EMOJI.replace("#", "\\#")),
        ("emoji", ":;=<>^_8D\\", EMOTICON),
        ("number", _DIGITS + "é", _NUMBER.replace("[#№]", "[\\#№]")),
        ("markdown", "[]<&", MARKDOWN_SPAN),
    )
)
# "é" stands for any character beyond ASCII.
_TRIGGERS = frozenset[str]().union(*(needed for _, needed, _ in _RULES), "*~")
_FOREIGN = frozenset("é")
_STOP = frozenset(".")
_INNER_STOP = re.compile(r"\.\w").search
_IN_WORD = re.compile(r"\w\w").fullmatch
_MARKS = frozenset("*_~")
_FIND_MARKS = regex.compile(_EMPHASIS, regex.VERBOSE).finditer


def protected_spans(text: str, *, terms: Sequence[str] = ()) -> list[Span]:
    """Return the protected spans, in order, not overlapping; ``terms`` are the user's.

    A term is matched exactly, with its case, and not inside a longer word. A digit that
    stands for a word, as in "wait 4 me", is not protected.
    """
    present = _TRIGGERS.intersection(text)
    if not text.isascii():
        present |= _FOREIGN
    if "." in present and not _INNER_STOP(text):
        present -= _STOP
    if not present and not terms:
        return []
    spans = [
        Span(match.start(), match.end(), kind)
        for kind, needed, find in _RULES
        if not present.isdisjoint(needed)
        for match in find(text)
    ]
    if not present.isdisjoint(_CHAT_DIGITS):
        words = {(span.start, span.end) for span in find_chat_digits(text)}
        spans = [span for span in spans if (span.start, span.end) not in words]
    if not present.isdisjoint(_MARKS):
        spans.extend(_emphasis(text))
    spans.extend(_find_terms(text, terms))
    return merge_spans(spans) if spans else spans


def _emphasis(text: str) -> Iterator[Span]:
    """Yield the marks around emphasised words, both of a pair or neither."""
    opened: dict[str, Span] = {}
    for match in _FIND_MARKS(text):
        span = Span(match.start(), match.end(), "markdown")
        if match["open"]:
            opened[match["open"]] = span
        elif begin := opened.pop(match["close"], None):
            yield begin
            yield span


def _find_terms(text: str, terms: Sequence[str]) -> Iterator[Span]:
    """Yield the occurrences of the terms as whole words."""
    for term in dict.fromkeys(terms):
        start = text.find(term) if term else -1
        while start >= 0:
            end = start + len(term)
            if not (_is_inside_word(text, start) or _is_inside_word(text, end)):
                yield Span(start, end, "term")
            start = text.find(term, start + 1)


def _is_inside_word(text: str, index: int) -> bool:
    """Return whether the characters on both sides of an index belong to one word."""
    return bool(_IN_WORD(text[max(0, index - 1) : index + 1]))


_STEM = re.compile(r"zqx+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hidden:
    """The text that a placeholder stands for, and the characters that touched it."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Unmasked:
    """A text with its originals restored, and the originals that were lost."""

    text: str
    lost: tuple[str, ...]


def mask(
    text: str, spans: Sequence[Span], *, as_names: bool = False
) -> tuple[str, dict[str, Hidden]]:
    """Replace sorted spans by placeholders; return the text and what each hides.

    Placeholders ``as_names``, with a capital, are copied by models that never saw them.
    """
    longest = max((len(result) for result in _STEM.findall(text)), default=2)
    stem = "zqx".ljust(longest + 1, "x")
    table: dict[str, Hidden] = {}
    parts: list[str] = []
    position = 0
    for number, span in enumerate(spans):
        before = text[max(0, span.start - 1) : span.start].strip()
        after = text[span.end : span.end + 1].strip()
        placeholder = f"{stem}{number}q"
        table[placeholder] = Hidden(text[span.start : span.end], before, after)
        parts.append(text[position : span.start])
        shown = placeholder.capitalize() if as_names else placeholder
        parts += (" " * len(before), shown, " " * len(after))
        position = span.end
    parts.append(text[position:])
    return "".join(parts), table


def unmask(text: str, table: Mapping[str, Hidden]) -> Unmasked:
    """Restore what the placeholders stand for, in any case and any order.

    An original that touched its neighbours touches them again, unless a neighbour was
    a mark and is now a word.
    """
    if not table:
        return Unmasked(text, ())
    result: set[str] = set()
    pattern = re.compile(rf"( ?)({'|'.join(table)})( ?)", re.IGNORECASE)
    matches = list(pattern.finditer(text))
    starts, ends = {m.start() for m in matches}, {m.end() for m in matches}

    def original(match: re.Match[str]) -> str:
        placeholder = match[2].lower()
        result.add(placeholder)
        hidden = table[placeholder]
        start, end = match.span()
        # Another placeholder is not a word.
        last = "" if start in ends else text[max(0, start - 1) : start]
        following = "" if end in starts else text[end : end + 1]
        before = _find_between(match[1], hidden.before, last)
        return before + hidden.text + _find_between(match[3], hidden.after, following)

    restored = pattern.sub(original, text)
    lost = (hidden.text for name, hidden in table.items() if name not in result)
    return Unmasked(restored, tuple(lost))


def _find_between(space: str, sign: str, near: str) -> str:
    """Return the separator of an original that touched ``sign`` and its neighbour."""
    is_word_now = near.isalnum() and not sign.isalnum()
    return space if not sign or is_word_now else ""
