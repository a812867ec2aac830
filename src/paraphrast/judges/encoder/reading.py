"""Read texts with an encoder and its heads, each text once.

ACC, SIM and FL of an output use the same states; a reader caches the states of its last
texts. Text without a letter or digit, mostly in a non-Latin script, or mostly of
characters that are not in the vocabulary, is not read: `Reader.readable` says so, and
the models that use a reader define its values.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.running import Encoder, Single, pool_texts

Key: TypeAlias = tuple[int, ...]

_REMEMBERED = 8192  # texts
_KNOWN = 0.5  # share of letters that must be Latin, and of tokens that must be known
_MOST = 20_000  # characters of a text that are read


class Tokenizer(Protocol):
    """Encodes text."""

    @property
    def unknown(self) -> int:
        """Return the id of the unknown token."""

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's tokens, without start and end tokens."""


@dataclass(eq=False)
class Reader:
    """An encoder, its vocabulary and its heads; ``signature`` names them all."""

    encoder: Encoder
    tokenizer: Tokenizer
    heads: Heads
    signature: str
    start: int
    end: int
    _seen: "OrderedDict[Key, Single]" = field(default_factory=OrderedDict)

    def readable(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Say which texts can be read: letters or digits, in a known script."""
        return np.array([self._readable(text) for text in texts], dtype=bool)

    def pool(self, texts: Sequence[str]) -> Single:
        """Return each text's pooled states; zeros for what cannot be read."""
        # Texts that differ in case or spacing alone are the same tokens: read once.
        keys = [self._ids(text) for text in texts]
        states = {key: self._seen[key] for key in keys if key in self._seen}
        new = [key for key in dict.fromkeys(keys) if key not in states]
        if new:
            batch = [list(key) for key in new]
            rows = pool_texts(self.encoder, batch, start=self.start, end=self.end)
            states |= dict(zip(new, rows, strict=True))
            self._remember(new, rows)
        rows_of_texts = [states[key] for key in keys]
        return np.array(rows_of_texts, np.float32).reshape(
            len(texts), 2 * self.encoder.hidden
        )

    def _remember(self, keys: Sequence[Key], rows: Single) -> None:
        for key, row in zip(keys, rows, strict=True):
            self._seen[key] = row
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)

    def _ids(self, text: str) -> Key:
        if not self._readable(text):
            return ()
        return tuple(self.tokenizer.ids(text[:_MOST]))

    def _readable(self, text: str) -> bool:
        if not text.isascii():
            letters = [character for character in text if character.isalpha()]
            if sum(map(_is_latin, letters)) < _KNOWN * len(letters):
                return False
        if not any(map(str.isalnum, text)):
            return False
        ids = self.tokenizer.ids(text[:_MOST])
        unknown = ids.count(self.tokenizer.unknown)
        return unknown <= _KNOWN * len(ids)


def _is_latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter <= "\u1eff"
