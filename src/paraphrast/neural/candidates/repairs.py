"""What is put right in a candidate before it is judged: an ordered list of repairs.

A `Repair` takes a source and what was written for it, and returns the text without one
kind of slip: of quotation marks, of grammar and spelling, of marks, or words that a
model adds and nobody said. It leaves alone what the source itself has, and leaves to
the guards what cannot be put right safely. `benchmarks/guards.py` counts what each of
them changes; one that no longer earns its place is deleted here, with its function and
test.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import cycle
from operator import add

import regex

from paraphrast.language.names import find_uncommon_names
from paraphrast.language.quotations import (
    ELIDED,
    SPEECH_VERBS,
    WHO,
    count_double_quotes,
    find_single_quotes,
    has_speech,
)
from paraphrast.language.words import SMALL_WORDS, WORD, find_words
from paraphrast.neural.candidates.guards import CLAUSE_BEGINS
from paraphrast.text.normalisation import STRAIGHT_QUOTES

_VERBS = "|".join(SPEECH_VERBS)
_NAMED = rf"(?:{WHO}|\p{{Lu}}\p{{L}}+)"
_SPEAKER_LAST = regex.compile(
    rf"(?P<before>)(?P<said>.+[,.?!])(?P<after> (?:{_NAMED} (?:{_VERBS})|(?:{_VERBS}) "
    rf"{_NAMED})\b[^,.?!]*[.]?)"
)
_SPEAKER_FIRST = regex.compile(
    rf"(?P<before>[^,:]*\b(?:{_VERBS})\b[^,:]*[,:] )(?P<said>.+)(?P<after>)"
)
_QUOTED = regex.compile(r"[\"“”«»]|^['‘’]|['’]$")
_OPENING = regex.compile(r"(?<!\w)'(?=\w)")
_CLOSING = regex.compile(r"(?<=[\w.,?!])'(?!\w)")


def remove_wrapping_quotes(source: str, text: str) -> str:
    """Take away marks round a text, or at one of its ends, where nobody quoted."""
    if _QUOTED.search(source):
        return text
    inner = text.strip('"').strip()
    if inner and '"' not in inner:
        text = inner
    if not text.startswith("'") or ELIDED.match(text):
        return text
    closing = [match.start() for match in _CLOSING.finditer(text)]
    opened = any(not ELIDED.match(text, m.start()) for m in _OPENING.finditer(text, 1))
    if opened or closing not in ([], [len(text) - 1]):
        return text
    return text[1 : closing[0] if closing else None].strip()


def remove_unpaired_quotes(source: str, text: str) -> str:
    """Take away marks that only open or only close, where the source's do both."""
    opened, closed = find_single_quotes(text)
    if bool(opened) != bool(closed) and not any(find_single_quotes(source)):
        for at in reversed(opened + closed):
            if at in closed or at == 0 or text[at + 1].isupper():
                text = text[:at] + text[at + 1 :]
    if text.count('"') % 2 and not source.count('"') % 2:
        if text.endswith('"'):
            text = text[:-1]
        elif text.startswith('"') or text.count('"') == 1:
            text = text.replace('"', "", 1)
    return text.strip()


def match_open_quotes(source: str, text: str) -> str:
    """Leave a quotation open at the end where its source's goes on."""
    own = source.translate(STRAIGHT_QUOTES)
    if own.count('"') != 1 or text.count('"') != 2:
        return text
    if own.startswith('"') and text.startswith('"') and text.endswith('"'):
        return text[:-1]
    if own.endswith('"') and text.startswith('"') and text.endswith('"'):
        return text[1:]
    return text


def restore_double_quotes(source: str, text: str) -> str:
    """Write double marks for single ones, or where they got lost, as its source has.

    They got lost from what somebody says: "Go hence, he said."
    """
    if count_double_quotes(source) < 2 or count_double_quotes(text):
        return text
    opened, closed = find_single_quotes(text)
    if opened and len(opened) == len(closed):
        marks = {*opened, *closed}
        return "".join('"' if i in marks else sign for i, sign in enumerate(text))
    if opened or closed or count_double_quotes(source) > 2:
        return text
    for pattern in (_SPEAKER_LAST, _SPEAKER_FIRST):
        if match := pattern.fullmatch(text):
            return '{}"{}"{}'.format(*match.group("before", "said", "after"))
    return text


