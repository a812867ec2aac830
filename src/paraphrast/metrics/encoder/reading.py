"""Read texts with an encoder and its heads, each text once.

ACC, SIM and FL of one output ask for the same states; a reader remembers the states of
the texts that it read last. What has no letter or digit, or is mostly in a script that
the vocabulary does not know, is not read: `Reader.readable` says so, and the models
that use a reader give such text values of their own.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.encoder.heads import Heads
from paraphrast.metrics.encoder.running import Encoder, Ids, Single, pooled
from paraphrast.metrics.encoder.wordpiece import WordPiece

_REMEMBERED = 8192  # texts
_KNOWN = 0.5  # share of pieces that must be known
_MOST = 20_000  # characters of a text that are read


@dataclass(eq=False)
class Reader:
    """An encoder, its vocabulary and its heads; ``signature`` names them all."""

    encoder: Encoder
    pieces: WordPiece
    heads: Heads
    signature: str
    start: int
    end: int
    shift: int = 0
    _seen: "OrderedDict[str, Single]" = field(default_factory=OrderedDict)

    def readable(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Say which texts can be read: letters or digits, in a known script."""
        return np.array([self._readable(text) for text in texts], dtype=bool)

    def pooled(self, texts: Sequence[str]) -> Single:
        """Return each text's pooled states; zeros for what cannot be read."""
        new = [text for text in dict.fromkeys(texts) if text not in self._seen]
        known = {t: self._seen[t] for t in texts if t in self._seen}
        if new:
            ids = [self._ids(text) for text in new]
            rows = pooled(self.encoder, ids, start=self.start, end=self.end)
            known |= dict(zip(new, rows, strict=True))
            self._remember(new, rows)
        size = 2 * self.encoder.hidden
        found = [known[text] for text in texts]
        return np.array(found, np.float32).reshape(len(texts), size)

    def _remember(self, texts: Sequence[str], rows: Single) -> None:
        for text, row in zip(texts, rows, strict=True):
            self._seen[text] = row
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)

    def _ids(self, text: str) -> Ids:
        if not self._readable(text):
            return []
        found = self.pieces.ids(text[:_MOST])
        return [number + self.shift for number in found] if self.shift else found

    def _readable(self, text: str) -> bool:
        if not any(character.isalnum() for character in text):
            return False
        found = self.pieces.ids(text[:_MOST])
        unknown = found.count(self.pieces.id("[UNK]"))
        return unknown <= _KNOWN * len(found)
