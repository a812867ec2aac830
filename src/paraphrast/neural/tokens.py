"""The pieces of neural models; judges cut text into them, too: see `text.pieces`."""

from paraphrast.text.pieces import (
    FILE,
    GPT2_WORDS,
    LONGEST_WORD,
    REMEMBERED,
    SPACE,
    UNKNOWN_PENALTY,
    Tokenizer,
    load,
)

__all__ = [
    "FILE",
    "GPT2_WORDS",
    "LONGEST_WORD",
    "REMEMBERED",
    "SPACE",
    "UNKNOWN_PENALTY",
    "Tokenizer",
    "load",
]
