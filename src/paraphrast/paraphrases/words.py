"""Cut the sentences of a paraphrase corpus into words, in lower case.

English words are Moses's, as everywhere here; in another language an apostrophe ends
a word (``l' élection``). Both repair the quotation marks that Europarl has instead
of apostrophes (``Parliament"s``).
"""

import re

from paraphrast.text.normalisation import straighten
from paraphrast.text.tokens import tokenise

_LOST_APOSTROPHE = re.compile(r'(?<=\w)"(?=\w)')
_FOREIGN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:-\w+)*'?|\S")


def english_words(text: str) -> list[str]:
    """Return the words of an English sentence."""
    return tokenise(_normalise(text))


def foreign_words(text: str) -> list[str]:
    """Return the words of a sentence in another European language."""
    return _FOREIGN.findall(_normalise(text))


def _normalise(text: str) -> str:
    straight = straighten(text.lower())
    return _LOST_APOSTROPHE.sub("'", straight) if '"' in straight else straight
