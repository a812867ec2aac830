"""Negation in only one of two texts, with the negated word in both.

A count of negators alone would penalise good rewrites: "stay" is "do not go", "I know
nothing" is "I know not anything". So a negation counts as lost or added only if the
negated word also occurs in the other text without negation, and the other text has
neither as many negators nor an inherently negative word; or if the two texts have the
same words apart from the negation. That only one of the texts has a negation is weaker
evidence, "polarity".
"""

from collections.abc import Iterator

from paraphrast.judges.meaning_checks.words import Finding
from paraphrast.language.grammar import find_negators, strip_negative_affix
from paraphrast.language.sentence import Sentence, Word, find_opposites
from paraphrast.language.words import CLAUSE_ENDS, DENIALS

_REACH = 4  # words after a negator among which the one that it denies is
_WIDE = 6  # words around one that it may deny as well


def negation(first: Sentence, second: Sentence) -> Iterator[Finding]:
    """Find words that are negated in only one text."""
    if _alone(first, second):
        yield Finding("negation", "negation", "they differ in a negation alone")
        return
    for here, there in ((first, second), (second, first)):
        denied = _find_lost(here, there)
        if denied:
            reason = f"{denied!r} is denied in {here.text!r} alone"
            yield Finding("negation", "negation", reason)
            return
    for here, there in ((first, second), (second, first)):
        prefixed = _find_prefixed(here, there)
        if prefixed:
            reason = f"{prefixed!r} lost or gained its prefix"
            yield Finding("negation", "prefix", reason)
            return
    if _one_sided(first, second):
        yield Finding("negation", "polarity", "one text denies something")


def _one_sided(first: Sentence, second: Sentence) -> bool:
    """Say whether only one of the texts has a negation."""
    if bool(find_negators(first)) == bool(find_negators(second)):
        return False
    here, there = (first, second) if find_negators(first) else (second, first)
    opposed = (find_opposites(word) & there.content for word in here.content)
    return not (_is_implied(there, here) or any(opposed))  # "not late" is "early"


def _alone(first: Sentence, second: Sentence) -> bool:
    same = first.content == second.content and bool(first.content)
    return same and (len(find_negators(first)) + len(find_negators(second))) % 2 == 1


def _find_lost(here: Sentence, there: Sentence) -> str:
    """Return a word that is negated here, and not negated there."""
    negators = find_negators(here)
    if len(negators) <= len(find_negators(there)) or _is_implied(there, here):
        return ""
    near = _near(there)
    said = {
        word.root
        for at, word in enumerate(there.words)
        if word.content and at not in near
    }
    for at in negators:
        for word in _find_denied(here, at):
            if word.root in said:
                return word.text
    return ""


def _find_denied(sentence: Sentence, at: int) -> Iterator[Word]:
    """Yield the negated words: the next one, or in "I know not" the previous one.

    Only "not" follows the word that it negates.
    """
    words = sentence.words
    if words[at].text == "not" and at and words[at - 1].content:
        yield words[at - 1]
        return
    for word in words[at + 1 : at + 1 + _REACH]:
        if word.text in CLAUSE_ENDS:
            return
        if word.content:
            yield word
            return


def _is_implied(sentence: Sentence, other: Sentence) -> bool:
    """Say whether a text has an inherently negative word that the other lacks."""
    own = {word.text for word in sentence.words} - {word.text for word in other.words}
    return bool(own & DENIALS) or any(strip_negative_affix(word) for word in own)


def _near(sentence: Sentence) -> set[int]:
    """Return the positions near negators, up to the next comma or conjunction."""
    positions: set[int] = set()
    for at in find_negators(sentence):
        for step in (-1, 1):
            for near in range(at + step, at + step * (_WIDE + 1), step):
                if not 0 <= near < len(sentence.words):
                    break
                if sentence.words[near].text in CLAUSE_ENDS:
                    break
                positions.add(near)
    return positions


def _find_prefixed(here: Sentence, there: Sentence) -> str:
    """Return a word such as "unkind" if the other text has "kind" without negation."""
    if len(find_negators(here)) != len(find_negators(there)):
        return ""
    own = {word.text for word in there.words}
    for word in here.words:
        bare = strip_negative_affix(word.text)
        if bare and bare in own and word.text not in own and bare not in here.roots:
            return word.text
    return ""
