"""Names that a rewrite kept, lost, added or exchanged.

A name is a word with a capital inside a sentence. Lines of verse and headlines give
capitals to any word, so common words are no names, nor are titles, which a rewrite may
drop. The other
text is searched without regard to case, for the same word, an inflected or shortened
form, or another name of the same bearer (the Bible's names of God).
"""

from collections.abc import Iterator
from functools import cache

from rapidfuzz.distance import Indel

from paraphrast.judges.meaning_checks.finding import Finding
from paraphrast.language.sentence import FUNCTION, TITLES, Sentence
from paraphrast.language.stemming import root
from paraphrast.text.word_lists import read_rows

_ALIKE = 0.75  # of letters, that two spellings of one name share
_SAME_START = 4  # letters: "Capulet" and "Capulets", "Rome" and "Roman"

_SAME_BEARER = tuple(
    frozenset(row[0].split())
    for row in read_rows("paraphrast.language", "same_bearers.txt")
)


def names(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Look for names of either text that the other lacks."""
    lost = _lacking(first, second)
    added = _lacking(second, first)
    if lost and added:
        reason = f"{_listed(lost)} became {_listed(added)}"
        yield Finding("names", "name exchanged", reason)
    elif lost or added:
        where = "second" if lost else "first"
        yield Finding(
            "names", "name lost", f"{_listed(lost or added)} is not in the {where}"
        )


def found(sentence: Sentence) -> list[str]:
    """Return the words of a text that its capitals show to be names."""
    small = {word.text for word in sentence.words if not word.capital}
    names = [
        word.text
        for word in sentence.words
        if word.capital and word.inside and _may_be_name(word.text, small)
    ]
    return list(dict.fromkeys(names))


def _may_be_name(word: str, small: set[str]) -> bool:
    return (
        len(word) > 2
        and word.isalpha()
        and word not in FUNCTION
        and word not in TITLES
        and word not in small
        and root(word) not in _common()
    )


@cache
def _common() -> frozenset[str]:
    return frozenset(
        row[0] for row in read_rows("paraphrast.language", "common_roots.txt")
    )


def _lacking(first: Sentence, second: Sentence) -> list[str]:
    # A capital that the other text writes small marks a line of verse, not a name;
    # `_has` does not look at case, so that such a word is simply found.
    words = [word.text for word in second.words if word.text[0].isalpha()]
    return [name for name in found(first) if not _has(words, name)]


def _has(words: list[str], name: str) -> bool:
    bearers = [group for group in _SAME_BEARER if name in group]
    return any(
        word == name
        or (len(name) >= _SAME_START and word[:_SAME_START] == name[:_SAME_START])
        or any(word in group for group in bearers)
        or Indel.normalized_similarity(word, name) >= _ALIKE
        for word in words
    )


def _listed(names: list[str]) -> str:
    return ", ".join(name.capitalize() for name in names)
