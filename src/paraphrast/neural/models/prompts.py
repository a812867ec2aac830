"""How a text and a style are put to a model: a pair becomes pieces.

An encoder–decoder reads ``style: text`` and writes the rewrite. A causal model goes on
from ``style: text`` and a line break, which no text contains, as all white space in a
text is one space to a model. Without ``tagged`` there is no style in front: such a
model writes one style only, as the paper's inverse paraphrasers do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from paraphrast.text.subwords import Tokenizer

Shape: TypeAlias = Literal["encoder-decoder", "causal"]
# The style that a paraphraser writes: the plain middle between two styles.
NEUTRAL = "neutral"
_BREAKS = {"encoder-decoder": (), "causal": ("Ċ",)}


@dataclass(frozen=True, slots=True)
class Request:
    """A text to be written in a style."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Prompter:
    """Turns requests into pieces and pieces into texts."""

    tokenizer: Tokenizer
    shape: Shape
    end: str
    tagged: bool = False

    def source(self, request: Request) -> list[str]:
        """Return what a model is given to read."""
        text = " ".join(request.text.split())
        style = f"{request.style}: " if self.tagged else ""
        pieces = self.tokenizer.encode(style + text)
        return [*pieces, *(_BREAKS[self.shape] or (self.end,))]

    def target(self, text: str) -> list[str]:
        """Return what a model is to write."""
        return [*self.tokenizer.encode(" ".join(text.split())), self.end]

    def text(self, pieces: Sequence[str]) -> str:
        """Return the text that a model wrote, up to its end."""
        until = pieces.index(self.end) if self.end in pieces else len(pieces)
        return " ".join(self.tokenizer.decode(pieces[:until]).split())
