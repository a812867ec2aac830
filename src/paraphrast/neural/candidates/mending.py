"""Mend what a model gets wrong in spelling and marks, whatever it meant to say.

`mended` looks at a source and what was written for it. It makes verbs agree with
``thou`` and other persons of old verbs, ``a`` with the sound that follows, takes out
quotation marks and tags that nobody had, closes up marks that stand apart, and ends
questions and cries as such. What the source itself has is left as it is.
"""

import regex

from paraphrast.language.names import find_uncommon_names
from paraphrast.language.word_kinds import SMALL_WORDS
from paraphrast.neural.candidates.mannerisms import without

TITLE_WORDS = 8

# "Thou do" and "thou have" may be in order: "didst thou do it?", "if thou have it".
_AFTER_THOU = {
    "is": "art", "ist": "art", "are": "art", "am": "art", "has": "hast",
    "hath": "hast", "does": "dost", "doth": "dost", "did": "didst", "will": "wilt",
    "shall": "shalt", "can": "canst", "was": "wast", "were": "wert", "werest": "wert",
    "would": "wouldst", "should": "shouldst", "could": "couldst", "had": "hadst",
    "seeest": "seest", "mustst": "must",
}  # fmt: skip
# "Have thou a care" is in order, unless it is asked; so is "I would thou wert here".
_BEFORE_THOU = _AFTER_THOU | {"have": "hast"}
del _BEFORE_THOU["would"]
_FIRST = {"hath": "have", "hast": "have", "doth": "do", "dost": "do", "art": "am"}
_THIRD = {"hast": "hath", "dost": "doth", "art": "is"}
_MANY = {"hath": "have", "hast": "have", "doth": "do", "dost": "do", "art": "are"}
# "He that loveth you hath" is in order.
_YOURS = {"hast": "have", "dost": "do", "art": "are"}
_FORMS = {
    "thou": _AFTER_THOU, "i": _FIRST, "he": _THIRD, "she": _THIRD, "it": _THIRD,
    "we": _MANY, "they": _MANY, "you": _YOURS, "ye": _YOURS,
}  # fmt: skip
_SUBJECT = regex.compile(
    rf"(?<![\w'’-])({'|'.join(_FORMS)})(\s+)(\p{{L}}+)(?![\w'’-])", regex.IGNORECASE
)
_QUESTION = regex.compile(
    rf"(?<![\w'’-])({'|'.join(_BEFORE_THOU)})(\s+thou)(?![\w'’-])",
    regex.IGNORECASE,
)
# A vowel to the ear; "A" alone inside a sentence may be a letter or a mark.
_BARE_ARTICLE = regex.compile(
    r"(?<![\w'’.-])(a|(?:(?<=^|[.?!:;]\s|[\"“‘])A))"
    r"(?=\s(?!(?:one|once|oui)\b|eu|ew)(?:[aeio]|u(?:n(?!i)|p|gl|lt|mb|rg))\p{L}+)",
)
_CLITIC = regex.compile(r"(?<=\p{L}) (['’](?:ll|s|d|re|ve|m)(?!\w))")
# Not "where'd", "there'd" and the like.
_PAST = regex.compile(r"(?<=\p{L}{3}(?<!\b(?:wh|th)er)e)['’]d\b")
_CAN_NOT = regex.compile(
    r"\b(can) not\b(?! (?:only|just|merely|but)\b)", regex.IGNORECASE
)
_TWICE = regex.compile(
    r"\b(the|an?|of|to|in|on|at|with|for|from|and|is|was|are)\s+\1\b", regex.IGNORECASE
)
_DOST_ART = regex.compile(r"\b(d)ost thou art\b", regex.IGNORECASE)
_TIS = regex.compile(r"(?<![\w'’])(t(?:is|was|were))(?=\s)", regex.IGNORECASE)
_THYS = regex.compile(r"(?<![\w'’])(th)ys(?![\w'’])", regex.IGNORECASE)
_APART = regex.compile(r"(?<=\p{L}) (['’])(?= \p{L})|(?<=[\p{L}\p{N}\"”’]) ([,;:.?!])")
_TAG = regex.compile(r"\s*(#\w+)")
# A word right after an article or an owner, or after an adjective that shows as one.
_HEAD = regex.compile(
    r"(?<![\w'’-])(?:an?|the|my|thy|your|his|her|its|our|their|this|these|no|every)\s+"
    r"(?:(?:\p{L}+(?:ous|ful|al|ive|ic|[ai]ble|less|ish|[ae]nt|[ae]st|ern|ary|ed)|"
    r"happy|angry|pretty|heavy|many|very|old|new|young|great|good|bad|big|small|little|long|last|same|own|other|whole|"
    r"bright|dark|white|black|red|green|pale|cold|poor|fair|sweet|dear|high|deep)\s+)?"
    r"(\p{L}{4,})(?=\s*[^\w\s'’-]|\s*\Z|\s+(\p{L}+))",
    regex.IGNORECASE,
)
_SURE_NOUN = regex.compile(
    r"\b\p{L}+(?:[st]ion|ment|ness|ity|ship|[ae]nce|is[mt]|dom|hood|ology|graphy|ture)s?\b"
)
# Endings of words that are seldom what a text is about.
_NO_TOPIC = regex.compile(
    r"(?:ly|ing|ed|where|things?|body|one|self|selves)\Z"
    r"|\A(?:little|great|good|same|other|whole|first|next|last|many|hundred|thousand)\Z"
)
_QUOTED = regex.compile(r"[\"“”«»]|^['‘’]|['’]$")
_ELIDED = regex.compile(
    r"['’](?:t(?:is|was|were|will|would|ween|wixt|ill?)|em|gainst|neath|bout|fore|cause|"
    r"scape|faith|t|n|s|d|ll)\b",
    regex.IGNORECASE,
)
_OPENING = regex.compile(r"(?<!\w)'(?=\w)")
_CLOSING = regex.compile(r"(?<=[\w.,?!])'(?!\w)")
# Marks that can only open or only close a quotation; "th'" and "lords'" do neither.
_OPENS = regex.compile(r"(?<![\w'’])'(?=\p{L})")
_CLOSES = regex.compile(
    r"(?<=[.,?!;:])'(?!\w)|(?<=\p{L})(?<!s|\bth|\bo|\bi)'(?=[?!.,]*\Z)"
)
_END = regex.compile(r"(?P<marks>[?!.…,;:]+)(?P<closing>[\"”'’)\]]*)$")


