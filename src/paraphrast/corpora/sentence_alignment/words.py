"""Cut a sentence into the words that alignment counts and compares.

As Moore does, words end at white space, hyphens, underscores and opening brackets;
they are in lower case and lose the punctuation around them. A piece of nothing but
punctuation ("…") stays as it is.
"""

import re

_BREAK = re.compile(r"[\s(\-_]+")
_EDGES = re.compile(r"^\W+|\W+$")


def words(sentence: str) -> tuple[str, ...]:
    """Return the words of a sentence; a blank or dashed line has none."""
    pieces = [piece.lower() for piece in _BREAK.split(sentence) if piece]
    return tuple(_EDGES.sub("", piece) or piece for piece in pieces)
