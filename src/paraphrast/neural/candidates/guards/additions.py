"""Guards against additions: what a candidate says and nobody did.

A model that learned from a reranker's praise puts in what pleased it: ``'tis`` where
nothing is, "answered the man" round what nobody said, a king where there is none.
"""

import regex

from paraphrast.language.offensive import find_offensive_words
from paraphrast.language.quotations import count_speakers, count_speech_verbs
from paraphrast.language.word_kinds import SMALL_WORDS
from paraphrast.language.words import find_words

_UNSUPPORTED = "added an unsupported word"
_TIS = regex.compile(r"(?<![\w'’])['’]tis(?![\w'’])", regex.IGNORECASE)
_SHORT_IT = regex.compile(
    r"(?<![\w'’])['’]t\b|\b(?:up)?on['’]t\b|\b(?:is|do|to|for)['’]t\b", regex.IGNORECASE
)
_GROUND = regex.compile(
    r"\b(?:it|its|that|this|there|here|these|those|what|which|so|\p{L}+thing)(?:['’]s)?\b"
    r"|['’](?:tis|twas|t)\b",
    regex.IGNORECASE,
)
_PERSON_FIRST = regex.compile(r"\W*(?:I|you|he|she|we|they)\b", regex.IGNORECASE)
CLAUSE_BEGINS = regex.compile(
    r"(?:\A|[^\w\s'’]|\b(?:and|but|or|for|if|as|that|when|though|because|since|than|"
    r"where|so|yet|why|how|what|nay|ay|lest|till|sure|say|think|know|swear))\W*\Z",
    regex.IGNORECASE,
)
# Words after which no "it is" can stand, whatever the source says.
_NEVER_BEFORE_IT = regex.compile(
    r"\b(?:hath|has|have|had|could|would|should|may|might|can|shall|will|must|do|doth|"
    r"did|didst|dost|to|is|are|was|were|be|been|am|art|a|an|the|of|in|on|with|from|by|"
    r"upon|my|thy|his|her|their|our|your|not|thou|i|he|she|we|they|you)\s+\Z",
    regex.IGNORECASE,
)
_HATH = regex.compile(r"\b(?:hath|hast)\b(?P<been>\s+been\b)?", regex.IGNORECASE)
_HAVE = regex.compile(
    r"\b(?:hath|hast|has|have|having|had)\b|['’]ve\b", regex.IGNORECASE
)
_IS = regex.compile(r"\b(?:is|are|am)\b|['’](?:s|re|m)\b", regex.IGNORECASE)
_WAS = regex.compile(r"\b(?:was|were)\b", regex.IGNORECASE)
_PEOPLE = regex.compile(
    r"\b(?:king|queen|captain|sir|lords?|lad(?:y|ies)|madam|master|prince|princess|duke|"
    r"emperor|knight|general|bishop|priest|tyrant|soldiers?|gentleman|gentlemen|lad|"
    r"mistress|majesty|highness|brethren|prophet|disciples?|"
    r"god|yahweh|jehovah|jesus|christ|almighty|heavens?)\b",
    regex.IGNORECASE,
)


def check_it(source: str, text: str) -> str:
    """Reject ``'tis`` where it cannot stand, or oftener than the source has reason.

    So with ``'t``, where the source has nothing that it stands for.
    """
    ground = len(_GROUND.findall(source))
    if len(_SHORT_IT.findall(text)) > ground:
        return _UNSUPPORTED
    matches = list(_TIS.finditer(text))
    if matches and not ground and _PERSON_FIRST.match(source) and _TIS.match(text):
        return _UNSUPPORTED
    before = [text[: match.start()] for match in matches]
    if any(map(_NEVER_BEFORE_IT.search, before)):
        return "" if _TIS.search(source) else _UNSUPPORTED
    inside = any(not CLAUSE_BEGINS.search(part) for part in before)
    return _UNSUPPORTED if inside and len(matches) > ground else ""


def check_hath(source: str, text: str) -> str:
    """Reject ``hath`` for the ``is`` or ``was`` of a source, with nothing to have."""
    match = _HATH.search(text)
    if not match or _HAVE.search(source):
        return ""
    wrong = _IS.search(source) or (_WAS.search(source) and not match["been"])
    # "Hath come" has a word of its own; "where hath Romeo" has none.
    new = {word for word in find_words(text.lower()) if word not in SMALL_WORDS}
    return _UNSUPPORTED if wrong and new <= set(find_words(source.lower())) else ""


def check_speaker(source: str, text: str) -> str:
    """Reject somebody who says it, where fewer speak in the source."""
    added = count_speakers(text) > count_speech_verbs(source)
    return "added a speaker" if added else ""


def check_people(source: str, text: str) -> str:
    """Reject a king, a captain or God where the source has nobody like that."""
    match = _PEOPLE.search(text)
    return f"added {match[0]!r}" if match and not _PEOPLE.search(source) else ""


def check_offensive(source: str, text: str) -> str:
    """Reject words that offend, unless the source has them."""
    own = find_offensive_words(source)
    added = any(word not in own for word in find_offensive_words(text))
    return "were offensive (--allow-offensive permits them)" if added else ""
