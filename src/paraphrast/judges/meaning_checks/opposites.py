"""Opposites, and a question, a duty or a chance that became something else.

An opposite counts only where the rest of the two texts is much the same and they are
equally often negated: "not early" may well be "late".
"""

from collections.abc import Iterator

from paraphrast.judges.meaning_checks.finding import Finding
from paraphrast.judges.meaning_checks.negation import negators
from paraphrast.language.sentence import MODALS, Sentence, opposites_of

_MUCH = 0.5  # of the content, opposites aside
_ENDS = ".!?"


def opposites(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Look for a word whose opposite stands in the other text."""
    if len(negators(first)) != len(negators(second)):
        return
    mine, theirs = first.content - second.content, second.content - first.content
    for word in sorted(mine):
        against = opposites_of(word) & theirs
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
    ends = [_end(sentence) for sentence in (first, second)]
    if all(ends) and (ends[0] == "?") != (ends[1] == "?"):
        yield Finding("mood", "question", "one is a question, the other is none")
    mine, theirs = _modality(first), _modality(second)
    if mine and theirs and not mine & theirs:
        reason = f"{sorted(mine)[0]!r} against {sorted(theirs)[0]!r}"
        yield Finding("mood", "modality", reason)


def _end(sentence: Sentence) -> str:
    """Return the last sign of a text if it ends a sentence."""
    for word in reversed(sentence.words):
        if word.text in _ENDS:
            return word.text
        if word.text[0].isalnum():
            return ""
    return ""


def _modality(sentence: Sentence) -> set[str]:
    return {MODALS[word.text] for word in sentence.words if word.text in MODALS}
