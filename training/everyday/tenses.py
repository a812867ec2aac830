"""Whether a rewrite brings the past in, loses it, or puts the future in its place.

There is no tagger. A form shows the past *surely* if hardly another reading exists
("went", "I walked") and *maybe* if one does ("the closed door", "would", the perfect).
Only what is sure on one side and not even possible on the other is a fault, so most
texts pass. Present and future often stand for each other ("it opens on Monday") and
are not told apart.
"""

from functools import lru_cache

import regex

from paraphrast.text.model_words import STRAIGHT

TERSE = frozenset(("concise", "joyce", "tweet"))  # which leave verbs out
_PAST = (  # never participles
    "ate|became|began|blew|broke|brake|came|chose|did|didst|didn'?t|drank|drew|drove|"
    "fell|flew|forgot|forgave|froze|gave|grew|hadst|knew|rang|rode|sang|sank|saw|shook|"
    "spake|spoke|stole|swam|swore|threw|took|tore|was|wasn'?t|wast|went|were|weren'?t|"
    "wert|woke|wore|wrote|twas|twere"
)
_EITHER = (  # participles too
    "bade|bit|bought|bound|brought|built|caught|dealt|felt|fought|found|got|had|heard|"
    "held|kept|laid|led|left|lent|lost|made|meant|met|paid|ran|said|sat|sent|shot|"
    "slept|sold|spent|stood|stuck|sought|taught|thought|told|understood|wept|won"
)
_SUBJECT = "(?:I|we|you|ye|thou|he|she|it|they)"
_SOON = "(?:(?:never|always|just|only|also|still) )?"


def _compile(*forms: str) -> "regex.Pattern[str]":
    return regex.compile(rf"\b(?:{'|'.join(forms)})\b", regex.IGNORECASE)


_SURE = _compile(_PAST, rf"{_SUBJECT} {_SOON}(?:{_EITHER}|(?!need)\p{{L}}{{2,}}ed)")
_MAYBE = _compile(
    _PAST, _EITHER, r"\p{L}{2,}(?:ed|edst|'d|'ve)", "i'd", "have|has|hath|hast|having",
    "been|gone|done|put|set|let|cut|hit|hurt|shut|cost|read|used to",
    "ago|yesterday|last|might", "(?:c|w|sh)ould(?:st|n't)?",
)  # fmt: skip
_FUTURE = _compile(r"will|shall|wilt|shalt|won't|shan't|gonna|going to|\p{L}+'ll")
_NOW = _compile(
    "am|is|isn't|are|aren't|art|do|don't|does|doesn't|doth|dost|has|hath|hast|have",
    "im|tis|can|cannot|can't|canst|may|must|now",
    r"\p{L}+'(?:s|re|ve|m)|(?!teeth|beneath)\p{L}{3,}eth",
    f"{_SUBJECT} (?:know|think|want|need|like|love|hope|live|work|feel|say|see|go)s?",
)
# What is past in form alone ("if I went"), or told of the future ("he said he would").
_UNREAL = _compile(
    "if|would|were|wert|could|should|wish(?:ed)?|though|unless|except|lest|had better",
    "might|whether|say|says|said|ask|asked|tell|told|i'm afraid",
    r"\p{L}+'d",
)


def changes_tense(source: str, output: str, style: str = "") -> bool:
    """Say whether an output is surely in another tense than its source."""
    source, output = (text.translate(STRAIGHT) for text in (source, output))
    if not _MAYBE.search(source):
        return bool(_SURE.search(output) and not _UNREAL.search(output))
    if not _is_past_alone(source):
        return False
    lost = style not in TERSE and not _MAYBE.search(output)
    return lost or bool(
        _FUTURE.search(output)
        and not _UNREAL.search(source)
        and not _UNREAL.search(output)
    )


@lru_cache(maxsize=256)  # a source is compared with many candidates
def _is_past_alone(text: str) -> bool:
    is_past = _SURE.search(text) is not None
    return is_past and not (_NOW.search(text) or _FUTURE.search(text))
