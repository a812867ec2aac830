"""The words of a text, repetitions, and classes of English words.

`find_words` is for facts that need only the words themselves. Other purposes have their
own functions: `paraphrast.text.overlap.words` normalises as the SQuAD script does,
`paraphrast.text.model_words.words` is what trained judges read, and
`paraphrast.language.sentence.read` splits contractions.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import regex

from paraphrast.text.word_lists import read_rows

WORD = regex.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STRETCHED = regex.compile(r"(\p{L})\1{4,}")


def find_words(text: str) -> list[str]:
    """Return the runs of letters and digits, including internal apostrophes."""
    return list(WORD.findall(text))


FIRST, SECOND, HE, SHE, WE, THEY = "@i", "@you", "@he", "@she", "@we", "@they"
SUBJECTS = {
    "i": FIRST, "thou": SECOND, "he": HE, "she": SHE, "we": WE, "they": THEY,
}  # fmt: skip
OBJECTS = {
    "me": FIRST, "thee": SECOND, "him": HE, "us": WE, "them": THEY, "'em": THEY,
}  # fmt: skip
EITHER = {"you": SECOND, "ye": SECOND, "u": SECOND, "ya": SECOND}
PRONOUNS = SUBJECTS | OBJECTS | EITHER

# The speaker may be one or many: "I pray" and "we pray" are the same person here.
_FORMS = {
    FIRST: "I|me|my|mine|myself|we|us|our|ours|ourselves|methinks|im|ive|let['’]s",
    SECOND: "you|your|yours|yourself|yourselves|thou|thee|thy|thine|thyself|ye|u|ur|"
    "y['’]?all",
    HE: "he|him|his|himself",
    SHE: "she|her|hers|herself",
}
_PATTERNS = {
    person: regex.compile(rf"\b(?:{forms})\b", regex.IGNORECASE)
    for person, forms in _FORMS.items()
}
# Said to keep a listener, of nobody in particular.
_FILLER = regex.compile(
    r"\b(?:(?:as )?you (?:know|see)|thou know['’]?e?st|I mean|I (?:pray|beseech) "
    r"(?:you|thee)|prithee|thank you)\b",
    regex.IGNORECASE,
)


def find_persons(text: str) -> frozenset[str]:
    """Return which of speaker, listener, man and woman a text mentions.

    Fillers such as "you know" mention nobody.
    """
    said = _FILLER.sub(" ", text)
    return frozenset(p for p, pattern in _PATTERNS.items() if pattern.search(said))


KINDS = {
    kind: frozenset(words.split())
    for kind, words in read_rows("paraphrast.language", "word_kinds.txt")
}
NEGATORS = KINDS["negators"]
# Words that deny without a negator: they may stand for one in a rewrite.
DENIALS = KINDS["denials"]
MODALS = {word: kind for kind in ("must", "may") for word in KINDS[kind]}
DETERMINERS = KINDS["determiners"]
AUXILIARIES = KINDS["auxiliaries"]
BE = KINDS["be"]
CLAUSE_ENDS = KINDS["clause ends"]
TITLES = KINDS["titles"]
FUNCTION = (
    DETERMINERS
    | AUXILIARIES
    | NEGATORS
    | PRONOUNS.keys()
    | KINDS["other function words"]
)
# Words that hold sentences together and are nobody's name; Art, May and Will are names.
SMALL_WORDS = (
    AUXILIARIES | BE | DETERMINERS | NEGATORS | KINDS["other function words"]
) - {"art", "may", "will"}


def count_most_repeated(words: Sequence[str], order: int) -> int:
    """Return the count of the most frequent n-gram of ``order`` words in a text."""
    ngrams = zip(*(words[start:] for start in range(order)), strict=False)
    return max(Counter(ngrams).values(), default=0)


def count_longest_run(words: Sequence[str]) -> int:
    """Return the length of the longest run of one repeated word."""
    return max((sum(1 for _ in run) for _, run in groupby(words)), default=0)


def has_stretched_letters(text: str) -> bool:
    """Say whether a letter is repeated five times or more."""
    return bool(_STRETCHED.search(text))


# Styles into which no rewriter brings offensive words. Old books have some, and a style
# that a user taught has the words of its texts.
DECENT_STYLES = (
    "concise",
    "conversation",
    "formal",
    "informal",
    "plain",
    "polite",
    "simple",
    "tweet",
)


def find_offensive_words(text: str) -> list[str]:
    """Return the offensive words of a text in lower case, each once, in order."""
    words = (match.group().lower() for match in _pattern().finditer(text))
    return list(dict.fromkeys(words))


def adds_offensive_words(source: str, text: str) -> bool:
    """Say whether a rewrite has offensive words that its source does not have."""
    added = find_offensive_words(text)
    return bool(added) and not set(added) <= set(find_offensive_words(source))


@cache
def _pattern() -> re.Pattern[str]:
    stems = [
        re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "")
        for (word,) in read_rows("paraphrast.language", "offensive.txt")
    ]
    return re.compile(rf"\b(?:{'|'.join(stems)})\b", re.IGNORECASE)
