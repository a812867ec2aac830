"""Rewrite the texts of a column: one result each, in order."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

import paraphrast
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting import offers
from paraphrast.rewriting.document import DocumentRewriter


class Loaded(Protocol):
    """A rewriter that `paraphrast.load` or `Client.load` has loaded."""

    def rewrite(
        self, texts: Iterable[str], *, seed: int, protect: Iterable[str]
    ) -> list[Rewrite]:
        """Return a rewrite for each text."""
        ...


@dataclass(frozen=True)
class TextRewriter:
    """A rewriter described by the settings of `paraphrast.load`.

    It can be pickled: models are loaded where they are first used.
    """

    to: str | None = None
    using: str | None = None
    pack: str | None = None
    strength: float | None = None
    seed: int = 1
    protect: tuple[str, ...] = ()

    def rewrite(self, texts: Iterable[object]) -> list[Rewrite | None]:
        """Return a rewrite for each text, and None for each that is missing."""
        return rewrite_texts(self.loaded, texts, seed=self.seed, protect=self.protect)

    @cached_property
    def loaded(self) -> DocumentRewriter:
        """Return the rewriter, with its models."""
        return paraphrast.load(
            self.to, using=self.using, pack=self.pack, strength=self.strength
        )

    @cached_property
    def identity(self) -> str:
        """Return a hash that changes with the settings, the models and our version."""
        packs = offers.identify_packs(self.loaded, pack=self.pack)
        settings = (self.loaded.style, self.loaded.family, self.strength, self.seed)
        parts = (paraphrast.__version__, packs, *settings, *self.protect)
        return sha256(repr(parts).encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the models behind."""
        return {k: v for k, v in vars(self).items() if k != "loaded"}


def rewrite_texts(
    rewriter: Loaded, texts: Iterable[object], *, seed: int, protect: Iterable[str]
) -> list[Rewrite | None]:
    """Return a rewrite for each text, and None for each that is missing."""
    listed = list(texts)
    given = [text for text in listed if isinstance(text, str)]
    for index, text in enumerate(listed):
        if not (isinstance(text, str) or is_missing(text)):
            raise ParaphrastError(
                f"row {index} is {text!r}, which is not a string. Convert the column "
                "to strings, or leave the row missing."
            )
    answers = iter(rewriter.rewrite(given, seed=seed, protect=protect) if given else ())
    return [next(answers) if isinstance(text, str) else None for text in listed]


def is_missing(value: object) -> bool:
    """Say whether a value is missing: None, NaN, or the NA and NaT of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)
