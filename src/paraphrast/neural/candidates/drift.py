"""Small words that turn a meaning round: whether or not, who, and how many.

A model may keep every name and still say the opposite: a ``not`` comes in or gets lost,
``I`` becomes ``you``, ``he`` becomes ``she``, three become four, a question becomes its
answer. `objection` compares a source and its rewrite by such words alone. It speaks
where one side has what nothing on the other can stand for, and is silent where a style
may say it in another way: "unhappy" for "not happy", "I pray thee" for "please".
"""

from paraphrast.language.negation import count_denials, count_implied_denials
from paraphrast.language.numbers import find_lost_numbers, find_measures
from paraphrast.language.persons import find_persons
from paraphrast.language.questions import (
    asks_indirectly,
    has_question_order,
    is_about_speaker,
    is_question,
    is_request,
    is_statement,
)


def objection(source: str, text: str, *, loose: bool = False) -> str:
    """Return what a rewrite turns round, as the end of a sentence, or nothing.

    In ``loose`` talk a question needs no mark, but must still be asked.
    """
    if _denies_otherwise(source, text) or _denies_otherwise(text, source):
        return "have put a no for a yes, or a yes for a no"
    if _exchanges_persons(source, text):
        return "have spoken of somebody else"
    lost = _lost_number(source, text)
    if lost:
        return f"have lost {lost!r}"
    if is_question(source) and "?" not in text and _answers(text, loose=loose):
        return "have answered a question in place of asking it"
    if is_question(text) and "?" not in source and not has_question_order(source):
        return "have asked what is not asked"
    if is_request(source) and is_about_speaker(text):
        return "have told what somebody is asked to do"
    return ""


def _denies_otherwise(one: str, other: str) -> bool:
    """Say whether one text denies more often than the other can."""
    if count_implied_denials(one):
        return False
    return count_denials(one) > count_denials(other) + count_implied_denials(other)


def _exchanges_persons(source: str, text: str) -> bool:
    """Say whether a person of the source is gone and another has come."""
    before, after = find_persons(source), find_persons(text)
    return bool(before - after) and bool(after - before)


def _lost_number(source: str, text: str) -> str:
    """Return a number that is spelled out, or has a unit, and is not in the text."""
    written = "".join(text.lower().split()).replace(".", "")
    for measure in find_measures(source):
        if "".join(measure.lower().split()).replace(".", "") not in written:
            return measure
    return next(iter(find_lost_numbers(source, text)), "")


def _answers(text: str, *, loose: bool) -> bool:
    if loose:
        return not has_question_order(text)
    return is_statement(text) and not asks_indirectly(text)
