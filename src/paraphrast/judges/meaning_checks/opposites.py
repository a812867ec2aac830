"""Opposites, and a question, a duty or a chance that became something else.

An opposite counts only where the rest of the two texts is much the same and they are
equally often negated: "not early" may well be "late".
"""

from collections.abc import Iterator

from paraphrast.judges.meaning_checks.finding import Finding
from paraphrast.language.negation import find_negators
from paraphrast.language.questions import find_final_mark
from paraphrast.language.sentence import Sentence, find_opposites
from paraphrast.language.word_kinds import MODALS

_MUCH = 0.5  # of the content, opposites aside


def opposites(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Look for a word whose opposite stands in the other text."""
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
    """Look for a question that became a statement, or a duty that became a chance."""
    ends = [find_final_mark(sentence) for sentence in (first, second)]
    if all(ends) and (ends[0] == "?") != (ends[1] == "?"):
        yield Finding("mood", "question", "one is a question, the other is none")
    mine, theirs = _find_modality(first), _find_modality(second)
    if mine and theirs and not mine & theirs:
        reason = f"{sorted(mine)[0]!r} against {sorted(theirs)[0]!r}"
        yield Finding("mood", "modality", reason)


def _find_modality(sentence: Sentence) -> set[str]:
    return {MODALS[word.text] for word in sentence.words if word.text in MODALS}
