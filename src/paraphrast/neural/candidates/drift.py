"""Small words that turn a meaning round: whether or not, who, and how many.

A model may keep every name and still say the opposite: a ``not`` comes in or gets lost,
``I`` becomes ``you``, ``he`` becomes ``she``, three become four, a question becomes its
answer. `objection` compares a source and its rewrite by such words alone. It speaks
where one side has what nothing on the other can stand for, and is silent where a style
may say it in another way: "unhappy" for "not happy", "I pray thee" for "please".
"""

import regex

from paraphrast.language import kept

_DENIES = regex.compile(
    r"\b(?:no|not|cannot|never|none|nothing(?:ness)?|nobody|nowhere|nor|neither|nought|"
    r"naught|without|(?:do|ca|wo|is|did|does|was|are|have|has|would|could|should)nt)\b"
    r"|(?<!\b(?:up)?o)n['’]t\b",  # "upon 't" is no denial
    regex.IGNORECASE,
)
# A "no" that answers what went before says nothing of what comes after it.
_ANSWER = regex.compile(
    r"(?:\A|[^\w\s])\W*(?:oh? )?(?:no|nay)(?=\s*[,.!;:—–-])", regex.IGNORECASE
)
# What a denial can become, or come from, in other words.
_MAY_DENY = regex.compile(
    r"\b(?:no (?:doubt|matter|sooner|wonder)|not (?:only|merely|but)|(?:why|or) not?|"
    r"n(?:one|ever)[- ]the[- ]?less|don['’]t you (?:know|think)|"
    r"nay|hardly|scarce(?:ly)?|barely|little|less|few|seldom|rarely|only|else|except|"
    r"unless|until|till|lest|ere|instead|too|free|against|forget|(?:refus|den[iy]|fail|"
    r"lack|ceas|stop|forb|prevent|avoid|miss|los[est]|doubt|wrong|false|empty|absen|"
    r"bewar|hat[ei]|un(?!der|t|cle)|impossib|dis(?!h|c))\p{L}+|\p{L}{3,}less)\b"
    r"|[,—–-]\s*\w+n['’]t (?:it|he|she|they|you|we|I)\?",
    regex.IGNORECASE,
)
_PERSONS = tuple(
    regex.compile(rf"\b(?:{words})\b", regex.IGNORECASE)
    for words in (
        "I|me|my|mine|myself|we|us|our|ours|ourselves|methinks|im|ive|let['’]s",
        "you|your|yours|yourself|yourselves|thou|thee|thy|thine|thyself|ye|u|ur|y['’]?all",
        "he|him|his|himself",
        "she|her|hers|herself",
    )
)
# Said to keep a listener, of nobody in particular.
_FILLER = regex.compile(
    r"\b(?:(?:as )?you (?:know|see)|thou know['’]?e?st|I mean|I (?:pray|beseech) "
    r"(?:you|thee)|prithee|thank you)\b",
    regex.IGNORECASE,
)
_MEASURE = regex.compile(
    r"\d\s?(?:[ap]\.?m|[kcm]?m|[kmc]?g|mph|lbs?|oz|ft|k|bn)\b|\d\s?[%°]",
    regex.IGNORECASE,
)
_APART = regex.compile(r"[\s.]")
_PLEASE = regex.compile(r"\bplease(?!d)\b", regex.IGNORECASE)
_TELLS_OF_ME = regex.compile(
    r"\W*(?:(?:and|well|uh|so)\W+)*(?:I|we)\b(?! (?:would |must |do )?"
    r"(?:pray|beg|beseech|ask|entreat|request|want you|like you))",
    regex.IGNORECASE,
)
_ASKS = regex.compile(r"\?['\"”’)]*\s*\Z")
_TELLS = regex.compile(r"\.['\"”’)]*\s*\Z")
_INDIRECT = regex.compile(
    r"\b(?:ask|wonder|whether|tell me|pray|know)", regex.IGNORECASE
)
# A clause that begins as questions do, which talk may leave without a mark.
_ASKING = regex.compile(
    r"(?:\A|[.,;:!?…])\W*(?:(?:and|but|so|well|then|hey|uh|um|you know)\b\W*)*"
    r"(?:who|whose|whom|what|which|where|when|why|how|is|are|am|was|were|do|does|did|"
    r"have|has|had|can|could|will|would|shall|should|may|might|must)(?:\b|n['’]t)",
    regex.IGNORECASE,
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
    if _ASKS.search(source) and "?" not in text and _answers(text, loose=loose):
        return "have answered a question in place of asking it"
    if _ASKS.search(text) and "?" not in source and not _ASKING.search(source):
        return "have asked what is not asked"
    if _PLEASE.search(source) and _TELLS_OF_ME.match(text):
        return "have told what somebody is asked to do"
    return ""


def _denies_otherwise(one: str, other: str) -> bool:
    """Say whether one text denies more often than the other can."""
    rest, others = _without_answer(one), _without_answer(other)
    if _MAY_DENY.search(rest):
        return False
    return _denials(rest) > _denials(others) + len(_MAY_DENY.findall(others))


def _denials(text: str) -> int:
    """Count denials; one that goes on with "nor" is one."""
    found = [word.lower() for word in _DENIES.findall(text)]
    first = [word for word in found if word not in ("nor", "neither")]
    return len(first) or min(1, len(found))


def _without_answer(text: str) -> str:
    rest = _ANSWER.sub(" ", text)
    return rest if any(map(str.isalpha, rest)) else text


def _exchanges_persons(source: str, text: str) -> bool:
    """Say whether a person of the source is gone and another has come."""
    before, after = (_FILLER.sub(" ", side) for side in (source, text))
    there = [bool(person.search(before)) for person in _PERSONS]
    found = [bool(person.search(after)) for person in _PERSONS]
    gone = any(was and not now for was, now in zip(there, found, strict=True))
    come = any(now and not was for was, now in zip(there, found, strict=True))
    return gone and come


def _lost_number(source: str, text: str) -> str:
    """Return a number that is spelled out, or has a unit, and is not in the text."""
    found = set(kept.numbers(text))
    low = text.lower()
    for match in _MEASURE.finditer(source):
        if _APART.sub("", match[0].lower()) not in _APART.sub("", low):
            return str(match[0])
    for word, value in kept.spelled_numbers(source):
        # "a thousandfold" has it, too
        if value not in found and word not in low:
            return word
    return ""


def _answers(text: str, *, loose: bool) -> bool:
    if loose:
        return not _ASKING.search(text)
    return bool(_TELLS.search(text)) and not _INDIRECT.search(text)
