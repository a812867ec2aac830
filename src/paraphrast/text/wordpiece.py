"""WordPiece: text to the token ids of an uncased BERT (Devlin et al., 2019).

The tokens are those of the library `tokenizers` for BERT's uncased vocabulary, without
that library: an encoder must run with only numpy and CTranslate2. Any string has
tokens; text in a script that the vocabulary lacks becomes unknown tokens. An encoder
with byte-level tokens (SmolLM2, Llama 3, GPT-2) covers any text.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import regex

from paraphrast.errors import ParaphrastError
from paraphrast.text import subwords

_LONGEST_WORD = 100  # characters; a longer word is one unknown token, as in BERT
_REMEMBERED = 50_000  # words
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
# A punctuation mark, or a run of the rest; BERT counts these symbols as punctuation.
_WORD = regex.compile(r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+")


class WordPiece:
    """Splits text into tokens of a vocabulary, longest match first.

    ``tokens`` is the vocabulary in the order of the ids. A token that continues a
    word begins with ``##``.
    """

    def __init__(self, tokens: Sequence[str], *, unknown: str = "[UNK]") -> None:
        """Index the vocabulary."""
        self.tokens = tuple(tokens)
        self._ids = {token: number for number, token in enumerate(self.tokens)}
        if unknown not in self._ids:
            raise ParaphrastError(
                f"the vocabulary has no token {unknown!r} for unknown words. "
                "Use the vocabulary that the encoder was trained with."
            )
        self.unknown = self._ids[unknown]
        self._word = lru_cache(maxsize=_REMEMBERED)(self._split_word)

    def __len__(self) -> int:
        """Return the size of the vocabulary."""
        return len(self.tokens)

    def id(self, token: str) -> int:
        """Return the id of a token."""
        if token not in self._ids:
            raise ParaphrastError(f"the vocabulary has no token {token!r}.")
        return self._ids[token]

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's tokens, without marks of start or end."""
        ids: list[int] = []
        for word in words(text):
            ids += self._word(word)
        return ids

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self.unknown,)
        ids = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                token = word[start:end] if start == 0 else f"##{word[start:end]}"
                if token in self._ids:
                    ids.append(self._ids[token])
                    start = end
                    break
            else:
                return (self.unknown,)
        return tuple(ids)


class ByteLevelTokenizer:
    """Encodes text with the ``tokenizer.json`` of an encoder's folder."""

    unknown = -1  # none: every byte is known

    def __init__(self, folder: Path) -> None:
        """Read the table of merges."""
        self._tokenizer = subwords.load(folder)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's tokens, without marks of start or end."""
        return self._tokenizer.ids(self._tokenizer.encode(text))


def words(text: str) -> list[str]:
    """Split text into lower-case words without accents, and punctuation marks."""
    # Most text is ASCII, where the slow steps would change only case.
    plain = text.lower() if text.isascii() else _bare(_space_ideographs(text))
    return list(_WORD.findall(plain if plain.isprintable() else _clean(plain)))


def _clean(text: str) -> str:
    return "".join(_clean_characters(text))


def _clean_characters(text: str) -> Iterable[str]:
    for character in text:
        if character in "\t\n\r" or unicodedata.category(character) == "Zs":
            yield " "
        elif character not in "\x00\ufffd" and not _is_control(character):
            yield character


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Co")


def _space_ideographs(text: str) -> str:
    return "".join(f" {c} " if _is_ideograph(ord(c)) else c for c in text)


def _is_ideograph(point: int) -> bool:
    return any(first <= point <= last for first, last in _IDEOGRAPHS)


def _bare(text: str) -> str:
    # BERT cleans before lower-casing: a control character may split off an accent.
    decomposed = unicodedata.normalize("NFD", _clean(text))
    kept = (c for c in decomposed if unicodedata.category(c) != "Mn")
    return "".join(kept).lower()
