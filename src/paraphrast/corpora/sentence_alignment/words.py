"""Split a sentence into the words that alignment counts and compares.

As in Moore's program, words end at white space, hyphens, underscores and opening
brackets; they are lower-cased and stripped of surrounding punctuation. A token of only
punctuation ("…") is kept.
"""

import re

_BREAK = re.compile(r"[\s(\-_]+")
_EDGES = re.compile(r"^\W+|\W+$")


def words(sentence: str) -> tuple[str, ...]:
    """Return the words of a sentence; a blank or dashed line has none."""
    tokens = [token.lower() for token in _BREAK.split(sentence) if token]
    return tuple(_EDGES.sub("", token) or token for token in tokens)
