"""Whether a rewrite speaks of other persons than its source does: of you, not of me.

A person may be lost where a style drops its subjects ("Told him twice"), and may be new
where it begs or addresses ("I pray you"). So one person in another's place is a fault
in almost any style, and a lost or a new one only where authored versions keep to it.
"""

from functools import lru_cache

import regex

from paraphrast.language.names import strip_clitic
from paraphrast.language.words import (
    FIRST,
    HE,
    SECOND,
    SHE,
    THEY,
    WE,
    find_persons,
    find_words,
)
from paraphrast.text.word_lists import read_rows

IT = "@it"
FREE = frozenset(("joyce", "tweet"))  # where one person may stand for another
LOSES = {
    FIRST: frozenset(
        ("bible", "conversation", "poetry", "polite", "prose-1810", "shakespeare",
         "simple")
    ),
    SECOND: frozenset(("conversation", "polite")),
}  # fmt: skip
# "A butcher, he's worth it."
GAINS = frozenset(("conversation", "joyce", "shakespeare"))
_SPEAKERS, _GENDERS = frozenset((FIRST, SECOND)), frozenset((HE, SHE))
# Words that somebody is spoken of, whom "he" or "she" may name.
_SOMEBODY = frozenset(
    word
    for _, words in read_rows("paraphrast.language", "genders.txt")
    for word in words.split()
)
_OTHERS = {
    person: regex.compile(rf"\b(?:{forms})\b", regex.IGNORECASE)
    for person, forms in {
        "one": "I|me|my|mine|myself|im|ive",
        WE: "we|us|our|ours|ourselves|let['’]?s",
        THEY: "they|them|their|theirs|themselves",
        IT: "it|its|itself|tis|twas",
    }.items()
}


def changes_person(source: str, output: str, style: str = "") -> bool:
    """Say whether an output loses, brings in or exchanges a person."""
    before, after = _list_persons(source), _list_persons(output)
    lost, new = before - after, after - before
    return (
        (style not in FREE and _exchanges(lost, new))
        or any(person in lost and style in styles for person, styles in LOSES.items())
        or (
            style not in GAINS
            and not _GENDERS.isdisjoint(new)
            and _is_of_nobody(source)
        )
    )


def _exchanges(lost: frozenset[str], new: frozenset[str]) -> bool:
    return (
        (not _SPEAKERS.isdisjoint(lost) and bool(new & {*_SPEAKERS, *_GENDERS, THEY}))
        or (not _GENDERS.isdisjoint(lost) and IT in new)
        or ("one" in lost and WE in new)
        or (WE in lost and "one" in new)
    )


def _is_of_nobody(text: str) -> bool:
    words = (strip_clitic(word).lower() for word in find_words(text))
    return _SOMEBODY.isdisjoint(words)


@lru_cache(maxsize=256)  # a source is compared with many candidates
def _list_persons(text: str) -> frozenset[str]:
    others = (person for person, pattern in _OTHERS.items() if pattern.search(text))
    return find_persons(text) | frozenset(others)
