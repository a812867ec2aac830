"""Capitalise the first word of each sentence.

A full stop after an abbreviation or a single letter does not end a sentence, and what
follows "..." at the start continues a sentence.
"""

from paraphrast.rules.draft import Draft, capitalise
from paraphrast.rules.tokens import (
    FIXED,
    GONE,
    MARK,
    OTHER,
    SPACE,
    WORD,
    Token,
    is_free,
)

_ENDS = frozenset({".", "!", "?"})


def begin(draft: Draft) -> None:
    """Capitalise the first word, and each word that follows the end of a sentence."""
    state = "start"  # then "inside", "ended" (a mark), "next" (a mark and a space)
    word = ""
    abbreviations = draft.lexicon.classes["abbreviation"]
    for index, token in enumerate(draft.tokens):
        kind = token.kind
        if kind == SPACE:
            if state == "ended":
                state = "next"
        elif kind == WORD:
            if state != "inside":
                if state != "ended":
                    _capitalise(draft, index)
                state = "inside"
            word = token.low
        elif kind == MARK:
            abbreviated = len(word) == 1 or word in abbreviations
            state = _after_mark(token, state, abbreviated=abbreviated)
        elif kind != GONE:
            state = _after_other(token, state)


def _after_mark(token: Token, state: str, *, abbreviated: bool) -> str:
    """Return the state after a mark; a leading ellipsis continues a sentence."""
    if state == "start":
        return "inside" if token.text.startswith(("...", "…")) else state
    ends = token.text.rstrip() in _ENDS and not (token.text == "." and abbreviated)
    return "ended" if ends else "inside"


def _after_other(token: Token, state: str) -> str:
    """Return the state after another token; before the first word, marks keep it."""
    quiet = token.kind == OTHER or token.span_kind == "markdown"
    if state == "start" and quiet:
        return state
    if token.kind == FIXED and token.span_kind == "markdown":
        return state
    return "inside"


def _capitalise(draft: Draft, index: int) -> None:
    token = draft.tokens[index]
    if not token.text[:1].islower() or not is_free(draft.tokens, index):
        return
    word = token.text.split("'", 1)[0].split(" ", 1)[0]
    if word == word.lower():
        token.become(capitalise(token.text), "capital")
