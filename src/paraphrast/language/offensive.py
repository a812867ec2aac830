"""Find words that may offend, by a list of words and stems.

The list cannot know what is meant, and misses what is spelled in a new way: it keeps
the worst of what people write to each other from coming back as a rewrite, no more.
"""

import re
from functools import cache

from paraphrast.text.word_lists import read_rows


def find_offensive_words(text: str) -> list[str]:
    """Return the listed words of a text in small letters, each once, in order."""
    words = (match.group().lower() for match in _pattern().finditer(text))
    return list(dict.fromkeys(words))


@cache
def _pattern() -> re.Pattern[str]:
    stems = [
        re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "")
        for (word,) in read_rows("paraphrast.language", "offensive.txt")
    ]
    return re.compile(rf"\b(?:{'|'.join(stems)})\b", re.IGNORECASE)
