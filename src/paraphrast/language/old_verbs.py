"""Subject-verb agreement in Early Modern English.

"Thou" has its own verb forms ("wast", "hast", "toldest"), and "he" and "she" take
"hath" or "has". `mend_old_verbs` corrects a form if the adjacent words leave no doubt
about the subject. It keeps what writers of the time did write: the subjunctive ("if
thou have"), "I were thou", "it was thou", "hath spoke".
"""

from collections.abc import Mapping

import regex

from paraphrast.language.address import AUXILIARIES_OF_YOU
from paraphrast.language.words import BE, PRONOUNS, SMALL_WORDS
from paraphrast.text.word_lists import read_rows

_PAIRS = {
    kind: dict(pair.split(":") for pair in pairs.split())
    for kind, pairs in read_rows("paraphrast.language", "old_verbs.txt")
}
_NEVER, _OTHER_PERSON, _PAST = (
    _PAIRS[kind] for kind in ("never", "other person", "past")
)
_ANY = {kind: "|".join(pairs) for kind, pairs in _PAIRS.items()}
_NEVER_WORD = regex.compile(rf"\b(?:{_ANY['never']})\b", regex.IGNORECASE)
_BESIDE_THOU = regex.compile(
    # What stands after "than" is another's verb, and two people take "are".
    rf"(?<!\b(?:or|nor|than|as) )\bthou \K(?:is|{_ANY['other person']})\b(?!['’])"
    r"(?<!\band thou are)"
    rf"|\b(?:{_ANY['other person']})(?= thou\b)"
    r"|\b(?:who|what|where|how|why) \Kis(?= thou\b)"
    # "Have thou patience" commands, and a question asks.
    r"|(?:\A|(?<=[.,;:!?\"“”—-] ?|\b(?:and|but|or) ))"
    r"have(?= thou\b(?! and\b)[^.;:!?]*\?)",
    regex.IGNORECASE,
)
_OF_THOU = {**_OTHER_PERSON, "is": "art", "have": "hast"}
_AUXILIARY = "|".join({*BE, *AUXILIARIES_OF_YOU, *AUXILIARIES_OF_YOU.values()})
_PAST_OF_THOU = regex.compile(
    rf"(?<!\b(?:{_AUXILIARY}) (?:not )?)\bthou \K(?:{_ANY['past']})\b(?!['’])",
    regex.IGNORECASE,
)
# After a plural that is no subject: "forty years have she laboured".
_OF_HER = regex.compile(r"\b(\p{L}+) \Khave(?= s?he\b)", regex.IGNORECASE)
_OF_MANY = regex.compile(r"\b(?:I|[Ww]e|[Tt]hey) \K(?:hath|doth)\b")
_THIRD_OF_THOU = regex.compile(r"\bthou \p{L}{2,}\Keth\b", regex.IGNORECASE)
_NO_VOWEL = regex.compile(r"([bdgmnpt])\1\Kst\b")
_OLD = regex.compile(
    r"\b(?:th(?:ou|ee|y|ine)|hath|doth|\p{L}{3,}eth)\b", regex.IGNORECASE
)


def mend_old_verbs(text: str) -> str:
    """Return a text whose verbs agree with "thou" and with their subjects."""
    has = "hath" if _OLD.search(text) else "has"

    def put_third(match: "regex.Match[str]") -> str:
        is_other = match[1].lower() in SMALL_WORDS or match[1].lower() in PRONOUNS
        return "have" if is_other else has

    text = _replace(text, _NEVER_WORD, _NEVER)
    text = _replace(text, _BESIDE_THOU, _OF_THOU)
    text = _replace(text, _PAST_OF_THOU, _PAST)
    text = _replace(text, _OF_MANY, {"hath": "have", "doth": "do"})
    text = _THIRD_OF_THOU.sub("est", _OF_HER.sub(put_third, text))
    return str(_NO_VOWEL.sub("est", text))


def _replace(text: str, pattern: "regex.Pattern[str]", forms: Mapping[str, str]) -> str:
    """Replace each match by the correct form, keeping its capital."""

    def put(match: "regex.Match[str]") -> str:
        new = forms[match[0].lower()]
        return new.capitalize() if match[0][0].isupper() else new

    return str(pattern.sub(put, text))
