"""Names that a rewrite kept, lost, added or exchanged.

A name is an uncommon word with a capital inside a sentence, and no title. The other
text is searched without regard to case, for the same word, an inflected or shortened
form, another spelling, or another name of the same bearer (the Bible's names of God).
"""

from collections.abc import Iterator

from paraphrast.judges.meaning_checks.finding import Finding
from paraphrast.language.names import find_names_inside, is_same_name
from paraphrast.language.sentence import Sentence
from paraphrast.text.common_subsequence import similarity

_ALIKE = 0.75  # of letters, that two spellings of one name share


def names(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Look for names of either text that the other lacks."""
    lost = _find_lacking(first, second)
    added = _find_lacking(second, first)
    if lost and added:
        reason = f"{_list_names(lost)} became {_list_names(added)}"
        yield Finding("names", "name exchanged", reason)
    elif lost or added:
        where = "second" if lost else "first"
        reason = f"{_list_names(lost or added)} is not in the {where}"
        yield Finding("names", "name lost", reason)


def _find_lacking(first: Sentence, second: Sentence) -> list[str]:
    # A capital that the other text writes small marks a line of verse, not a name;
    # case is not compared, so that such a word is simply there.
    words = [word.text for word in second.words if word.text[0].isalpha()]
    return [
        name
        for name in find_names_inside(first)
        if not any(_is_alike(word, name) for word in words)
    ]


def _is_alike(word: str, name: str) -> bool:
    return is_same_name(word, name) or similarity(word, name) >= _ALIKE


def _list_names(names: list[str]) -> str:
    return ", ".join(name.capitalize() for name in names)
