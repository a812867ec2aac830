"""Who is spoken of: the persons that the pronouns of a text stand for."""

import regex

FIRST, SECOND, HE, SHE, WE, THEY = "@i", "@you", "@he", "@she", "@we", "@they"
SUBJECTS = {
    "i": FIRST, "thou": SECOND, "he": HE, "she": SHE, "we": WE, "they": THEY,
}  # fmt: skip
OBJECTS = {
    "me": FIRST, "thee": SECOND, "him": HE, "us": WE, "them": THEY, "'em": THEY,
}  # fmt: skip
EITHER = {"you": SECOND, "ye": SECOND, "u": SECOND, "ya": SECOND}
PRONOUNS = SUBJECTS | OBJECTS | EITHER

# The speaker may be one or many: "I pray" and "we pray" are the same person here.
_FORMS = {
    FIRST: "I|me|my|mine|myself|we|us|our|ours|ourselves|methinks|im|ive|let['’]s",
    SECOND: "you|your|yours|yourself|yourselves|thou|thee|thy|thine|thyself|ye|u|ur|"
    "y['’]?all",
    HE: "he|him|his|himself",
    SHE: "she|her|hers|herself",
}
_PATTERNS = {
    person: regex.compile(rf"\b(?:{forms})\b", regex.IGNORECASE)
    for person, forms in _FORMS.items()
}
# Said to keep a listener, of nobody in particular.
_FILLER = regex.compile(
    r"\b(?:(?:as )?you (?:know|see)|thou know['’]?e?st|I mean|I (?:pray|beseech) "
    r"(?:you|thee)|prithee|thank you)\b",
    regex.IGNORECASE,
)


def find_persons(text: str) -> frozenset[str]:
    """Return the speaker, the listener, a man and a woman, as far as they are named.

    Fillers such as "you know" name nobody.
    """
    said = _FILLER.sub(" ", text)
    return frozenset(p for p, pattern in _PATTERNS.items() if pattern.search(said))
