"""Look at a sentence before a model does: can it be rewritten, and in which parts?

A sentence without words, in another language, or that is code rather than English comes
back with the reason. A long one is cut where it pauses, so that every part has a
bounded length; what lies between the parts is kept. Most sentences pass by a quick
look.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import regex

from paraphrast.text.spans import Span

NO_WORDS = "there are no words"
FOREIGN = "it does not look like English"
CODE = "it looks like code"
MOST_WORDS = 60  # in a part
FEWEST_TO_TELL = 5  # words that tell a language
CODE_SHARE = 0.2
CODE_MARKS = 3  # a keyword first, calls, operators, brackets

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")
_PAUSE = regex.compile(r"[;:,—–)]['\"”’]*\s+|\s+(?=(?:and|but|or|that|which)\b)")
_CODE = regex.compile(
    r"""^\s*(?:def|class|return|import|function|const|let|var|public|static|void)\b
      | \w\(\w*\)(?!\w) | [!=<>+*/-]= | [=-]> | :: | && | \|\| | [{}\[\]] | ;\s*$""",
    regex.VERBOSE,
)
_CODE_SIGNS = frozenset("{}[]<>=;|\\_$#^~")
_COMMON_WORDS = """
    a an the and or but if of in on at to for from with by as is am are was were be
    been do does did have has had i you he she it we they me him her us them my your
    his its our their this that these those not no so what who where when why how
    all can could will would shall should may might must there here up out just like
    u ur im gonna thou thee thy thine ye hath doth art unto upon nor o oh lol ok
    yeah
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def reason_against(text: str) -> str:
    """Return why a sentence is not to be rewritten, or nothing."""
    found = _WORD.findall(text)
    if not found:
        return NO_WORDS
    if _is_code(text, len(found)):
        return CODE
    return FOREIGN if _is_foreign(text, found) else ""


def _is_code(text: str, words: int) -> bool:
    signs = sum(character in _CODE_SIGNS for character in text)
    if signs > CODE_SHARE * len(text) or (signs >= 4 and signs > words):
        return True
    return signs > 0 and len(_CODE.findall(text)) >= CODE_MARKS


def parts(text: str, protected: tuple[Span, ...]) -> list[Span]:
    """Return the spans to rewrite one by one; a short sentence is one of them."""
    if len(text.split()) <= MOST_WORDS:
        return [Span(0, len(text))]
    return list(_cut(text, protected))


def _cut(text: str, protected: tuple[Span, ...]) -> Iterator[Span]:
    """Cut after the last pause, or else word, before a part has too many words."""
    start = last_pause = last_word = 0
    count = 0
    pauses = {match.end() for match in _PAUSE.finditer(text)}
    ends = [match.end() for match in regex.finditer(r"\s+", text)]
    for end in (e for e in ends if not _inside(e, protected)):
        count = len(text[start:end].split())
        if count > MOST_WORDS:
            cut = last_pause if last_pause > start else last_word
            cut = cut if cut > start else end
            yield Span(start, cut)
            start = cut
        last_word = end
        if end in pauses and len(text[start:end].split()) > MOST_WORDS // 3:
            last_pause = end
    yield Span(start, len(text))


def _inside(place: int, protected: tuple[Span, ...]) -> bool:
    return any(span.start < place < span.end for span in protected)


def _is_foreign(text: str, found: list[str]) -> bool:
    if len(found) < FEWEST_TO_TELL:
        return False
    if any(word.lower() in _COMMON for word in found):
        known = sum(word.lower() in _COMMON for word in found)
        return text.isascii() is False and known * 8 < len(found) and _told(text)
    return _told(text)


def _told(text: str) -> bool:
    return str(_identifier().classify(text)[0]) != "en"


@cache
def _identifier() -> Any:
    # Its model takes a moment to read, and few sentences need it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
