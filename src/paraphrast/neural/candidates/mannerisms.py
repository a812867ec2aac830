"""Habits that a model has taken on from what praised it, and that say nothing.

A model that learned from a guide's praise puts in what pleased the guide: ``'tis``
where nothing is, "answered the man" round what nobody said, "you know" at every comma.
Here these are taken out again where that is safe (`without`), and a text that still has
them is objected to (`objection`).
"""

import regex

from paraphrast.language.word_kinds import SMALL_WORDS

WORDS_A_FILLER = 12

_TIS = regex.compile(r"(?<![\w'’])(['’]tis|['’]t)(?![\w'’])", regex.IGNORECASE)
_OBJECT = regex.compile(
    r"(?<![\w'’])['’]t\b|\b(?:up)?on['’]t\b|\b(?:is|do|to|for)['’]t\b", regex.IGNORECASE
)
_GROUND = regex.compile(
    r"\b(?:it|its|that|this|there|here|these|those|what|which|so|\p{L}+thing)(?:['’]s)?\b"
    r"|['’](?:tis|twas|t)\b",
    regex.IGNORECASE,
)
_SUBJECT = regex.compile(
    r"(?:\b(?:it|there|here)|(?:\A\W*|\b(?:and|but|for|if|as|why|how|though)\s)"
    r"(?:this|that))\s+\Z",
    regex.IGNORECASE,
)
_PERSON = regex.compile(r"\W*(?:I|you|he|she|we|they)\b", regex.IGNORECASE)
_CLAUSE = regex.compile(
    r"(?:\A|[^\w\s'’]|\b(?:and|but|or|for|if|as|that|when|though|because|since|than|"
    r"where|so|yet|why|how|what|nay|ay|lest|till|sure|say|think|know|swear))\W*\Z",
    regex.IGNORECASE,
)
# Words after which no "it is" can stand, whatever the source says.
_NEVER = regex.compile(
    r"\b(?:hath|has|have|had|could|would|should|may|might|can|shall|will|must|do|doth|"
    r"did|didst|dost|to|is|are|was|were|be|been|am|art|a|an|the|of|in|on|with|from|by|"
    r"upon|my|thy|his|her|their|our|your|not|thou|i|he|she|we|they|you)\s+\Z",
    regex.IGNORECASE,
)
_ASKING = regex.compile(r"\b(?:what|where|how|who|why|when)\s+\Z", regex.IGNORECASE)
_BE = r"(?:\s+(?P<verb>is|are|was|were|am)\b|['’](?P<short>s|re|m)\b)"
_SHORT = {"s": "is", "re": "are", "m": "am"}
_WORD = regex.compile(r"[\p{L}\p{N}]+(?:['’]\p{L}+)*")
_SAYS = (
    "said|says|saith|saying|answered|replied|cried|returned|added|exclaimed|continued|"
    "asked|observed|remarked|repeated|murmured|told"
)
_SAID = regex.compile(rf"\b(?:{_SAYS})\b", regex.IGNORECASE)
_WHO = r"(?:I|he|she|they|we|(?:the|his|her|my)(?: [\p{L}-]+){1,2})"
_TAG = rf"(?:(?:{_SAYS}) {_WHO}|{_WHO} (?:{_SAYS}))"
_SPOKEN = regex.compile(
    rf"\A(?P<mark>[\"'])(?P<first>[^\"]+?)(?P<stop>[,?!.]?)(?P=mark)[,;]? {_TAG}"
    rf"(?:[.!]|(?P<join>[,;.:]) (?P=mark)(?P<second>[^\"]+?)(?P=mark)?)\Z"
)
_QUOTE = regex.compile(r"[\"“”«»]|^['‘’]|['’]$|(?<=\s)['‘](?!t)")
_SPOKEN_BY = regex.compile(
    rf"[\"'’”,;.?!] (?:(?:said|answered|replied|cried|returned|exclaimed) "
    rf"(?:{_WHO}|\p{{Lu}}\p{{L}}+)|{_WHO} (?:said|answered|replied))\b(?! that\b)"
)
_HOLY = regex.compile(r"\b(?:the Lord|LORD|God|Yahweh|Jehovah|Jesus|Christ)\b")
_OF_HEAVEN = regex.compile(
    r"\b(?:lord|gods?|yahweh|jehovah|jesus|christ|almighty|heavens?)\b",
    regex.IGNORECASE,
)
_HATH = regex.compile(r"\b(?:hath|hast)\b", regex.IGNORECASE)
_HAS = regex.compile(r"\b(?:hath|hast|has|have|having)\b|['’]ve\b", regex.IGNORECASE)
_IS = regex.compile(r"\b(?:is|are|am)\b|['’](?:s|re|m)\b", regex.IGNORECASE)
# Dots and dashes for a pause, and how many words there are to each at least.
_DOTS, WORDS_TO_DOTS = regex.compile(r"\s*(?:\.{2,}|…)\s*"), 6
_DASH, WORDS_TO_A_DASH = regex.compile(r"\s*(?:--+|—)\s*"), 10
_NEW_CLAUSE = regex.compile(r"(?:I|you|he|she|it|we|they|there)\b", regex.IGNORECASE)
_CLAUSE_AFTER = regex.compile(
    r"(?:\p{Lu}|(?:he|she|it|we|they|you|there|and|but|so|because)\b)"
)
_FILLER = regex.compile(
    r"(?:,\s*|^)(?:you know|uh|um|I mean)(?:,\s*|(?=[.?!]))", regex.IGNORECASE
)
# Three in a row; what says a word more often has lost its way.
_STUTTER = regex.compile(
    r"(?<![\w'’])([\w'’]+)(?:, \1){2}(?![\w'’]|, \1(?!\w))(?<!\1, \1, \1, \1)",
    regex.IGNORECASE,
)