def mended(source: str, text: str) -> str:
    """Return a text with its slips mended, in the light of its source."""
    text = without(source, _as_said(source, text))
    for mend in (_joined, _agreeing, _with_article, _elided, _closed_up):
        text = mend(source, text)
    return _ended_like(source, text)


def _joined(source: str, text: str) -> str:
    """Join what stands apart: there 's, tremble'd, can not; say "the the" once."""
    if not _CLITIC.search(source):
        text = _CLITIC.sub(r"\1", text)
    if not _CAN_NOT.search(source):
        text = _CAN_NOT.sub(r"\1not", text)
    if not _TWICE.search(source):
        text = _TWICE.sub(r"\1", text)
    return str(_PAST.sub("d", text))


def _like(word: str, form: str) -> str:
    """Return a form with the capitals of a word."""
    if word.isupper() and len(word) > 1:
        return form.upper()
    return form.capitalize() if word[:1].isupper() else form


def _agreeing(source: str, text: str) -> str:
    """Give ``thou`` its verbs, and other persons theirs where a verb is of old."""

    def after(match: regex.Match[str]) -> str:
        form = _FORMS[match[1].lower()].get(match[3].lower(), "")
        if not form or match[0].lower() in source.lower():
            return str(match[0])
        return f"{match[1]}{match[2]}{_like(match[3], form)}"

    def before(match: regex.Match[str]) -> str:
        is_asked = "?" in text[match.end() :]
        told = match[1].lower() == "have" and not is_asked
        if told or match[0].lower() in source.lower():
            return str(match[0])
        return _like(match[1], _BEFORE_THOU[match[1].lower()]) + str(match[2])

    text = _QUESTION.sub(before, _SUBJECT.sub(after, text))
    return str(_DOST_ART.sub(lambda match: _like(match[1], "art") + " thou", text))


def _with_article(source: str, text: str) -> str:
    if _BARE_ARTICLE.search(source):
        return text
    return str(_BARE_ARTICLE.sub(r"\1n", text))


