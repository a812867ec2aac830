"""Plain facts that a rewrite must keep: numbers, names, negation, and a sane length.

They err on the side of refusing: what they let pass goes on to the checkers. What is to
be learnt (`find_any_fault`) must also stay a question or a statement, keep the words
that limit a statement, a date or an amount, apologise, thank and oblige as its source
does, and keep its persons and its tense as far as its style does.
"""

from collections.abc import Callable

from paraphrast.language.grammar import count_denials, count_implied_denials
from paraphrast.language.names import find_lost_names
from paraphrast.language.numbers import find_lost_numbers
from paraphrast.language.words import count_longest_run, count_most_repeated, find_words
from paraphrast.neural.candidates.guards import (
    check_acts,
    check_limits,
    check_loose_question,
)
from training.everyday.persons import changes_person
from training.everyday.tenses import changes_tense


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in find_words(text)]


def find_fault(source: str, output: str) -> str:
    """Return the first fact of a source that an output breaks, or None."""
    before, after = split_words(source), split_words(output)
    if not after or "\n" in output:
        return "empty"
    if not 0.45 * len(before) - 2 <= len(after) <= 2.0 * len(before) + 8:
        return "length"
    if _repeats(after) and not _repeats(before):
        return "repeats itself"
    if find_lost_numbers(source, output) or find_lost_numbers(output, source):
        return "number changed"
    if find_lost_names(source, output):
        return "name lost"
    if find_lost_names(output, source):
        return "name new"
    if count_denials(source) and not _may_deny(output):
        return "negation lost"
    return ""


def find_any_fault(source: str, output: str, style: str = "") -> str:
    """Return the first fact of a source that an output in a style breaks, of all.

    Without a style, faults that depend on it may be missed.
    """
    fault = find_fault(source, output)
    if fault:
        return fault
    checks: dict[str, Callable[[], str | bool]] = {
        "question changed": lambda: check_loose_question(source, output),
        "limit lost": lambda: check_limits(source, output),
        "act lost": lambda: check_acts(source, output),
        "person changed": lambda: changes_person(source, output, style),
        "tense changed": lambda: changes_tense(source, output, style),
    }
    return next((name for name, check in checks.items() if check()), "")


def _repeats(words: list[str]) -> bool:
    return count_most_repeated(words, 4) >= 3 or count_longest_run(words) >= 5


def _may_deny(text: str) -> bool:
    return count_denials(text) + count_implied_denials(text) > 0
