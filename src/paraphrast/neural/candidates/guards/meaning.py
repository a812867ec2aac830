"""Guards of meaning: what small words say must be said by the candidate, too.

A model may keep most words and still say the opposite: a ``not`` comes in or gets lost,
``he`` becomes ``she``, three become four, a question becomes its answer. These guards
are silent where a style may say the same in another way: "unhappy" for "not happy", "I
pray thee" for "please".
"""

from collections import Counter

from paraphrast.language.limits import find_lost_limits
from paraphrast.language.names import find_lost_names, find_names
from paraphrast.language.negation import count_denials, count_implied_denials
from paraphrast.language.numbers import (
    find_figures,
    find_lost_numbers,
    find_measures,
)
from paraphrast.language.persons import find_persons
from paraphrast.language.questions import (
    asks_indirectly,
    has_question_order,
    is_about_speaker,
    is_question,
    is_request,
    is_statement,
)

_ANSWERED = "turned the question into a statement"
_ASKED = "turned the statement into a question"


def check_names(source: str, text: str) -> str:
    """Reject a text that lacks a name of its source."""
    there = text.casefold()
    lost = (name for name in find_names(source) if name.casefold() not in there)
    return next((f"lost {name!r}" for name in lost), "")


def check_figures(source: str, text: str) -> str:
    """Reject a number in digits that is lost, or that is new."""
    before, after = Counter(find_figures(source)), Counter(find_figures(text))
    if before - after:
        return f"lost {min(before - after)!r}"
    added = after.keys() - before.keys()
    return f"added {min(added)!r}" if added else ""


def check_names_and_numbers(source: str, text: str) -> str:
    """Reject what the filter of training pairs would drop (`preservation.keeps`)."""
    for one, other in ((source, text), (text, source)):
        if find_lost_names(one, other) or find_lost_numbers(one, other):
            return "lost or added a name or number"
    return ""


def check_numbers(source: str, text: str) -> str:
    """Reject a text that lacks the value of a number of its source."""
    lost = find_lost_numbers(source, text)
    return f"lost the number {lost[0]}" if lost else ""


def check_units(source: str, text: str) -> str:
    """Reject a number that has lost its unit."""
    there = _join_letters(text)
    lost = (m for m in find_measures(source) if _join_letters(m) not in there)
    return next((f"lost {measure!r}" for measure in lost), "")


def check_limits(source: str, text: str) -> str:
    """Reject a text that lacks the word which governs a date, amount or condition."""
    lost = find_lost_limits(source, text)
    return f"lost {lost[0]!r}" if lost else ""


def check_negation(source: str, text: str) -> str:
    """Reject a no for a yes, and a yes for a no."""
    changed = _denies_more(source, text) or _denies_more(text, source)
    return "changed the negation" if changed else ""


def check_persons(source: str, text: str) -> str:
    """Reject a person in place of another: she for he, you for I."""
    before, after = find_persons(source), find_persons(text)
    exchanged = before - after and after - before
    return "changed who is spoken of" if exchanged else ""


def check_question(source: str, text: str) -> str:
    """Reject a question that is answered, and a statement that is asked."""
    if is_question(source) and "?" not in text:
        return _ANSWERED if is_statement(text) and not asks_indirectly(text) else ""
    return _check_asked(source, text)


def check_loose_question(source: str, text: str) -> str:
    """Reject the same in loose talk, where a question needs no mark."""
    if is_question(source) and "?" not in text:
        return "" if has_question_order(text) else _ANSWERED
    return _check_asked(source, text)


def check_request(source: str, text: str) -> str:
    """Reject a request that has become news of the speaker."""
    told = is_request(source) and is_about_speaker(text)
    return "turned the request into a statement" if told else ""


def _check_asked(source: str, text: str) -> str:
    asked = is_question(text) and "?" not in source and not has_question_order(source)
    return _ASKED if asked else ""


def _denies_more(one: str, other: str) -> bool:
    """Say whether one text denies more often than the other can."""
    if count_implied_denials(one):
        return False
    return count_denials(one) > count_denials(other) + count_implied_denials(other)


def _join_letters(text: str) -> str:
    return "".join(text.lower().split()).replace(".", "")
