"""Old verb forms that never were: ``'d`` on what is no regular verb."""

import regex

from paraphrast.language.stemming import IRREGULAR_FORMS

_PAST = regex.compile(r"(?<![\w'’])(\p{L}{3,})['’]d(?![\w'’])")
# Verbs whose past is what they are.
_UNCHANGING = frozenset(
    [
        "beat",
        "bet",
        "bid",
        "burst",
        "cast",
        "cost",
        "cut",
        "fit",
        "hit",
        "hurt",
        "knit",
        "let",
        "put",
        "quit",
        "read",
        "rid",
        "set",
        "shed",
        "shut",
        "slit",
        "split",
        "spread",
        "thrust",
        "wed",
    ]
)
# Words before the 'd of "would" and "had".
_SUBJECTS = frozenset(
    [
        "she",
        "they",
        "you",
        "who",
        "that",
        "there",
        "this",
        "what",
        "where",
        "how",
        "why",
        "when",
        "will",
        "man",
        "woman",
        "men",
    ]
)
# "Stops'd" has two endings; "collaps'd" and "us'd" have lost an e.
_THIRD_PERSON = regex.compile(r"\p{L}(?:[bdgkmt]|(?<!la|li)p)s\Z")


def find_false_forms(text: str) -> list[str]:
    """Return the words with ``'d`` whose past is another form, or that have an s."""
    return [match[0] for match in _PAST.finditer(text) if _is_false(match[1].lower())]


def _is_false(word: str) -> bool:
    if word in _SUBJECTS:
        return False
    irregular = word in _UNCHANGING or word in IRREGULAR_FORMS
    return irregular or bool(_THIRD_PERSON.search(word))
