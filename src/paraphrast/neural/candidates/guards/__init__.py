"""What no candidate may do: an ordered list of named guards.

A `Guard` compares a source with a candidate and answers with a reason, or with nothing
where it has no objection. Reasons complete the sentence "all candidates …". `BASIC`
guards hold for any rewrite, training pairs included; `GUARDS` are all that need nothing
but the two texts. `benchmarks/guards.py` counts what each of them stops; one that no
longer earns its place is deleted here, with its function and its test.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from paraphrast.neural.candidates.guards import additions, form, meaning


@dataclass(frozen=True, slots=True)
class Guard:
    """A named objection: ``check(source, text)`` is a reason, or empty."""

    name: str
    check: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a candidate may not be shown, and which guard said so."""

    guard: str
    reason: str


@dataclass(frozen=True)
class Checks:
    """Which basic guards a pack or a training job asks for.

    ``strict`` compares spelled numbers and rare names both ways: for training text, of
    which there is plenty.
    """

    names: bool = True
    numbers: bool = True
    loops: bool = True
    strict: bool = False


STRICT = Guard("strict", meaning.check_names_and_numbers)
BASIC = (
    Guard("empty", form.check_empty),
    Guard("names", meaning.check_names),
    Guard("figures", meaning.check_figures),
    Guard("script", form.check_script),
    Guard("repetition", form.check_repetition),
    Guard("length", form.check_length),
)
GUARDS = (
    *BASIC,
    Guard("quotation-marks", form.check_quotation_marks),
    Guard("false-forms", form.check_false_forms),
    Guard("last-word", form.check_last_word),
    Guard("negation", meaning.check_negation),
    Guard("persons", meaning.check_persons),
    Guard("numbers", meaning.check_numbers),
    Guard("units", meaning.check_units),
    Guard("limits", meaning.check_limits),
    Guard("question", meaning.check_question),
    Guard("request", meaning.check_request),
    Guard("it", additions.check_it),
    Guard("hath", additions.check_hath),
    Guard("speaker", additions.check_speaker),
    Guard("people", additions.check_people),
)
# Talk may leave a question without its mark, but must still ask it.
LOOSE_QUESTION = Guard("question", meaning.check_loose_question)
OFFENSIVE = Guard("offensive", additions.check_offensive)


def basic_guards(checks: Checks) -> tuple[Guard, ...]:
    """Return the basic guards that are asked for."""
    asked = {
        "names": checks.names,
        "figures": checks.numbers,
        "repetition": checks.loops,
    }
    chosen = tuple(guard for guard in BASIC if asked.get(guard.name, True))
    return (*chosen, STRICT) if checks.strict else chosen


def select_guards(
    checks: Checks, *, loose: bool, decent: bool, without: Container[str] = ()
) -> list[Guard]:
    """Return the guards of a rewriter in their order.

    In ``loose`` talk a question needs no mark, and a ``decent`` rewriter adds no words
    that offend. Guards named in ``without`` are left out.
    """
    basic = basic_guards(checks)
    guards = [*basic, *GUARDS[len(BASIC) :], *([OFFENSIVE] if decent else [])]
    loosened = {LOOSE_QUESTION.name: LOOSE_QUESTION} if loose else {}
    return [
        loosened.get(guard.name, guard) for guard in guards if guard.name not in without
    ]


def find_rejection(source: str, text: str, guards: Iterable[Guard]) -> Rejection | None:
    """Return the objection of the first guard that has one."""
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
