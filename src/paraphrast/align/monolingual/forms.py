"""What the aligner knows of a single word: its form, stem, class and letters.

Everything is lower-cased, because gold corpora are and users' text is not. The stem
joins spellings and inflections of one word by rules and a short list of irregular forms
(``went``, ``n't``); it need not be a word, only the same for both.
"""

import re
import zlib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from paraphrast.text.normalisation import STRAIGHT_QUOTES

LETTERS: Final = 8  # how many first and last letters are compared one by one
TRIGRAMS: Final = 96  # letter trigrams are hashed into so many numbers
KINDS: Final = ("mark", "number", "function", "content")

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int32]

_QUOTES = STRAIGHT_QUOTES | str.maketrans({"`": "'"})
_DASHES = re.compile(r"[-‐-―]+")
_VOWEL = re.compile(r"[aeiouy]")
_SUFFIXES = (
    # ending, what stays, how many letters must come before it
    ("'s", "", 1),
    ("iness", "y", 3),
    ("ness", "", 3),
    ("ations", "ate", 3),
    ("ation", "ate", 3),
    ("ments", "", 4),
    ("ment", "", 4),
    ("ies", "y", 2),
    ("ied", "y", 2),
    ("ily", "y", 3),
    ("ing", "", 3),
    ("ers", "", 3),
    ("er", "", 4),
    ("est", "", 4),
    ("ed", "", 3),
    ("ly", "", 3),
    ("ies", "y", 2),
    ("sses", "ss", 2),
    ("es", "", 3),
    ("s", "", 3),
)


@dataclass(frozen=True, slots=True)
class Form:
    """One word; ``first`` and ``last`` are codes of letters, 0 where there is none."""

    lower: str
    stem: str
    kind: int
    length: int
    first: Codes
    last: Codes
    trigrams: Floats


@lru_cache(maxsize=200_000)
def form(word: str) -> Form:
    """Return what can be derived from a word's letters alone."""
    lower = word.lower()
    codes = [ord(letter) for letter in lower]
    return Form(
        lower,
        stem(lower),
        KINDS.index(_kind(lower)),
        len(lower),
        _pad(codes[:LETTERS]),
        _pad(codes[::-1][:LETTERS]),
        _trigrams(lower),
    )


def stem(lower: str) -> str:
    """Return the stem that a word shares with its inflections and spellings."""
    plain = _DASHES.sub("-", lower.translate(_QUOTES))
    plain = {"''": '"', "n't": "not"}.get(plain, plain)
    irregular = _irregular().get(plain)
    if irregular:
        return irregular
    if not plain.isalpha() and "'" not in plain:
        return plain.replace(",", "") if plain[:1].isdigit() else plain
    for ending, stays, before in _SUFFIXES:
        if plain.endswith(ending) and _long_enough(plain, ending, before):
            return _tidy(plain.removesuffix(ending) + stays)
    return _tidy(plain)


def _long_enough(word: str, ending: str, before: int) -> bool:
    rest = word.removesuffix(ending)
    doubled = ending == "s" and rest.endswith(("s", "u", "i"))
    return len(rest) >= before and bool(_VOWEL.search(rest)) and not doubled


def _tidy(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]  # stopp(ed)
    word = word.replace("our", "or") if len(word) > 5 else word
    word = re.sub(r"is(e?|at|ate)$", r"iz\1", word) if len(word) > 5 else word
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 2 and word.endswith("y") else word


def _kind(lower: str) -> str:
    if not any(letter.isalnum() for letter in lower):
        return "mark"
    if any(letter.isdigit() for letter in lower):
        return "number"
    if lower in _word_set("numbers.txt"):
        return "number"
    return "function" if lower in _word_set("function_words.txt") else "content"


def _trigrams(lower: str) -> Floats:
    counts = np.zeros(TRIGRAMS, dtype=np.float32)
    inside = f"^{lower[:32]}$"
    for start in range(len(inside) - 2):
        counts[zlib.crc32(inside[start : start + 3].encode()) % TRIGRAMS] += 1
    norm = np.linalg.norm(counts)
    return counts / norm if norm else counts


def _pad(codes: list[int]) -> Codes:
    return np.array(codes + [0] * (LETTERS - len(codes)), dtype=np.int32)


@cache
def _word_set(name: str) -> frozenset[str]:
    return frozenset(_text(name).split())


@cache
def _irregular() -> dict[str, str]:
    rows = (line.split("\t") for line in _text("irregular.tsv").split("\n") if line)
    return {form: stem for stem, forms in rows for form in (stem, *forms.split())}


def _text(name: str) -> str:
    return (Path(__file__).parent / "data" / name).read_text("utf-8")
