"""Look at a sentence before a model does: can it be rewritten?

A sentence without words, in another language, or that is code rather than English comes
back with the reason. Most sentences pass by a quick look.
"""

from functools import cache
from typing import Any

import regex

NO_WORDS = "there are no words"
FOREIGN = "it does not look like English"
CODE = "it looks like code"
FEWEST_TO_TELL = 5  # words that tell a language
CODE_SHARE = 0.2
CODE_MARKS = 3  # a keyword first, calls, operators, brackets

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")
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
    words = _WORD.findall(text)
    if not words:
        return NO_WORDS
    if _is_code(text, len(words)):
        return CODE
    return FOREIGN if _is_foreign(text, words) else ""


def _is_code(text: str, words: int) -> bool:
    signs = sum(character in _CODE_SIGNS for character in text)
    if signs > CODE_SHARE * len(text) or (signs >= 4 and signs > words):
        return True
    return signs > 0 and len(_CODE.findall(text)) >= CODE_MARKS


def _is_foreign(text: str, words: list[str]) -> bool:
    if len(words) < FEWEST_TO_TELL:
        return False
    common = sum(word.lower() in _COMMON for word in words)
    if common and (text.isascii() or common * 8 >= len(words)):
        return False
    return _is_identified_as_foreign(text)


def _is_identified_as_foreign(text: str) -> bool:
    return str(_identifier().classify(text)[0]) != "en"


@cache
def _identifier() -> Any:
    # Its model takes a moment to read, and few sentences need it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
