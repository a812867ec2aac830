"""Who is "he", who is "she", and whose is "mine": what a text says of it.

A man or a woman is spoken of by a pronoun, by a noun ("mother", "Mr") or by a given
name that only men or only women bear as a rule. Other texts leave it open.
"""

from collections.abc import Iterator

import regex

from paraphrast.language.names import find_names, strip_clitic
from paraphrast.language.sentence import read
from paraphrast.language.stemming import root
from paraphrast.language.words import HE, SHE, find_words
from paraphrast.text.word_lists import read_rows

_KINDS = {
    kind: frozenset(words.split())
    for kind, words in read_rows("paraphrast.language", "genders.txt")
}
_SAID = {HE: _KINDS["he"], SHE: _KINDS["she"]}
_MEANT = {
    HE: _KINDS["men"] | _KINDS["partners"],
    SHE: _KINDS["women"] | _KINDS["partners"],
}
_NAMED = {HE: _KINDS["men's names"], SHE: _KINDS["women's names"]}
# A possessive that stands for a thing, and the words that ask for a thing after them.
_POSSESSIVES = {
    "mine": ("my", "mine"),
    "yours": ("your", "thy", "thine", "ur"),
    "hers": ("her",),
    "ours": ("our",),
    "theirs": ("their",),
}
_OWNED = regex.compile(
    r"\b(my|mine|your|thy|thine|ur|her|our|their)\s+([\p{L}'’-]+)(?:\s+([\p{L}'’-]+))?",
    regex.IGNORECASE,
)


def find_added_gender(source: str, text: str) -> str:
    """Return a pronoun by which a text makes somebody a man or a woman, or nothing.

    Silent where the source speaks of anybody ("someone"), whom older English calls
    "he", and where it neither names anyone nor speaks of men or women.
    """
    words = frozenset(_list_lower_words(source))
    supported = {person for person in _SAID if _speaks_of(words, person)}
    names = {name.lower() for name in find_names(source)} - _KINDS["dates"]
    if not (names or supported):
        return ""
    for word in _list_lower_words(text):
        for person, forms in _SAID.items():
            generic = person == HE and not words.isdisjoint(_KINDS["anybody"])
            if word in forms and person not in supported and not generic:
                return word
    return ""


def find_added_possession(source: str, text: str) -> str:
    """Return what a text makes of "mine" if the source has no such thing, or nothing.

    "I forgot mine" may become "I forgot my charger" where there is one, and not "my
    memory".
    """
    words, new = (frozenset(_list_lower_words(side)) for side in (source, text))
    for absolute, forms in _POSSESSIVES.items():
        if absolute not in words or not _KINDS["without a noun"].isdisjoint(new):
            continue
        known = read(source).roots
        for owner, *things in _find_owned(text):
            near = [thing for thing in things if thing]
            if owner in forms and not any(root(thing) in known for thing in near):
                return f"{owner} {near[0]}"
    return ""


def _find_owned(text: str) -> Iterator[tuple[str, str, str]]:
    for match in _OWNED.finditer(text):
        owner, first, second = match.groups()
        yield owner.lower(), first.lower(), (second or "").lower()


def _speaks_of(words: frozenset[str], person: str) -> bool:
    meant = _SAID[person] | _MEANT[person] | _NAMED[person]
    return not words.isdisjoint(meant)


def _list_lower_words(text: str) -> list[str]:
    return [strip_clitic(word).lower() for word in find_words(text)]
