"""The words that models of style and fluency see.

Quotes are straightened, case is folded, and apostrophes begin a new word, so that
``Wasn’t``, ``wasn't`` and the already tokenised ``wasn 't`` are the same two words.
A judge must not distinguish systems by the spacing of their output. Trained models
depend on these words: changing them needs a new format number in `weights`.
"""

import regex

from paraphrast.text.normalisation import STRAIGHT_QUOTES

STRAIGHT = STRAIGHT_QUOTES | str.maketrans(
    {
        "`": "'",
        **dict.fromkeys("‐‑−", "-"),
        **dict.fromkeys("–—―", " - "),
        "…": "...",
    }
)

_WORD = regex.compile(r"'?[\p{L}\p{M}]+|\p{N}+|\.{2,}|\S")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, whatever its spacing."""
    return list(_WORD.findall(text.translate(STRAIGHT).lower()))
