"""Repairs of habits: take out what a model adds and nobody said, where that is safe.

What cannot be taken out safely is left to the guards.
"""

import regex

from paraphrast.language.names import find_uncommon_names
from paraphrast.language.quotations import SPEECH_VERBS, WHO, has_speech
from paraphrast.language.word_kinds import SMALL_WORDS
from paraphrast.language.words import WORD, find_words
from paraphrast.neural.candidates.guards.additions import CLAUSE_BEGINS

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
_VERBS = "|".join(SPEECH_VERBS)
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