def curl_quotes(source: str, text: str) -> str:
    """Write curly marks where the source has them and no straight ones."""
    if "’" in source and "'" not in source:
        text = text.replace("'", "’")
    first = next((mark for mark in source if mark in "“”"), "")
    if first and '"' not in source:
        before, *others = text.split('"')
        marks = cycle("“”" if first == "“" else "”“")
        text = before + "".join(map(add, marks, others))
    return text


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
# "Hath we", "dost he"; but "what he hath I know not" is in order.
_BEFORE_OTHERS = {
    (verb, person): form
    for person, forms in _FORMS.items()
    if person not in ("thou", "i")
    for verb, form in forms.items()
}
_VERB_OTHERS = regex.compile(
    r"(?<!\b(?:he|she|it|that|which|who|thou|what)\s)(?<![\w'’-])"
    r"(hath|hast|doth|dost)(\s+)(he|she|it|we|they|you|ye)(?![\w'’-])",
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
# An e too many before an old ending: changeeth, decide'st; not agreeth, seeth.
_OLD_ENDING = regex.compile(r"(?<=\p{L}{2}[^\W\daeiou])(?<!gr|cr|fl|fr|kn)ee(th|st)\b")
_E_ST = regex.compile(r"(?<=\p{L}{2}e)['’](?=st\b)")
_TIS = regex.compile(r"(?<![\w'’-])(?=t(?:is|was|were)\b)", regex.IGNORECASE)
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

    def before_others(match: regex.Match[str]) -> str:
        form = _BEFORE_OTHERS.get((match[1].lower(), match[3].lower()), match[1])
        return f"{_match_case(match[1], form)}{match[2]}{match[3]}"

    text = _VERB_THOU.sub(before, _SUBJECT_VERB.sub(after, text))
    text = _VERB_OTHERS.sub(before_others, text)
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


def respell_old_forms(source: str, text: str) -> str:
    """Write ``thine`` for ``thys``, ``changeth`` for ``changeeth``, ``'tis``."""
    text = text if _TIS.search(source) else _TIS.sub("'", text)
    text = _E_ST.sub("", _OLD_ENDING.sub(r"e\1", text))
    return str(_THYS.sub(r"\1ine", text))


def _match_case(word: str, form: str) -> str:
    """Return a form with the capitals of a word."""
    if word.isupper() and len(word) > 1:
        return form.upper()
    return form.capitalize() if word[:1].isupper() else form


TITLE_WORDS = 8

_END = regex.compile(r"(?P<marks>[?!.…,;:]+)(?P<closing>[\"”'’)\]]*)$")


def match_final_mark(source: str, text: str) -> str:
    """End a question or a cry as its source ends, not with a comma or with dots.

    Where the source has a stop a style may have another mark: verses end in commas.
    """
    own, new = _END.search(source), _END.search(text)
    if own is None or new is None:
        return text
    stop = next((mark for mark in "?!" if mark in own["marks"]), "")
    is_open = new["marks"][-1:] in (",", ";", ":")
    is_left_open = stop == "?" and new["marks"] in ("...", "…", "..")
    if not stop or not (is_open or is_left_open):
        return text
    return text[: new.start()] + stop + str(new["closing"])


def remove_stop_of_title(source: str, text: str) -> str:
    """Leave out the stop after a heading: short, a capital first, no mark last."""
    new = _END.search(text)
    is_title = (
        len(source.split()) <= TITLE_WORDS
        and source[:1].isupper()
        and source[-1:].isalnum()
    )
    stops = new is not None and new["marks"] in (".", ",", ";")
    return text[: new.start()] if new is not None and is_title and stops else text


WORDS_PER_FILLER = 12
WORDS_PER_ELLIPSIS = 6
WORDS_PER_DASH = 10

_HASHTAG = regex.compile(r"\s*(#\w+)")
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
_SPOKEN = regex.compile(
    rf"\A(?P<mark>[\"'])(?P<first>[^\"]+?)(?P<stop>[,?!.]?)(?P=mark)[,;]? "
    rf"(?:(?:{_VERBS}) {WHO}|{WHO} (?:{_VERBS}))"
    rf"(?:[.!]|(?P<join>[,;.:]) (?P=mark)(?P<second>[^\"]+?)(?P=mark)?)\Z"
)
_ADDRESSEE = (
    r"(?:(?:O|oh|my|good|gentle|dear|noble|sweet),?\s+)*"
    r"(?:sirs?|lords?|madam|gentlemen|masters?|lad(?:y|ies))"
)
_ADDRESS = regex.compile(
    rf",\s*{_ADDRESSEE}(?:,(?=\s+(?:that|to|who|which|if|of|for)\b)|(?=[,;.!?]|\Z))",
    regex.IGNORECASE,
)
_FIRST_ADDRESS = regex.compile(rf"\A{_ADDRESSEE}[,!]\s+(?=\p{{L}})", regex.IGNORECASE)
_ADDRESSED = regex.compile(
    r"\b(?:sir|lord|madam|gentlem[ae]n|mr|mrs|ms|master|lad(?:y|ies))\b",
    regex.IGNORECASE,
)
_FILLER = regex.compile(
    r"(?:,\s*|^)(?:you know|uh|um|I mean)(?:,\s*|(?=[.?!]))", regex.IGNORECASE
)
_AFTER_FILLER = regex.compile(
    r"(?:\p{Lu}|(?:he|she|it|we|they|you|there|and|but|so|because)\b)"
)
# Three in a row; what says a word more often has lost its way.
_STUTTER = regex.compile(
    r"(?<![\w'’])([\w'’]+)(?:, \1){2}(?![\w'’]|, \1(?!\w))(?<!\1, \1, \1, \1)",
    regex.IGNORECASE,
)
_ELLIPSIS = regex.compile(r"\s*(?:\.{2,}|…)\s*")
_DASH = regex.compile(r"\s*(?:--+|—)\s*")
_NEW_CLAUSE = regex.compile(r"(?:I|you|he|she|it|we|they|there)\b", regex.IGNORECASE)
_IT = regex.compile(r"(?<![\w'’])(['’]tis|['’]t)(?![\w'’])", regex.IGNORECASE)
_SUBJECT_BEFORE = regex.compile(
    r"(?:\b(?:it|there|here)|(?:\A\W*|\b(?:and|but|for|if|as|why|how|though)\s)"
    r"(?:this|that))\s+\Z",
    regex.IGNORECASE,
)
_ASKING = regex.compile(r"\b(?:what|where|how|who|why|when)\s+\Z", regex.IGNORECASE)
_BE = r"(?:\s+(?P<verb>is|are|was|were|am)\b|['’](?P<short>s|re|m)\b)"
_SHORT_BE = {"s": "is", "re": "are", "m": "am"}


def replace_hashtags(source: str, text: str) -> str:
    """Take out tags that the source lacks; tag what it is about in their place."""
    if "#" not in text:
        return text
    said = source.casefold()
    bare = _HASHTAG.sub(lambda tag: tag[0] if tag[1].casefold() in said else "", text)
    if bare == text:
        return text
    bare = str(bare).strip()
    topics = _find_topics(source)
    if not bare or not topics or "#" in bare:
        return bare or text
    return f"{bare} #{max(topics, key=len)}"


def remove_speaker(source: str, text: str) -> str:
    """Take out who says it, and the quotes, where the source has no speech."""
    spoken = _SPOKEN.match(text)
    if not spoken or has_speech(source):
        return text
    first, stop = str(spoken["first"]).rstrip(), str(spoken["stop"]).strip(",")
    if spoken["second"]:
        second = spoken["second"].strip()
        if stop or spoken["join"] == ".":
            return f"{first}{stop or '.'} {second}"
        mark = ";" if spoken["join"] == ";" else ","
        return f"{first}{mark} {_lower_first(second, source)}"
    ending = regex.search(r"[.?!]", source[-2:])
    return f"{first}{stop or (ending[0] if ending else '')}"


def remove_address(source: str, text: str) -> str:
    """Take out ", sir" and ", my lord", where the source addresses nobody so."""
    if _ADDRESSED.search(source):
        return text
    rest = str(_ADDRESS.sub("", _FIRST_ADDRESS.sub("", text)))
    return rest if rest[:1] == text[:1] else rest[:1].upper() + rest[1:]


def thin_fillers(source: str, text: str) -> str:
    """Leave one filler to a dozen words, beside those of the source."""
    most = max(1, len(find_words(text)) // WORDS_PER_FILLER)
    most = max(most, len(_FILLER.findall(source)))
    for match in reversed(list(_FILLER.finditer(text))[most:]):
        start, after = text[: match.start()], text[match.end() :]
        mark = ", " if _AFTER_FILLER.match(after) else " "
        text = f"{start}{mark}{after}" if after[:1].isalnum() else start + after
    return text


def shorten_stutters(source: str, text: str) -> str:
    """Say a word twice at most where a model stutters."""
    return text if _STUTTER.search(source) else str(_STUTTER.sub(r"\1, \1", text))


def thin_pauses(source: str, text: str) -> str:
    """Write commas and stops for dots and dashes beyond a few, and the source's own."""
    count = len(find_words(text))
    for pause, each in ((_ELLIPSIS, WORDS_PER_ELLIPSIS), (_DASH, WORDS_PER_DASH)):
        most = max(1, count // each) + len(pause.findall(source))
        for match in reversed(list(pause.finditer(text))[most:]):
            before, after = text[: match.start()], text[match.end() :]
            text = f"{before}{_choose_mark(before, after)}{after}".rstrip()
    return text


def remove_it(source: str, text: str) -> str:
    """Take ``'tis`` out, or write ``is`` for it, where the source shows which."""
    if _IT.search(source):
        return text
    for match in reversed(list(_IT.finditer(text))):
        before, after = text[: match.start()], text[match.end() :]
        if len(match[1]) > 2 and _SUBJECT_BEFORE.search(before):
            text = f"{before}is{after}"
        elif before[-2:-1].isalnum():
            text = _replace_it(source, before, match[0], after)
    return text


def _replace_it(source: str, before: str, word: str, after: str) -> str:
    """Return a text with a form of "to be" for a word, or without it, as its source."""
    last, following = find_words(before)[-1], find_words(after)[:1]
    is_thou = last.lower() == "thou"
    name = "(?:you|thou)" if is_thou else regex.escape(last)
    verb = regex.search(rf"\b{name}{_BE}", source, regex.IGNORECASE)
    begins = CLAUSE_BEGINS.search(before) and not _ASKING.search(before)
    if verb and len(word) > 2 and not begins:
        form = "art" if is_thou else verb["verb"] or _SHORT_BE[verb["short"]]
        return f"{before}{form}{after}"
    end = rf"\W+{regex.escape(following[0])}\b" if following else r"\W*\Z"
    if regex.search(rf"\b{name}{end}", source, regex.IGNORECASE):
        return before.rstrip() + after
    return before + word + after


def _find_topics(source: str) -> list[str]:
    """Return nouns as articles or else their endings show them, or else a name."""
    heads = [(m[1].lower(), (m[2] or "").lower()) for m in _HEAD.finditer(source)]
    sure = [head for head, after in heads if not after or after in SMALL_WORDS]
    by_ending = [word.lower() for word in _SURE_NOUN.findall(source)]
    name = [name.lower() for name in find_uncommon_names(source)[-1:]]
    for words in (sure, [head for head, _ in heads], by_ending, name):
        topics = [
            word
            for word in words
            if word.isalpha() and word not in SMALL_WORDS and not _NO_TOPIC.search(word)
        ]
        if topics:
            return topics
    return []


def _lower_first(text: str, source: str) -> str:
    first = WORD.search(text)
    if not first or first[0] == "I" or first[0].startswith(("I'", "I’")):
        return text
    if regex.search(rf"(?<=[\p{{L}},] ){regex.escape(first[0])}\b", source):
        return text  # a name
    return f"{text[: first.start()]}{first[0].lower()}{text[first.end() :]}"


def _choose_mark(before: str, after: str) -> str:
    """Return the mark, with the blank after it, that ends or parts two clauses."""
    if not any(map(str.isalnum, after)):
        return "."
    if not before[-1:].isalnum():
        return " "
    if after[:1].isupper() and not after.startswith(("I ", "I'", "I’")):
        return ". "
    return "; " if _NEW_CLAUSE.match(after) else ", "


@dataclass(frozen=True, slots=True)
class Repair:
    """A named repair: ``apply(source, text)`` is the text, repaired."""

    name: str
    apply: Callable[[str, str], str]


REPAIRS = (
    Repair("hashtags", replace_hashtags),
    Repair("wrapped-quotes", remove_wrapping_quotes),
    Repair("unpaired-quotes", remove_unpaired_quotes),
    Repair("open-quotes", match_open_quotes),
    Repair("lost-quotes", restore_double_quotes),
    Repair("speaker", remove_speaker),
    Repair("address", remove_address),
    Repair("fillers", thin_fillers),
    Repair("stutter", shorten_stutters),
    Repair("pauses", thin_pauses),
    Repair("it", remove_it),
    Repair("cannot", join_cannot),
    Repair("doubled-word", remove_doubled_words),
    Repair("past-tense", respell_past_tense),
    Repair("verb-agreement", inflect_verbs),
    Repair("old-spelling", respell_old_forms),
    Repair("final-mark", match_final_mark),
    Repair("title", remove_stop_of_title),
    Repair("curly-quotes", curl_quotes),
)


def repair(source: str, text: str, repairs: Iterable[Repair] = REPAIRS) -> str:
    """Return a text with its slips repaired, in the light of its source."""
    for entry in repairs:
        text = entry.apply(source, text)
    return text
