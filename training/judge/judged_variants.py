"""Variants of the sentences that people judged, for a teacher to label.

A small student of few judged sentences learns the sentences. A word is replaced by one
that followed the word before it elsewhere, or left out, put in, or moved; some variants
are as good as before and some are not, and the teacher says which (TinyBERT, Jiao et
al. 2020, distils on such text).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.training.examples import LONGEST, Table

EACH = {"cola": 6, "gug": 12, "pt16": 3, "squinky": 3}  # variants of a sentence
NEIGHBOURS = ("cola", "gug", "pt16", "squinky", "sts", "wide", "versions")
_CHANGES = (1, 1, 2, 3)

Word = tuple[int, ...]


class Varier:
    """Changes words by the bigrams of ``texts``."""

    def __init__(
        self, texts: Iterable[NDArray[np.int64]], continues: Sequence[bool]
    ) -> None:
        """Count neighbours; ``continues`` tells which tokens continue a word."""
        self._continues = continues
        self._after: dict[Word, list[Word]] = defaultdict(list)
        for text in texts:
            words = self.split(text)
            for one, other in zip(words, words[1:], strict=False):
                self._after[one].append(other)

    def split(self, text: NDArray[np.int64]) -> list[Word]:
        """Return the words of a text, each as its tokens."""
        words: list[Word] = []
        for token in text.tolist():
            if words and self._continues[token]:
                words[-1] = (*words[-1], token)
            else:
                words.append((token,))
        return words

    def vary(self, text: NDArray[np.int64], draw: random.Random) -> NDArray[np.int64]:
        """Return the text with one or a few words changed."""
        words = self.split(text)
        for _ in range(draw.choice(_CHANGES)):
            self._change(words, draw)
        tokens = [token for word in words for token in word]
        return np.array(tokens[:LONGEST], np.int64)

    def _change(self, words: list[Word], draw: random.Random) -> None:
        if len(words) < 3:
            return
        at = draw.randrange(1, len(words))
        chance = draw.random()
        followers = self._after.get(words[at - 1])
        if chance < 0.5 and followers:
            words[at] = draw.choice(followers)
        elif chance < 0.65 and followers:
            words.insert(at, draw.choice(followers))
        elif chance < 0.8:
            del words[at]
        else:
            words.insert(draw.randrange(len(words)), words.pop(at))


def vary_tables(
    tables: dict[str, Table], vocabulary: Sequence[str]
) -> dict[str, Table]:
    """Return a table ``NAME_varied`` of each table of judged sentences."""
    draw = random.Random(16)
    continues = [token.startswith("##") for token in vocabulary]
    neighbours = (text for name in NEIGHBOURS for text in tables[name].texts)
    varier = Varier(neighbours, continues)
    result = {}
    for name, each in EACH.items():
        texts = [varier.vary(t, draw) for t in tables[name].texts for _ in range(each)]
        result[f"{name}_varied"] = Table(texts, np.zeros(len(texts), np.float32))
    return result
