"""Old verb forms that never were: ``'d`` on what is no regular verb."""

import regex

from paraphrast.language.stemming import IRREGULAR_FORMS

_PAST = regex.compile(r"(?<![\w'’])(\p{L}{3,})['’]d(?![\w'’])")
# Verbs with a past of their own, beside those that `root` knows.
_IRREGULAR = frozenset(
    """
    beat bend bet bid bind bite bleed blow build burst cast cling cost creep cut deal
    dig draw drive feed fit flee fling fly forgive freeze grind grow hang hide hit hurt
    knit lay lend let lie light mean pay put quit read rid ring sell set shed shine
    shoot shrink shut sink slide slit spend spin split spread spring steal stick sting
    strike sweep swim swing tear throw thrust wake wear weave wed wind
    """.split()  # noqa: SIM905
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
    irregular = word in _IRREGULAR or word in IRREGULAR_FORMS
    return irregular or bool(_THIRD_PERSON.search(word))
