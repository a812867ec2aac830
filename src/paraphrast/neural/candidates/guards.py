"""Named guards that reject candidates, in order.

A `Guard` compares a source with a candidate and returns a reason for rejecting it, or
an empty string. Reasons complete the sentence "all candidates …". `BASIC` guards apply
to any rewrite, including training pairs; `GUARDS` are all those that need only the two
texts. `benchmarks/guards.py` counts what each of them rejects; a guard that is no
longer worth its cost is deleted here, with its function and its test.

Guards of form require complete English text of about its source's length. Guards of
facts require that names, numbers and function words are kept: they accept what a style
may say in another way ("unhappy" for "not happy"). Whether the rest has the same
meaning is decided by the pack's checker (`checker`), the guard `MEANING`.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

import regex

from paraphrast.language.grammar import (
    asks_before_the_end,
    asks_indirectly,
    asks_politely,
    asks_to_know,
    count_denials,
    count_implied_denials,
    find_added_crowd,
    find_added_gender,
    find_added_possession,
    find_lost_limits,
    has_question_order,
    is_question,
    is_statement,
)
from paraphrast.language.names import find_lost_names, find_names
from paraphrast.language.numbers import (
    find_figures,
    find_lost_numbers,
    find_repeated_figure,
)
from paraphrast.language.sentence import find_lost_sentence
from paraphrast.language.speech_acts import find_lost_acts, makes_duty_inability
from paraphrast.language.words import (
    adds_offensive_words,
    count_longest_run,
    count_most_repeated,
    find_words,
    has_stretched_letters,
)
from paraphrast.text.overlap import words

MOST_REPEATS = 3  # of three words in a row, beyond those of the source
LONG = 5  # words in a row that are not said twice
MOST_IN_A_ROW = 3  # of one word, beyond those of the source
LOOP = 8  # of one word, whatever the source has
MOST_LONGER = 2.5  # times the source's words, and some more unless it has very few
SOME_WORDS, FEW_WORDS = 8, 2
LEAST_SHARE = 0.3  # of the source's words

# "It doesn't, it doesn't drain" says it once.
_STUTTER = regex.compile(
    r"(?<![\w'’])([\w'’]+(?: [\w'’]+){0,3})(?:[,—–-]+ \1(?![\w'’]))+", regex.IGNORECASE
)


def check_empty(source: str, text: str) -> str:
    """Reject a text without letters and digits."""
    return "" if any(map(str.isalnum, text)) else "were empty"


def check_script(source: str, text: str) -> str:
    """Reject letters of a non-Latin script that are not in the source."""
    if text.isascii():
        return ""
    added = (c for c in text if c.isalpha() and c > "ɏ" and c not in source)
    return next((f"added {letter!r}" for letter in added), "")


def check_repetition(source: str, text: str) -> str:
    """Reject loops, stutters and texts that do not end."""
    # Here "the" counts, which is no word to `words`.
    own, new = (find_words(side.lower()) for side in (source, text))
    most_run = min(LOOP, max(MOST_IN_A_ROW, count_longest_run(own)))
    most_long = max(1, count_most_repeated(own, LONG))
    before, after = (count_most_repeated(words(side), 3) for side in (source, text))
    some = SOME_WORDS if len(own) > FEW_WORDS else len(own)
    loops = (
        len(new) > MOST_LONGER * len(own) + some
        or (has_stretched_letters(text) and not has_stretched_letters(source))
        or count_longest_run(new) > most_run
        or count_most_repeated(new, LONG) > most_long
        or (after >= MOST_REPEATS and after > before)
    )
    return "repeated themselves" if loops else ""


def is_repetitive(text: str) -> bool:
    """Say whether a text itself is a loop."""
    return count_most_repeated(words(text), 3) >= MOST_REPEATS


def check_length(source: str, text: str) -> str:
    """Reject a text that omits most of its source's words, or a sentence."""
    short = len(words(text)) < LEAST_SHARE * len(words(source)) - 1
    if short:
        return "left out most of the text"
    return "left out a sentence" if find_lost_sentence(source, text) else ""


_ANSWERED = "turned the question into a statement"
_ASKED = "turned the statement into a question"


def check_names(source: str, text: str) -> str:
    """Reject a text that lacks a name of its source."""
    there = text.casefold()
    lost = (name for name in find_names(source) if name.casefold() not in there)
    return next((f"lost {name!r}" for name in lost), "")


def check_names_and_numbers(source: str, text: str) -> str:
    """Reject what the filter for training pairs drops (`preservation.keeps`)."""
    for first, other in ((source, text), (text, source)):
        if find_lost_names(first, other) or find_lost_numbers(first, other):
            return "lost or added a name or number"
    return ""


def check_numbers(source: str, text: str) -> str:
    """Reject a text that lacks the value of a number, or repeats one in digits.

    "Monday the 16th instead of the 16th" repeats one, too.
    """
    lost = find_lost_numbers(source, text)
    if lost:
        return f"lost the number {lost[0]}"
    added = find_lost_numbers(text, source)
    new = set(find_figures(text)) - set(find_figures(source)) if added else ()
    if new:
        return f"added {min(new)!r}"
    again = find_repeated_figure(source, text)
    return f"repeated {again!r}" if again else ""


