"""Lexical similarity of texts by the rare character trigrams they share.

`HashedSimilarity` is a lightweight substitute for neural similarity: the cosine of two
sets of character trigrams, each weighted by its inverse document frequency. Trigrams
stay inside words (with one space on either side), so inflected forms, contractions and
compounds still match while word order does not matter. docs/filtering.md gives its
correlation with human ratings on the STS benchmark. It does not recognise synonyms.

A trigram is three symbols of six bits: space, 26 letters, 10 digits, and 27 that the
bytes of other characters are hashed into. Texts are processed in batches with numpy;
the score of a pair does not depend on the other pairs of its batch.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage import weights as storage

Keys: TypeAlias = NDArray[np.integer[Any]]  # 32-bit unsigned

_FORMAT = 1
_KIND = "hashed-similarity"
_FEATURES = 1 << 18
_BATCH = 1 << 8  # pairs per batch: what is sorted fits into the processor's cache
_SAMPLE = 1 << 12  # texts per batch when fitting; at most 8,192, see `_keys`
_BREAK = 255  # separates texts
_QUOTES = re.compile("['\u2018\u2019]")
_PUNCTUATION = re.compile("[\u00a0-\u00bf\u2000-\u206f\u3000-\u303f]")


def _symbols() -> bytes:
    table = bytearray(256)
    for value in range(26):
        table[ord("a") + value] = table[ord("A") + value] = 1 + value
    for value in range(10):
        table[ord("0") + value] = 27 + value
    for byte in range(128, 256):
        table[byte] = 37 + byte % 27
    table[ord("\n")] = _BREAK
    return bytes(table)


_SYMBOLS = _symbols()


@dataclass(frozen=True, eq=False)
class HashedSimilarity:
    """Cosine of idf-weighted character trigrams; every weight is 1 until fitted."""

    weights: NDArray[np.float64] = field(
        default_factory=lambda: np.ones(_FEATURES), repr=False
    )

    @classmethod
    def fit(cls, texts: Iterable[str]) -> Self:
        """Learn how rare each trigram is from texts like those to be compared."""
        counts = np.zeros(_FEATURES)
        total = 0
        for batch in _batches(texts, 2 * _SAMPLE):
            keys = _keys(batch)
            counts += np.bincount(_trigrams(keys), minlength=_FEATURES)
            total += len(batch)
        # Half a count keeps the weight of a trigram that every text has above 0.
        return cls(np.log((total + 1) / (counts + 0.5)))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        _, arrays = storage.load(path, _KIND)
        weights = arrays["weights"]
        if weights.shape != (_FEATURES,):
            raise ParaphrastError(
                f"{path}: expected {_FEATURES} weights, found shape {weights.shape}."
            )
        return cls(weights)

    def save(self, path: Path) -> None:
        """Write the weights; see `storage.weights`."""
        storage.save(path, _KIND, {}, {"weights": self.weights})

    @property
    def signature(self) -> str:
        """Return a short identifier that changes whenever a weight does."""
        digest = hashlib.sha256(self.weights.astype("<f8").tobytes()).hexdigest()
        return f"hashed-trigrams-{_FORMAT}-{digest[:12]}"

    def __call__(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return the similarity of each pair, 0 to 1: (pairs,).

        The similarity of two texts without a letter or digit is 1.
        """
        if len(sources) != len(targets):
            raise ParaphrastError(
                f"cannot compare {len(sources)} texts with {len(targets)}. "
                "Give as many on both sides."
            )
        squares = self.weights**2
        texts = [text for pair in zip(sources, targets, strict=True) for text in pair]
        scores = [
            _cosines(texts[start : start + 2 * _BATCH], squares)
            for start in range(0, len(texts), 2 * _BATCH)
        ]
        return np.concatenate(scores) if scores else np.zeros(0)

    def score(self, source: str, target: str) -> float:
        """Return the similarity of one pair."""
        return float(self([source], [target])[0])


def _cosines(texts: Sequence[str], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    # texts alternate between source and target; so do the squared lengths below
    keys = _keys(texts)
    weights = squares[_trigrams(keys)]
    lengths = np.bincount(_text(keys), weights, minlength=len(texts))
    both = np.flatnonzero((keys[:-1] ^ 1 == keys[1:]) & (keys[:-1] & 1 == 0))
    pairs = len(texts) // 2
    shared = np.bincount(keys[both] >> 19, weights[both], minlength=pairs)
    product = np.sqrt(lengths[0::2] * lengths[1::2])
    nothing = (lengths[0::2] == 0) & (lengths[1::2] == 0)
    scores = np.divide(shared, product, out=np.zeros(pairs), where=product > 0)
    scores[nothing] = 1.0
    return np.asarray(np.minimum(scores, 1.0))


def _keys(texts: Sequence[str]) -> Keys:
    """Return each text's distinct trigrams as pair (13 bits), trigram (18), side."""
    symbols = np.frombuffer(_encode_texts(texts), np.uint8)
    breaks = symbols == _BREAK
    text = np.cumsum(breaks, dtype=np.uint32)
    letters = np.where(breaks, 0, symbols).astype(np.uint32)
    keys = (letters[:-2] << 12) | (letters[1:-1] << 6) | letters[2:]
    keys <<= 1
    index = text[1:-1] - 1
    keys |= ((index >> 1) << 19) | (index & 1)
    keys = np.sort(keys[letters[1:-1] > 0])  # the middle is never a space
    distinct = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=distinct[1:])
    return np.asarray(keys[distinct])


def _trigrams(keys: Keys) -> Keys:
    return (keys >> 1) & (_FEATURES - 1)


def _text(keys: Keys) -> Keys:
    return ((keys >> 19) << 1) | (keys & 1)


def _encode_texts(texts: Sequence[str]) -> bytes:
    plain = [text if text.isascii() else _fold_case(text) for text in texts]
    joined = "\n".join(plain)
    if joined.count("\n") != len(texts) - 1:
        joined = "\n".join([text.replace("\n", " ") for text in plain])
    raw = f"\n{joined}\n".encode("utf-8", "surrogatepass")
    return raw.translate(_SYMBOLS, b"'")


def _fold_case(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).lower()
    return _PUNCTUATION.sub(" ", _QUOTES.sub("", folded))


def _batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    iterator = iter(texts)
    while batch := list(islice(iterator, size)):
        yield batch