def without(source: str, text: str) -> str:
    """Return a text without the habits that can be taken out safely."""
    text = _unspoken(source, text)
    text = _unstuttered(source, _sparing(source, text))
    return _grounded(source, _with_few_pauses(source, text))


def objection(source: str, text: str) -> str:
    """Return what is wrong with a text, as the end of a sentence, or nothing."""
    if _groundless(source, text) or _has_for_is(source, text):
        return "have put in a word without ground"
    told = _QUOTE.search(source) or _SAID.search(source)
    if not told and _SPOKEN_BY.search(text):
        return "have put in somebody who says it"
    holy = _HOLY.search(text)
    if holy and not _OF_HEAVEN.search(source):
        return f"have brought in {holy[0]!r}"
    return ""


def _has_for_is(source: str, text: str) -> bool:
    """Say whether ``hath`` stands for the ``is`` of a source, with nothing to have."""
    if _HAS.search(source) or not _HATH.search(text) or not _IS.search(source):
        return False
    # "Hath come" has a word of its own; "where hath Romeo" has none.
    known = SMALL_WORDS
    new = {word for word in _WORD.findall(text.lower()) if word not in known}
    return new <= set(_WORD.findall(source.lower()))


def _groundless(source: str, text: str) -> bool:
    """Say whether ``'tis`` stands where it cannot, or oftener than for a reason.

    So does ``'t``, where the source has nothing that it stands for.
    """
    if len(_OBJECT.findall(text)) > len(_GROUND.findall(source)):
        return True
    found = [match for match in _TIS.finditer(text) if len(match[1]) > 2]
    named = _PERSON.match(source) and not _GROUND.search(source)
    if found and named and _TIS.match(text):
        return True
    if any(_NEVER.search(text[: match.start()]) for match in found):
        return not _TIS.search(source)
    inside = any(_stands_inside(text, match) for match in found)
    return inside and len(found) > len(_GROUND.findall(source))


def _stands_inside(text: str, match: "regex.Match[str]") -> bool:
    """Say whether a word stands where no clause begins."""
    return not _CLAUSE.search(text[: match.start()])


