"""The tokens that n-gram metrics count, by sacrebleu's tokenisers."""

from functools import cache
from typing import Any, Literal, TypeAlias

from sacrebleu.metrics.bleu import BLEU

Tokenizer: TypeAlias = Literal["13a", "intl", "char", "none"]


def tokenised(text: str, *, tokenize: Tokenizer, lowercase: bool) -> list[str]:
    """Cut a text into tokens; ``none`` takes it to be tokenised already."""
    text = text.lower() if lowercase else text
    tokens: list[str] = _tokenizer(tokenize)(text.rstrip()).split()
    return tokens


@cache
def _tokenizer(name: Tokenizer) -> Any:
    return BLEU(tokenize=name).tokenizer
