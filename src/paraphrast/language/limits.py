"""Words that govern dates, amounts and conditions: due, unless, until, by, at least.

A rewrite that keeps every figure and loses such a word says something else: "due 30
June" is not "after 30 June". Each limit knows the words that say the same.
"""

from dataclasses import dataclass

import regex

_DAY = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|tomorrow|tonight|noon|"
    r"midnight|dawn|nightfall|next|the end|then)"
)
_DATE = rf"(?=\s+(?:the\s+)?(?:\d|{_DAY}))"
_END = (
    r"end(?:s|ed|ing|eth)?|expir\p{L}+|finish\p{L}*|conclud\p{L}+|clos\p{L}+|ceas\p{L}+|"
    r"over|terminat\p{L}+|until|till|done|up|no more|no longer|lasts?|out|stops?"
)


@dataclass(frozen=True, slots=True)
class _Limit:
    """What shows a limit in a source, and what may say it in a rewrite."""

    shown: regex.Pattern[str]
    said: regex.Pattern[str]


def _limit(shown: str, others: str) -> _Limit:
    return _Limit(
        regex.compile(rf"\b(?:{shown})", regex.IGNORECASE),
        regex.compile(rf"\b(?:{shown}|{others})\b", regex.IGNORECASE),
    )


_LIMITS = (
    _limit(r"unless\b", "if|except|save|without|but|lest|only when"),
    _limit(r"(?:un)?til(?:l)?\b", "before|ere|to|unto|by|up to|as long as|while|when"),
    _limit(
        r"before\b(?!\s*[,.;:!?\"]|\s*\Z)",
        "ere|prior|by|until|till|afore|ahead|in advance|previous|first|early|earlier",
    ),
    _limit(
        r"after\b(?!\s+all\b|\s*[,.;:!?\"]|\s*\Z)",
        "since|following|once|when|past|later|upon|then|next|as soon as|afterwards?",
    ),
    _limit(rf"by{_DATE}", "before|until|till|ere|no later|at the latest|on or before"),
    _limit(
        r"due\b(?!\s+to\b)",
        r"by|pa(?:y|id|yable)\p{L}*|ow(?:ed|ing|e)|deadline|before|expected|arriv\p{L}+",
    ),
    _limit(rf"ends?\b(?=[^.?!]*\s(?:\d|{_DAY}))", _END),
    _limit(r"at least\b", "at the least|no less|not less|minimum|or more|more"),
    _limit(r"at most\b", "at the most|no more|not more|up to|maximum|or less|or fewer"),
    _limit(r"(?:more|longer) than\b(?=\s+\p{L}*\s*\d)", "over|above|beyond|upwards"),
    _limit(r"(?:less|fewer) than\b(?=\s+\p{L}*\s*\d)", "under|below|within"),
)  # fmt: skip


def find_lost_limits(source: str, text: str) -> list[str]:
    """Return the governing words of a source for which a text has nothing."""
    matches = ((limit, limit.shown.search(source)) for limit in _LIMITS)
    return [
        match[0] for limit, match in matches if match and not limit.said.search(text)
    ]