def check_limits(source: str, text: str) -> str:
    """Reject a text that lacks the word limiting a date, amount or statement.

    An age limit that became a number of people is rejected, too.
    """
    lost = find_lost_limits(source, text)
    added = find_added_crowd(source, text)
    return f"lost {lost[0]!r}" if lost else f"added {added!r}" if added else ""


def check_acts(source: str, text: str) -> str:
    """Reject a text without its source's apology, thanks or obligation."""
    lost = find_lost_acts(source, text)
    if lost:
        return f"lost the {lost[0]}"
    changed = makes_duty_inability(source, text)
    return "turned an obligation into an inability" if changed else ""


def check_pronouns(source: str, text: str) -> str:
    """Reject an unsupported gender, and a new noun for "mine"."""
    pronoun = find_added_gender(source, text)
    if pronoun:
        return f"added {pronoun!r}"
    added = find_added_possession(source, text)
    return f"added {added!r}" if added else ""


def check_negation(source: str, text: str) -> str:
    """Reject added or lost negation.

    A negation may be repeated: "no, he isn't, he is not here".
    """
    added = not count_denials(source) and _denies_more(text, source)
    changed = added or _denies_more(source, text)
    return "changed the negation" if changed else ""


def check_question(source: str, text: str) -> str:
    """Reject a question turned into a statement, or the reverse.

    Of a question before the end, only the mark or words of asking can be expected.
    """
    if is_question(source) and "?" not in text:
        return _ANSWERED if is_statement(text) and not asks_indirectly(text) else ""
    if asks_before_the_end(source) and "?" not in text:
        said = asks_indirectly(text) or asks_to_know(text)
        return "" if said else "lost the question"
    return _check_asked(source, text)


def check_loose_question(source: str, text: str) -> str:
    """Reject the same in informal styles, where a question needs no mark."""
    if is_question(source) and "?" not in text:
        return "" if has_question_order(text) else _ANSWERED
    return _check_asked(source, text)


def _check_asked(source: str, text: str) -> str:
    is_told = "?" not in source and not has_question_order(source)
    asked = is_question(text) and is_told and not asks_to_know(source)
    return _ASKED if asked and not asks_politely(text) else ""


def _denies_more(first: str, other: str) -> bool:
    """Say whether one text has more negations than the other can express."""
    if count_implied_denials(first):
        return False
    said = count_denials(_STUTTER.sub(r"\1", first))
    return said > count_denials(other) + count_implied_denials(other)


def check_offensive(source: str, text: str) -> str:
    """Reject offensive words that are not in the source."""
    added = adds_offensive_words(source, text)
    return "were offensive (--allow-offensive permits them)" if added else ""


@dataclass(frozen=True, slots=True)
class Guard:
    """A named guard: ``check(source, text)`` is a reason, or empty."""

    name: str
    check: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a candidate was rejected, and by which guard."""

    guard: str
    reason: str


@dataclass(frozen=True)
class Checks:
    """The basic guards that a pack or a training job uses.

    ``strict`` compares spelled numbers and rare names in both directions, for training
    text, which is plentiful.
    """

    names: bool = True
    numbers: bool = True
    loops: bool = True
    strict: bool = False


STRICT = Guard("strict", check_names_and_numbers)
BASIC = (
    Guard("empty", check_empty),
    Guard("names", check_names),
    Guard("numbers", check_numbers),
    Guard("script", check_script),
    Guard("repetition", check_repetition),
    Guard("length", check_length),
)
GUARDS = (
    *BASIC,
    Guard("negation", check_negation),
    Guard("limits", check_limits),
    Guard("pronouns", check_pronouns),
    Guard("acts", check_acts),
    Guard("question", check_question),
)
LOOSE_QUESTION = Guard("question", check_loose_question)
OFFENSIVE = Guard("offensive", check_offensive)
MEANING = "meaning"  # the guard of the pack's checker
CHANGED = Rejection(MEANING, "changed the meaning")


def basic_guards(checks: Checks) -> tuple[Guard, ...]:
    """Return the chosen basic guards."""
    asked = {
        "names": checks.names,
        "numbers": checks.numbers,
        "repetition": checks.loops,
    }
    chosen = tuple(guard for guard in BASIC if asked.get(guard.name, True))
    return (*chosen, STRICT) if checks.strict else chosen


def select_guards(
    checks: Checks, *, loose: bool, decent: bool, without: Container[str] = ()
) -> list[Guard]:
    """Return the guards of a rewriter in their order.

    In ``loose`` styles a question needs no mark, and a ``decent`` rewriter adds no
    offensive words. Guards named in ``without`` are left out.
    """
    basic = basic_guards(checks)
    guards = [*basic, *GUARDS[len(BASIC) :], *([OFFENSIVE] if decent else [])]
    loosened = {LOOSE_QUESTION.name: LOOSE_QUESTION} if loose else {}
    return [
        loosened.get(guard.name, guard) for guard in guards if guard.name not in without
    ]


def find_rejection(source: str, text: str, guards: Iterable[Guard]) -> Rejection | None:
    """Return the rejection of the first guard that rejects a candidate."""
    for guard in guards:
        reason = guard.check(source, text)
        if reason:
            return Rejection(guard.name, reason)
    return None


def describe_rejections(rejections: Sequence[Rejection]) -> str:
    """Say in one sentence why every candidate was rejected."""
    reasons = list(dict.fromkeys(rejection.reason for rejection in rejections))
    *others, last = reasons
    return f"all candidates {', '.join(others)}{' or ' if others else ''}{last}"
