"""Evidence from single words: names, numbers, antonyms, and a changed mood.

A name is an uncommon capitalised word inside a sentence that is not a title. The other
text is searched, ignoring case, for the same word, an inflected or shortened form,
another spelling, or another name for the same person (the Bible's names of God). An
antonym counts only if the rest of the two texts is much the same and they have the same
number of negations: "not early" may well be "late". The mood changes if a question, an
obligation or a possibility becomes something else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from paraphrast.language.grammar import find_final_mark, find_negators
from paraphrast.language.names import find_names_inside, is_same_name
from paraphrast.language.numbers import find_values
from paraphrast.language.sentence import Sentence, find_opposites
from paraphrast.language.words import MODALS
from paraphrast.text.common_subsequence import similarity

_ALIKE = 0.75  # of letters, that two spellings of one name share
_MUCH = 0.5  # of the content, opposites aside


@dataclass(frozen=True, slots=True)
class Finding:
    """Evidence that two texts differ in meaning.

    ``kind`` is a key of `VALUES`, which has the factor on the similarity.
    """

    check: str
    kind: str
    reason: str


def names(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Find names of either text that the other lacks."""
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


def numbers(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Find numbers of either text that the other lacks."""
    mine, theirs = set(find_values(first)), set(find_values(second))
    lost, added = mine - theirs, theirs - mine
    if lost and added:
        reason = f"{_list_values(lost)} became {_list_values(added)}"
        yield Finding("numbers", "number exchanged", reason)
    elif lost or added:
        reason = f"{_list_values(lost or added)} is in one text alone"
        yield Finding("numbers", "number lost", reason)


def _list_values(values: set[Fraction]) -> str:
    return ", ".join(sorted(map(str, values)))


def opposites(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Find a word whose antonym is in the other text."""
    if len(find_negators(first)) != len(find_negators(second)):
        return
    mine, theirs = first.content - second.content, second.content - first.content
    for word in sorted(mine):
        against = find_opposites(word) & theirs
        if against and _rest_is_alike(first, second, {word, *against}):
            reason = f"{word!r} became {sorted(against)[0]!r}"
            yield Finding("opposites", "opposite", reason)
            return


def _rest_is_alike(first: Sentence, second: Sentence, aside: set[str]) -> bool:
    mine, theirs = first.content - aside, second.content - aside
    fewer = min(len(mine), len(theirs))
    return fewer > 0 and len(mine & theirs) >= _MUCH * fewer


def mood(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Find a question turned into a statement, or a duty into a possibility."""
    ends = [find_final_mark(sentence) for sentence in (first, second)]
    if all(ends) and (ends[0] == "?") != (ends[1] == "?"):
        yield Finding("mood", "question", "one is a question, the other is none")
    mine, theirs = _find_modality(first), _find_modality(second)
    if mine and theirs and not mine & theirs:
        reason = f"{sorted(mine)[0]!r} against {sorted(theirs)[0]!r}"
        yield Finding("mood", "modality", reason)


def _find_modality(sentence: Sentence) -> set[str]:
    return {MODALS[word.text] for word in sentence.words if word.text in MODALS}
