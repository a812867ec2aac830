"""Forms that no English text has: false endings, words said again and again."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import regex

from paraphrast.language.stemming import IRREGULAR_FORMS

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
    "she they you who that there this what where how why when will man woman men".split()  # noqa: SIM905, E501
)
_NO_VERBS = frozenset("be man woman child wife foot tooth brother".split())  # noqa: SIM905
# A regular past that was or is in use beside the irregular one, or is another word.
_ALSO_REGULAR = frozenset(
    """
    beared bended betted builded canned catched costed digged fitted hanged knitted
    leaded leaved lied lighted quitted ridded seed shaked shined singed speeded waked
    weaved wedded willed winded died
    """.split()  # noqa: SIM905
)
_NEVER_REGULAR = (
    frozenset(
        f"{verb.removesuffix('e')}ed"
        for verb in (_IRREGULAR | set(IRREGULAR_FORMS.values())) - _NO_VERBS
        if len(verb) > 2
    )
    - _ALSO_REGULAR
)
_PAST = regex.compile(r"(?<![\w'’])(\p{L}{3,})['’]d(?![\w'’])")
# "Stops'd" and "learned'd" have two endings, and after t or d the e was spoken;
# "collaps'd" and "us'd" have lost an e.
_NO_PAST = regex.compile(r"(?:\p{L}(?:[bdgkmt]|(?<!la|li)p)s|[dt])\Z")
_FALSE = regex.compile(
    r"(?<![\w'’])(?:"
    r"\p{L}+(?:ed|ing|ly)['’]t"  # seemed't
    r"|(?:they|we|I|thou|you|ye)\s+(?!\p{L}+ieth\b)\p{L}{2,}eth"  # they goeth
    r"|(?:the|my|thy|his|her|our|their|your|these|those|all|many)\s+"
    r"\p{L}{2,}[^\W\d_siu]s\s+(?!\p{L}+ieth\b)\p{L}{2,}eth"  # the birds singeth
    r")(?![\w'’])",
    regex.IGNORECASE,
)
_REGULAR = regex.compile(r"(?<![\w'’-])\p{Ll}{2,}ed(?![\w'’-])")


def find_false_forms(text: str) -> list[str]:
    """Return verbs with an ending that they cannot have: hit'd, losed, they goeth."""
    pasts = (match for match in _PAST.finditer(text) if _is_false(match[1].lower()))
    regular = (m for m in _REGULAR.finditer(text) if m[0] in _NEVER_REGULAR)
    return [match[0] for match in (*pasts, *regular, *_FALSE.finditer(text))]


def _is_false(word: str) -> bool:
    if word in _SUBJECTS:
        return False
    irregular = word in _IRREGULAR or word in IRREGULAR_FORMS
    return irregular or bool(_NO_PAST.search(word))


_STRETCHED = regex.compile(r"(\p{L})\1{4,}")


def count_most_repeated(words: Sequence[str], order: int) -> int:
    """Return how often the commonest run of ``order`` words stands in a text."""
    ngrams = zip(*(words[start:] for start in range(order)), strict=False)
    return max(Counter(ngrams).values(), default=0)


def count_longest_run(words: Sequence[str]) -> int:
    """Return how often one word is said in a row at most."""
    return max((sum(1 for _ in run) for _, run in groupby(words)), default=0)


def has_stretched_letters(text: str) -> bool:
    """Say whether a letter stands five times in a row or more."""
    return bool(_STRETCHED.search(text))
