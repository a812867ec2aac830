"""Subword tokens of neural models: encode a text, decode tokens.

`load` reads a Hugging Face ``tokenizer.json`` of one of two kinds: Unigram (T5, Marian)
or byte-level BPE (GPT-2, Llama 3, SmolLM2). Both encode each word independently, so
that words are cached and most of a text is looked up. A text is always plain text: the
names of special tokens in it (``</s>``, ``<|im_end|>``) are encoded like other words.

Training and rewriting both use this module, so that a model sees the same tokens in
both. Texts are encoded as if inside a line: their first word has a space before it.
The library ``tokenizers`` gives the same tokens (a test compares them); it is not a
dependency because it would add an HTTP client and make the core 42 MB larger.
"""

import math
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import regex

from paraphrast.errors import ParaphrastError
from paraphrast.storage.sealed_folder import read_json

FILE = "tokenizer.json"
SPACE = "▁"
CACHED = 1 << 16  # words
LONGEST_WORD = 256  # characters; longer words are split into slices
UNKNOWN_PENALTY = 10.0
GPT2_WORDS = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)


class _Algorithm(Protocol):
    """An algorithm that splits words into tokens and joins tokens."""

    def words(self, text: str) -> Iterator[str]: ...

    def split(self, word: str) -> list[str]: ...

    def join(self, tokens: Sequence[str]) -> str: ...


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """Encodes and decodes; ``vocabulary`` has ids, ``special`` tokens are not text."""

    vocabulary: Mapping[str, int]
    special: frozenset[str]
    unknown: int
    algorithm: _Algorithm = field(repr=False)
    _split: Callable[[str], list[str]] = field(repr=False)

    def encode(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return [
            token
            for word in self.algorithm.words(text)
            for start in range(0, len(word), LONGEST_WORD)
            for token in self._split(word[start : start + LONGEST_WORD])
        ]

    def decode(self, tokens: Sequence[str]) -> str:
        """Return the text of tokens; special ones are left out."""
        return self.algorithm.join([p for p in tokens if p not in self.special]).strip()

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of tokens; an unknown token has the id of ``unknown``."""
        return [self.vocabulary.get(token, self.unknown) for token in tokens]

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Return the tokens with these ids."""
        return [self._token_of.get(number, "") for number in ids]

    @cached_property
    def _token_of(self) -> Mapping[int, str]:
        return {number: token for token, number in self.vocabulary.items()}


def load(path: Path) -> Tokenizer:
    """Read a ``tokenizer.json``, given by its path or its folder."""
    path = path / FILE if path.is_dir() else path
    table = read_json(path, advice=f"A model's folder needs its {FILE}.")
    try:
        return _build(table)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ParaphrastError(
            f"{path} is not a tokenizer this version reads ({error!r}). It reads "
            "Unigram and byte-level BPE."
        ) from error


def _build(table: Mapping[str, Any]) -> Tokenizer:
    model, added = table["model"], table.get("added_tokens") or []
    extra = {token["content"]: int(token["id"]) for token in added}
    special = frozenset(t["content"] for t in added if t.get("special", True))
    kind = model.get("type") or ("BPE" if "merges" in model else "Unigram")
    algorithm: _Algorithm
    if kind == "Unigram":
        scores = {token: float(score) for token, score in model["vocab"]}
        vocabulary = {token: i for i, (token, _) in enumerate(model["vocab"])}
        algorithm = _Unigram({p: s for p, s in scores.items() if p not in extra})
        unknown = model.get("unk_id") or 0
    elif kind == "BPE" and _is_byte_level(table):
        vocabulary = {token: int(number) for token, number in model["vocab"].items()}
        whole = vocabulary if model.get("ignore_merges") else {}
        algorithm = _ByteLevel(_ranks(model["merges"]), whole, _splits(table))
        unknown = vocabulary.get(model.get("unk_token") or "", 0)
    else:
        raise TypeError(kind)
    return Tokenizer(
        vocabulary | extra,
        special,
        unknown,
        algorithm,
        lru_cache(maxsize=CACHED)(algorithm.split),
    )


class _Unigram:
    """The most probable tokens of every word, each word with its space before it."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores
        self._longest = max(map(len, scores), default=1)
        self._penalty = min(scores.values(), default=0.0) - UNKNOWN_PENALTY

    def words(self, text: str) -> Iterator[str]:
        return (SPACE + word for word in unicodedata.normalize("NFKC", text).split())

    def split(self, word: str) -> list[str]:
        best = [0.0] + [-math.inf] * len(word)
        cut = [0] * (len(word) + 1)
        for start in range(len(word)):
            self._extend(word, start, best, cut)
        parts: list[tuple[str, bool]] = []
        end = len(word)
        while end:
            token = word[cut[end] : end]
            parts.append((token, token in self._scores))
            end = cut[end]
        return _fuse_unknown(parts[::-1])

    def _extend(self, word: str, start: int, best: list[float], cut: list[int]) -> None:
        """Extend the best path to ``start`` by every token that begins there."""
        last = min(len(word), start + self._longest)
        for end in range(start + 1, last + 1):
            score = self._scores.get(word[start:end])
            if score is None:
                if end > start + 1:
                    continue
                score = self._penalty
            if best[start] + score > best[end]:
                best[end], cut[end] = best[start] + score, start

    def join(self, tokens: Sequence[str]) -> str:
        return "".join(tokens).replace(SPACE, " ")


def _fuse_unknown(tokens: Sequence[tuple[str, bool]]) -> list[str]:
    """Join adjacent unknown tokens."""
    fused: list[str] = []
    before = True
    for token, seen in tokens:
        if seen or before:
            fused.append(token)
        else:
            fused[-1] += token
        before = seen
    return fused


class _ByteLevel:
    """Merges of bytes, in the order in which they were learned."""

    def __init__(
        self,
        ranks: Mapping[tuple[str, str], int],
        whole: Container[str],
        splits: Sequence[Any],
    ) -> None:
        self._ranks = ranks
        self._whole = whole  # words that need no merges
        self._splits = splits

    def words(self, text: str) -> Iterator[str]:
        words = [text if text[:1].isspace() else f" {text}"] if text else []
        for pattern in self._splits:
            words = [part for word in words for part in _split_at(pattern, word)]
        return iter(words)

    def split(self, word: str) -> list[str]:
        parts = [_SIGN_OF[byte] for byte in word.encode("utf-8", "replace")]
        whole = "".join(parts)
        if whole in self._whole:
            return [whole]
        while len(parts) > 1:
            pairs = zip(parts, parts[1:], strict=False)
            rank, index = min(
                (self._ranks.get(pair, math.inf), i) for i, pair in enumerate(pairs)
            )
            if rank == math.inf:
                break
            parts[index : index + 2] = [parts[index] + parts[index + 1]]
        return parts

    def join(self, tokens: Sequence[str]) -> str:
        signs = "".join(tokens)
        return bytes(_BYTE_OF[s] for s in signs if s in _BYTE_OF).decode(
            "utf-8", "replace"
        )


def _split_at(pattern: Any, text: str) -> Iterator[str]:
    """Yield the matches of a pattern and the text between them."""
    position = 0
    for match in pattern.finditer(text):
        if match.start() > position:
            yield text[position : match.start()]
        if match.end() > match.start():
            yield match.group()
        position = max(position, match.end())
    if position < len(text):
        yield text[position:]


def _ranks(merges: Sequence[Any]) -> dict[tuple[str, str], int]:
    pairs = (m.split(" ", 1) if isinstance(m, str) else m for m in merges)
    return {(left, right): rank for rank, (left, right) in enumerate(pairs)}


def _is_byte_level(table: Mapping[str, Any]) -> bool:
    return any(step.get("type") == "ByteLevel" for step in _steps(table))


def _steps(table: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    before = table.get("pre_tokenizer") or {}
    steps: list[Mapping[str, Any]] = before.get("pretokenizers", [before])
    return [step for step in steps if step]


def _splits(table: Mapping[str, Any]) -> list[Any]:
    """Return the patterns that separate words, in their order."""
    patterns = []
    for step in _steps(table):
        if step["type"] == "Digits":
            number = r"\p{N}" if step.get("individual_digits") else r"\p{N}+"
            patterns.append(regex.compile(number))
        elif step["type"] == "Split":
            given = step["pattern"]
            pattern = given.get("Regex") or regex.escape(given["String"])
            patterns.append(regex.compile(pattern))
        elif step["type"] == "ByteLevel" and step.get("use_regex", True):
            patterns.append(regex.compile(GPT2_WORDS))
    return patterns


def _signs() -> dict[int, str]:
    """Return a visible character for each byte, as GPT-2 chose them."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {
        byte: chr(256 + number) for number, byte in enumerate(others)
    }


_SIGN_OF = _signs()
_BYTE_OF = {sign: byte for byte, sign in _SIGN_OF.items()}
