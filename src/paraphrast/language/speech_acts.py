"""What a speaker does by saying something: apologises, thanks.

An act counts as kept if a text has any of the words that may perform it in some style:
"I cry you mercy" for "I'm sorry", "it was good of you" for "thanks". The "I'm sorry,
but" of a refusal is politeness rather than an apology: a blunter style may drop it.
"""

import regex

# What shows an act in a source, and what else may do it in a rewrite.
_ACTS = {
    "apology": (
        r"(?:(?:I['’]?m|I am|we['’]?re|we are) (?:\w+ )?sorry|(?<=\A|[.!?,;:] )"
        r"(?:(?:so|very|really) )?sorry"
        r"(?= (?:for|about|to|that|I|we|it|guys|all|everyone|folks)\b|[,!.]|\Z))"
        r"(?!,? but\b)|"
        r"apologi[sz]e|apolog(?:y|ies)|forgive me",
        r"s(?:or+|rr?)y|soz|apolog\w*|pardon\w*|forgiv\w*|regret\w*|excuse\w*|my bad|"
        r"mea culpa|repent\w*|asham\w*|griev\w*|rue|rueth|contrit\w*|sorrow\w*|fault\w*"
        r"|oops|remorse\w*|peniten\w*|afraid|woe|alas|unfortunate\w*|blame\w*|mercy|"
        r"concern\w*|displeas\w*|against|hate to|trouble|sad\w*|pity|mortif\w*|wroth|"
        r"distress\w*|with respect",
    ),
    "thanks": (
        r"(?:thank(?:s|ing| you| u)?|thanx|thx|tysm)"
        r"(?! (?:god|goodness|heavens?|to)\b)",
        r"thank\w*|ty|grateful\w*|gratitude|appreciat\w*|oblig\w*|bless\w*|"
        r"behold\w*|cheers|indebted|gramercy|ta|glad|honou?r\w*|debt\w*|"
        r"(?:kind\w*|good|generous)(?! (?:as|enough) to\b)|acknowledg\w*|prais\w*|"
        r"credit",
    ),
}
_PATTERNS = {
    act: (
        regex.compile(rf"\b(?:{shown})\b", regex.IGNORECASE),
        regex.compile(rf"\b(?:{shown}|{others})\b|🙏", regex.IGNORECASE),
    )
    for act, (shown, others) in _ACTS.items()
}


def find_lost_acts(source: str, text: str) -> list[str]:
    """Return the speech acts of a source, by name, that a text does not perform."""
    return [
        act
        for act, (shown, done) in _PATTERNS.items()
        if shown.search(source) and not done.search(text)
    ]


_DUTY = regex.compile(
    r"\b(?:must|(?:have|has|had|having|got) to(?= \p{L})|need(?:s|ed)? to|gotta|"
    r"ought to|required to|supposed to|obliged to)\b",
    regex.IGNORECASE,
)
# What can say that something must or is to be done.
_BOUND = regex.compile(
    rf"{_DUTY.pattern}|\b(?:need\w*|ought|requir\w*|suppos\w*|oblig\w*|bound|shall|"
    r"shalt|should|forc\w*|compel\w*|necess\w*|constrain\w*|nothing for it|no choice|"
    r"can(?:not|['’]t) but|duty|(?:am|is|are|was|were|be) to|will|['’]ll|wilt)\b",
    regex.IGNORECASE,
)
_INABILITY = regex.compile(
    r"\b(?:unable|can['’]?not|can['’]?t|could(?: not|n['’]?t)|not able|incapable|"
    r"canst not|couldst not|(?:not |im)possible)\b",
    regex.IGNORECASE,
)


def makes_duty_inability(source: str, text: str) -> bool:
    """Say whether an obligation became an inability, as in "unable to work late"."""
    return bool(
        _DUTY.search(source)
        and _INABILITY.search(text)
        and not _INABILITY.search(source)
        and not _BOUND.search(text)
    )