def _elided(source: str, text: str) -> str:
    """Write 'tis with its mark, and "thine" for what is no word."""
    if not _TIS.search(source):
        text = _TIS.sub(r"'\1", text)
    return str(_THYS.sub(r"\1ine", text))


def _closed_up(source: str, text: str) -> str:
    """Join marks that stand apart, unless the source is written so."""
    if _APART.search(source):
        return text
    return str(_APART.sub(lambda match: match[1] or match[2], text))


def _as_said(source: str, text: str) -> str:
    """Tag what the source says, not what it lacks; no quotes where nobody quoted."""
    if "#" in text:
        said = source.casefold()
        bare = _TAG.sub(lambda tag: tag[0] if tag[1].casefold() in said else "", text)
        text = (_tagged(source, bare.strip()) if bare != text else bare) or text
    text = text if _QUOTED.search(source) else _unquoted(text)
    return _balanced(source, text)


def _tagged(source: str, text: str) -> str:
    """Return a text with what its source is about for a tag, if it has none."""
    found = _topics(source)
    if not text or not found or "#" in text:
        return text
    return f"{text} #{max(found, key=len)}"


def _topics(source: str) -> list[str]:
    """Return nouns as articles or else their endings show them, or else a name."""
    known = SMALL_WORDS
    heads = [(m[1].lower(), (m[2] or "").lower()) for m in _HEAD.finditer(source)]
    sure = [head for head, after in heads if not after or after in known]
    by_ending = [word.lower() for word in _SURE_NOUN.findall(source)]
    name = [name.lower() for name in find_uncommon_names(source)[-1:]]
    for words in (sure, [head for head, _ in heads], by_ending, name):
        found = [w for w in words if w.isalpha() and w not in known]
        found = [w for w in found if not _NO_TOPIC.search(w)]
        if found:
            return found
    return []


def _unquoted(text: str) -> str:
    """Return a text without quotation marks round it, or at one of its ends only."""
    inner = text.strip('"').strip()
    if inner and '"' not in inner:
        text = inner
    if not text.startswith("'") or _ELIDED.match(text):
        return text
    closing = [match.start() for match in _CLOSING.finditer(text)]
    opened = any(not _ELIDED.match(text, m.start()) for m in _OPENING.finditer(text, 1))
    if opened or closing not in ([], [len(text) - 1]):
        return text
    return text[1 : closing[0] if closing else None].strip()


def _balanced(source: str, text: str) -> str:
    """Take out marks that only open or only close, where the source's do both."""
    opened, closed = _quotation(text)
    if bool(opened) != bool(closed) and not any(_quotation(source)):
        for place in reversed(opened + closed):
            if place in closed or place == 0 or text[place + 1].isupper():
                text = text[:place] + text[place + 1 :]
    if text.count('"') % 2 and not source.count('"') % 2:
        if text.endswith('"'):
            text = text[:-1]
        elif text.startswith('"') or text.count('"') == 1:
            text = text.replace('"', "", 1)
    return text.strip()


def _quotation(text: str) -> tuple[list[int], list[int]]:
    """Return the places of single marks that open, and of those that close."""
    opened = [m.start() for m in _OPENS.finditer(text)]
    return (
        [place for place in opened if not _ELIDED.match(text, place)],
        [match.start() for match in _CLOSES.finditer(text)],
    )


def _ended_like(source: str, text: str) -> str:
    """End a question or a cry as its source ends, not with a comma or with dots.

    Where the source has a stop a style may have another mark: verses end in commas. A
    title has no stop.
    """
    wanted, found = _END.search(source), _END.search(text)
    if wanted is None and found is not None and _is_title(source):
        return text[: found.start()] if found["marks"] in (".", ",", ";") else text
    if wanted is None or found is None:
        return text
    stop = next((mark for mark in "?!" if mark in wanted["marks"]), "")
    is_open = found["marks"][-1:] in (",", ";", ":")
    is_left_open = stop == "?" and found["marks"] in ("...", "…", "..")
    if not stop or not (is_open or is_left_open):
        return text
    return text[: found.start()] + stop + str(found["closing"])


def _is_title(source: str) -> bool:
    """Say whether a text looks like a heading: short, a capital first, no mark last."""
    return (
        len(source.split()) <= TITLE_WORDS
        and source[:1].isupper()
        and source[-1:].isalnum()
    )
