"""The tokens that n-gram metrics count, by sacrebleu's tokenisers."""

from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

from paraphrast.extras import require

Tokenizer: TypeAlias = Literal["13a", "intl", "char", "none"]


def tokenise_text(text: str, *, tokenize: Tokenizer, lowercase: bool) -> list[str]:
    """Split a text into tokens; ``none`` means that it is tokenised already."""
    text = text.lower() if lowercase else text
    if tokenize == "none":
        return text.split()
    if tokenize == "13a" and "\n" not in text:
        # Its rules look no further than the next character and take a space for
        # any other mark, so that each word can be cut by itself, and only once.
        return [token for word in text.split() for token in _split(word)]
    tokens: list[str] = _tokenizer(tokenize)(text.rstrip()).split()
    return tokens


@lru_cache(maxsize=2**16)
def _split(word: str) -> tuple[str, ...]:
    return tuple(_tokenizer("13a")(word).split())


@cache
def _tokenizer(name: Tokenizer) -> Any:
    return require("sacrebleu.metrics.bleu").BLEU(tokenize=name).tokenizer
