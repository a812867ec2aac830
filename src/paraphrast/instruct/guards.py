"""Guards against models that answer the text or comment on it.

`GUARDS` are checked before those of every neural rewriter (`neural.candidates.guards`).
"""

import regex

from paraphrast.language.words import SMALL_WORDS, find_words
from paraphrast.neural.candidates.guards import Guard

ANSWERED = "answered the text instead of rewriting it"
FEWEST = 4  # content words of a text that says enough to compare
SHORTEST = 4  # letters that two forms of a word share
# Of the source's: of everyday's versions 0.3% share no more, of other texts 97%.
LEAST = 0.15

_TALK = regex.compile(
    r"""\A\W*(?:
        (?:sure|certainly|of\ course|okay|ok)\b[,!.]?\s+(?:here|let\ me)
      | here(?:'s|’s|\ is|\ are)\ (?:the|a|an|your|my)\ (?:\w+\ ){0,3}
        (?:rewrit|version|text|translation|revis|rephras|paraphras)
      | (?:the\ )?(?:rewritten|revised|rephrased)\ (?:text|version|sentence)\b
      | as\ an?\ (?:ai|language\ model|assistant)\b
      | i(?:'m|’m|\ am)\ (?:sorry|afraid),?\ (?:but\ )?(?:i\ )?
        (?:can(?:no|'|’)t|am\ (?:unable|not\ able))
        \ (?:help|assist|comply|do\ that|with)
      | i\ can(?:no|'|’)t\ (?:help|assist|comply)
    )""",
    regex.VERBOSE | regex.IGNORECASE,
)


def check_talk(source: str, text: str) -> str:
    """Reject an assistant's preamble or refusal."""
    return ANSWERED if _TALK.search(text) and not _TALK.search(source) else ""


def check_subject(source: str, text: str) -> str:
    """Reject a text that shares hardly a word of content with its source."""
    said = _find_content(source)
    if len(said) < FEWEST:
        return ""
    shared = said & _find_content(text)
    return ANSWERED if len(shared) <= LEAST * len(said) else ""


def _find_content(text: str) -> set[str]:
    """Return the prefixes of the content words."""
    return {
        word[:SHORTEST]
        for word in find_words(text.lower())
        if word not in SMALL_WORDS and len(word) >= SHORTEST
    }


GUARDS = (Guard("talk", check_talk), Guard("subject", check_subject))
