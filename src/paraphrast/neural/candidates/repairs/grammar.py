"""Repairs of grammar and spelling: old verbs, joined and doubled words."""

import regex

# "Thou do" and "thou have" may be in order: "didst thou do it?", "if thou have it".
_AFTER_THOU = {
    "is": "art", "ist": "art", "are": "art", "am": "art", "has": "hast",
    "hath": "hast", "does": "dost", "doth": "dost", "did": "didst", "will": "wilt",
    "shall": "shalt", "can": "canst", "was": "wast", "were": "wert", "werest": "wert",
    "would": "wouldst", "should": "shouldst", "could": "couldst", "had": "hadst",
    "seeest": "seest", "mustst": "must",
}  # fmt: skip
# "Have thou a care" is in order, unless it is asked; so is "I would thou wert here".
_BEFORE_THOU = {verb: form for verb, form in _AFTER_THOU.items() if verb != "would"} | {
    "have": "hast"
}
_FIRST = {"hath": "have", "hast": "have", "doth": "do", "dost": "do", "art": "am"}
_THIRD = {"hast": "hath", "dost": "doth", "art": "is"}
_MANY = {"hath": "have", "hast": "have", "doth": "do", "dost": "do", "art": "are"}
# "He that loveth you hath" is in order.
_YOURS = {"hast": "have", "dost": "do", "art": "are"}
_FORMS = {
    "thou": _AFTER_THOU, "i": _FIRST, "he": _THIRD, "she": _THIRD, "it": _THIRD,
    "we": _MANY, "they": _MANY, "you": _YOURS, "ye": _YOURS,
}  # fmt: skip
_SUBJECT_VERB = regex.compile(
    rf"(?<![\w'’-])({'|'.join(_FORMS)})(\s+)(\p{{L}}+)(?![\w'’-])", regex.IGNORECASE
)
_VERB_THOU = regex.compile(
    rf"(?<![\w'’-])({'|'.join(_BEFORE_THOU)})(\s+thou)(?![\w'’-])",
    regex.IGNORECASE,
)
_DOST_ART = regex.compile(r"\b(d)ost thou art\b", regex.IGNORECASE)
# Not "where'd", "there'd" and the like.
_PAST = regex.compile(r"(?<=\p{L}{3}(?<!\b[WwTt]her)e)['’]d\b")
_CAN_NOT = regex.compile(
    r"\b(can) not\b(?! (?:only|just|merely|but)\b)", regex.IGNORECASE
)
_DOUBLED = regex.compile(
    r"\b(the|an?|of|to|in|on|at|with|for|from|and|is|was|are)\s+\1\b", regex.IGNORECASE
)
_THYS = regex.compile(r"(?<![\w'’])(th)ys(?![\w'’])", regex.IGNORECASE)


def inflect_verbs(source: str, text: str) -> str:
    """Give ``thou`` its verbs, and other persons theirs where a verb is an old one."""
    own = source.lower()

    def after(match: regex.Match[str]) -> str:
        form = _FORMS[match[1].lower()].get(match[3].lower(), "")
        if not form or match[0].lower() in own:
            return str(match[0])
        return f"{match[1]}{match[2]}{_match_case(match[3], form)}"

    def before(match: regex.Match[str]) -> str:
        told = match[1].lower() == "have" and "?" not in text[match.end() :]
        if told or match[0].lower() in own:
            return str(match[0])
        return _match_case(match[1], _BEFORE_THOU[match[1].lower()]) + str(match[2])

    text = _VERB_THOU.sub(before, _SUBJECT_VERB.sub(after, text))
    return str(
        _DOST_ART.sub(lambda match: _match_case(match[1], "art") + " thou", text)
    )


def join_cannot(source: str, text: str) -> str:
    """Write ``cannot`` for ``can not``."""
    return text if _CAN_NOT.search(source) else str(_CAN_NOT.sub(r"\1not", text))


def remove_doubled_words(source: str, text: str) -> str:
    """Say ``the the`` once."""
    return text if _DOUBLED.search(source) else str(_DOUBLED.sub(r"\1", text))


def respell_past_tense(source: str, text: str) -> str:
    """Write ``trembled`` for ``tremble'd``."""
    return str(_PAST.sub("d", text))


def respell_thine(source: str, text: str) -> str:
    """Write ``thine`` for ``thys``, which is no word."""
    return str(_THYS.sub(r"\1ine", text))


def _match_case(word: str, form: str) -> str:
    """Return a form with the capitals of a word."""
    if word.isupper() and len(word) > 1:
        return form.upper()
    return form.capitalize() if word[:1].isupper() else form
