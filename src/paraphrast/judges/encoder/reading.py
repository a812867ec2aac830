"""Read texts with an encoder and its heads, each text once.

ACC, SIM and FL of an output use the same states; a reader caches the states of its last
texts, pooled states for longer than those of single tokens. Text without a letter or
digit, mostly in a non-Latin script, or mostly of characters that are not in the
vocabulary, is not read: `Reader.readable` says so, and the models that use a reader
define its values.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.running import Encoder, Single, pool_texts

Key: TypeAlias = tuple[int, ...]

_REMEMBERED = 8192  # texts
_TOKENS = 65_536  # whose states are remembered, of the texts read last
_KNOWN = 0.5  # share of letters that must be Latin, and of tokens that must be known
_MOST = 20_000  # characters of a text that are read


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, and their states window by window, in 16 bits."""

    ids: list[int]
    states: list[NDArray[np.float16]]

    def joined(self) -> Single:
        """Return all states in the order of the tokens: (tokens, hidden)."""
        return np.concatenate(self.states).astype(np.float32)


class Tokenizer(Protocol):
    """Encodes text."""

    @property
    def unknown(self) -> int:
        """Return the id of the unknown token."""

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's tokens, without start and end tokens."""


@dataclass(eq=False)
class Reader:
    """An encoder, its vocabulary and its heads; ``signature`` names them all.

    With ``keeps_tokens`` the states of tokens are cached beside the pooled ones.
    """

    encoder: Encoder
    tokenizer: Tokenizer
    heads: Heads
    signature: str
    start: int
    end: int
    keeps_tokens: bool = False
    _seen: "OrderedDict[Key, Single]" = field(default_factory=OrderedDict)
    _tokens: "OrderedDict[Key, Tokens]" = field(default_factory=OrderedDict)

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
            rows, _ = self._read(new, kept=_latest(new) if self.keeps_tokens else ())
            states |= dict(zip(new, rows, strict=True))
        rows_of_texts = [states[key] for key in keys]
        return np.array(rows_of_texts, np.float32).reshape(
            len(texts), 2 * self.encoder.hidden
        )

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return each text's tokens and their states; none for what cannot be read."""
        keys = [self._ids(text) for text in texts]
        found = {key: self._tokens[key] for key in keys if key in self._tokens}
        new = [key for key in dict.fromkeys(keys) if key not in found]
        if new:
            found |= self._read(new, kept=new)[1]
        return [found[key] for key in keys]

    def _read(
        self, keys: Sequence[Key], *, kept: Sequence[Key]
    ) -> tuple[Single, dict[Key, Tokens]]:
        """Return pooled states of texts, and tokens of those kept; remember both."""
        none = np.zeros((0, self.encoder.hidden), np.float16)
        tokens = {key: Tokens([], [none]) for key in kept}

        def keep(text: int, ids: Sequence[int], states: Single) -> None:
            if own := tokens.get(keys[text]):
                own.ids.extend(ids)
                own.states.append(states.astype(np.float16))

        batch = [list(key) for key in keys]
        rows = pool_texts(
            self.encoder, batch, start=self.start, end=self.end, keep=keep
        )
        self._seen.update(zip(keys, rows, strict=True))
        self._tokens.update(tokens)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        held = list(self._tokens)
        for key in held[: len(held) - len(_latest(held))]:
            del self._tokens[key]
        return rows, tokens

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


def _latest(keys: Sequence[Key]) -> list[Key]:
    """Return the last of these texts, as many as a reader remembers the tokens of."""
    held = accumulate(len(key) for key in reversed(keys))
    count = sum(1 for _ in takewhile(lambda tokens: tokens <= _TOKENS, held))
    return list(keys[len(keys) - count :])


def _is_latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter <= "\u1eff"
