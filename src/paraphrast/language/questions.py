"""The mood of a text: a question, a request or a statement."""

import regex

from paraphrast.language.sentence import Sentence

_FINAL = ".!?"
_ASKS = regex.compile(r"\?['\"”’)]*\s*\Z")
_TELLS = regex.compile(r"\.['\"”’)]*\s*\Z")
_INDIRECT = regex.compile(
    r"\b(?:ask|wonder|whether|tell me|pray|know)", regex.IGNORECASE
)
# A clause that begins as questions do, which talk may leave without a mark.
_QUESTION_ORDER = regex.compile(
    r"(?:\A|[.,;:!?…])\W*(?:(?:and|but|so|well|then|hey|uh|um|you know)\b\W*)*"
    r"(?:who|whose|whom|what|which|where|when|why|how|is|are|am|was|were|do|does|did|"
    r"have|has|had|can|could|will|would|shall|should|may|might|must)(?:\b|n['’]t)",
    regex.IGNORECASE,
)
_PLEASE = regex.compile(r"\bplease(?!d)\b", regex.IGNORECASE)
_ABOUT_SPEAKER = regex.compile(
    r"\W*(?:(?:and|well|uh|so)\W+)*(?:I|we)\b(?! (?:would |must |do )?"
    r"(?:pray|beg|beseech|ask|entreat|request|want you|like you))",
    regex.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Say whether a text ends with a question mark."""
    return bool(_ASKS.search(text))


def is_statement(text: str) -> bool:
    """Say whether a text ends with a full stop."""
    return bool(_TELLS.search(text))


def asks_indirectly(text: str) -> bool:
    """Say whether a text speaks of asking or of knowing whether."""
    return bool(_INDIRECT.search(text))


def has_question_order(text: str) -> bool:
    """Say whether a clause begins as questions do, with a mark at its end or not."""
    return bool(_QUESTION_ORDER.search(text))


def is_request(text: str) -> bool:
    """Say whether a text asks somebody to do something: it says "please"."""
    return bool(_PLEASE.search(text))


def is_about_speaker(text: str) -> bool:
    """Say whether a text begins by telling what the speaker does, asking nothing."""
    return bool(_ABOUT_SPEAKER.match(text))


def find_final_mark(sentence: Sentence) -> str:
    """Return the last sign of a text if it ends a sentence, or nothing."""
    for word in reversed(sentence.words):
        if word.text in _FINAL:
            return word.text
        if word.text[0].isalnum():
            return ""
    return ""