def _grounded(source: str, text: str) -> str:
    """Take ``'tis`` out, or write ``is`` for it, where the source shows which."""
    if _TIS.search(source):
        return text
    for match in reversed(list(_TIS.finditer(text))):
        before, after = text[: match.start()], text[match.end() :]
        if len(match[1]) > 2 and _SUBJECT.search(before):
            text = f"{before}is{after}"
        elif before[-2:-1].isalnum():
            text = _settled(source, before, match[0], after)
    return text


def _settled(source: str, before: str, word: str, after: str) -> str:
    """Return a text with ``is`` for a word, or without it, as its source has it."""
    last, following = _WORD.findall(before)[-1], _WORD.findall(after)[:1]
    name = "(?:you|thou)" if last.lower() == "thou" else regex.escape(last)
    verb = regex.search(rf"\b{name}{_BE}", source, regex.IGNORECASE)
    begins = _CLAUSE.search(before) and not _ASKING.search(before)
    if verb and len(word) > 2 and not begins:
        found = verb["verb"] or _SHORT[verb["short"]]
        return f"{before}{found}{after}"
    end = rf"\W+{regex.escape(following[0])}\b" if following else r"\W*\Z"
    if regex.search(rf"\b{name}{end}", source, regex.IGNORECASE):
        return before.rstrip() + after
    return before + word + after


def _unspoken(source: str, text: str) -> str:
    """Take out who says it, and the quotes, where the source has no speech."""
    spoken = _SPOKEN.match(text)
    if not spoken or _QUOTE.search(source) or _SAID.search(source):
        return text
    first, stop = str(spoken["first"]).rstrip(), str(spoken["stop"]).strip(",")
    if spoken["second"]:
        second = spoken["second"].strip()
        if stop or spoken["join"] == ".":
            return f"{first}{stop or '.'} {second}"
        return (
            f"{first}{';' if spoken['join'] == ';' else ','} {_lowered(second, source)}"
        )
    ending = regex.search(r"[.?!]", source[-2:])
    return f"{first}{stop or (ending[0] if ending else '')}"


def _lowered(text: str, source: str) -> str:
    first = _WORD.search(text)
    if not first or first[0] == "I" or first[0].startswith(("I'", "I’")):
        return text
    if regex.search(rf"(?<=[\p{{L}},] ){regex.escape(first[0])}\b", source):
        return text  # a name
    return f"{text[: first.start()]}{first[0].lower()}{text[first.end() :]}"


def _sparing(source: str, text: str) -> str:
    """Leave one filler to a dozen words, beside those of the source."""
    found = list(_FILLER.finditer(text))
    most = max(1, len(_WORD.findall(text)) // WORDS_A_FILLER)
    most = max(most, len(_FILLER.findall(source)))
    for match in reversed(found[most:]):
        start, after = text[: match.start()], text[match.end() :]
        mark = ", " if _CLAUSE_AFTER.match(after) else " "
        text = f"{start}{mark}{after}" if after[:1].isalnum() else start + after
    return text


def _with_few_pauses(source: str, text: str) -> str:
    """Write commas and stops for dots and dashes beyond a few, and the source's own."""
    count = len(_WORD.findall(text))
    for pause, each in ((_DOTS, WORDS_TO_DOTS), (_DASH, WORDS_TO_A_DASH)):
        most = max(1, count // each) + len(pause.findall(source))
        for match in reversed(list(pause.finditer(text))[most:]):
            before, after = text[: match.start()], text[match.end() :]
            text = f"{before}{_mark_for(before, after)}{after}".rstrip()
    return text


def _mark_for(before: str, after: str) -> str:
    """Return the mark, with the blank after it, that ends or parts two clauses."""
    if not any(map(str.isalnum, after)):
        return "."
    if not before[-1:].isalnum():
        return " "
    if after[:1].isupper() and not after.startswith(("I ", "I'", "I’")):
        return ". "
    return "; " if _NEW_CLAUSE.match(after) else ", "


def _unstuttered(source: str, text: str) -> str:
    """Say a word twice at most where a model stutters."""
    if _STUTTER.search(source):
        return text
    return str(_STUTTER.sub(r"\1, \1", text))
