"""Repairs of a model's output: faults with exactly one correction, one function each.

Faults with several corrections, or none, are left to the guards.
"""

import re
from collections.abc import Callable

from paraphrast.language.old_verbs import mend_old_verbs

Repair = Callable[[str], str]

_U_ARE = re.compile(r"\b([Uu])['’]re\b")
_REGRET = r"(?:I'm|I am) (?:(?:so|very) )?(?:afraid|sorry to say)\b"
_ANY_REGRET = re.compile(_REGRET, re.IGNORECASE)
_SET_OFF = re.compile(rf",\s+{_REGRET}(?:,(?=\s)|(?=\s*[.;!?]))", re.IGNORECASE)
_JOINS = re.compile(r"\s+(?:and|but|or|so|yet|though|because|for)\b", re.IGNORECASE)


def regret_once(text: str) -> str:
    """Remove each "I'm afraid" that is set off by commas and is not the first.

    "I'm afraid it's closed, I'm afraid, but come in" becomes "I'm afraid it's closed,
    but come in".
    """
    first = _ANY_REGRET.search(text)
    if first is None:
        return text

    def leave_out(match: "re.Match[str]") -> str:
        if match.start() < first.start():
            return match[0]
        return "," if _JOINS.match(text, match.end()) else ""

    return _SET_OFF.sub(leave_out, text)


def shorten_u_are(text: str) -> str:
    """Write "ur" for "u're", which nobody writes."""
    return _U_ARE.sub(r"\1r", text)


REPAIRS: tuple[Repair, ...] = (mend_old_verbs, regret_once, shorten_u_are)


def repair(text: str) -> str:
    """Return a model's output with every repair applied."""
    for mend in REPAIRS:
        text = mend(text)
    return text
