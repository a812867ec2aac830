"""Surface features of a text: case, punctuation and spelling habits.

Uncased encoders do not see case, and formality is partly case and punctuation ("HEY!!"
against "Good morning."). These features are added if the surface should count, and left
out otherwise. All are from 0 to about 1 and defined for any string.
"""

import re
from collections.abc import Sequence

import numpy as np

from paraphrast.metrics.base import Matrix

_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_RUN = re.compile(r"([!?.])(?:\s?\1)+")
_MARK = re.compile(r"[^\w\s]", re.UNICODE)
_STRIPPED = re.compile(r"[^\w\s']|(?<!\w)'|'(?!\w)", re.UNICODE)

COUNT = 12


def features(texts: Sequence[str]) -> Matrix:
    """Return each text's surface features: (texts, COUNT)."""
    return np.array([_measure(text) for text in texts]).reshape(len(texts), COUNT)


def strip_surface(text: str) -> str:
    """Return the text in lower case and without punctuation except apostrophes."""
    return " ".join(_STRIPPED.sub(" ", text.lower().replace("’", "'")).split())


def _measure(text: str) -> list[float]:
    words = _WORD.findall(text)
    letters = sum(map(len, words)) or 1
    count = len(words) or 1
    characters = len(text.strip()) or 1
    last = text.strip()[-1:]
    return [
        sum(character.isupper() for character in text) / letters,
        float(bool(words) and words[0][0].isupper()),
        sum(word.isupper() and len(word) > 1 for word in words) / count,
        sum(word[0].isupper() for word in words) / count,
        min(1.0, text.count("!") / 3),
        min(1.0, text.count("?") / 3),
        min(1.0, len(_RUN.findall(text)) / 2),
        float(last in (".", "!", "?", ":", ";", '"', "'") and bool(last)),
        len(_MARK.findall(text)) / characters,
        float(" i " in f" {text} "),
        min(1.0, letters / count / 10),
        min(1.0, np.log1p(len(words)) / 5),
    ]
