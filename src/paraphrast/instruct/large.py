"""The rewriter family ``large``: a language model with an adapter, run here.

Its pack is fetched once (`fetching`); nothing large is imported until it is loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.errors import unknown
from paraphrast.instruct.styles import WORDS
from paraphrast.rewriter import Rewriter
from paraphrast.storage import packs
from paraphrast.storage.packs import Pack

if TYPE_CHECKING:
    from paraphrast.instruct.llama import Llama
    from paraphrast.instruct.rewriter import Reply

KIND = "large"
INSTRUCTION = "Rewrite as {}. Say exactly the same.\n"
HOW = "Run `paraphrast packs fetch large` (1.2 GB, once; see docs/packs.md)."


@dataclass(frozen=True)
class Large:
    """Rewrites with the large pack, which lies in the folder ``home``."""

    home: Path = packs.HOME
    summary: str = "a language model of 1.5 billion weights; the best, and slow"
    explicit: bool = True

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a line about it."""
        return packs.collect_styles(self._packs())

    def missing(self) -> Mapping[str, str]:
        """Map each style to how to get the pack, unless it is here."""
        there = self.styles()
        return {style: HOW for style in WORDS if style not in there}

    def at(self, home: Path) -> "Large":
        """Return the family with the packs of another folder."""
        return Large(home)

    def load(self, style: str) -> Rewriter:
        """Return a rewriter from the first pack that writes the style."""
        for pack in self._packs():
            if style in pack.about.styles:
                return self.load_pack(pack.folder, style)
        raise unknown("style", style, self.styles())

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""
        from paraphrast.instruct.llama import open_model
        from paraphrast.instruct.rewriter import InstructRewriter, find_checker

        pack = packs.read(folder)
        model = open_model(folder / "base.gguf", folder / "adapter.gguf", pack.sha256)
        return InstructRewriter(
            Writer(model, style),
            style,
            checker=find_checker(),
            identity=pack.sha256,
        )

    def _packs(self) -> list[Pack]:
        return packs.list_installed(self.home, kind=KIND)


@dataclass(frozen=True)
class Writer:
    """Asks the model in the words that its adapter was taught."""

    model: "Llama"
    style: str
    batch: int = 1

    def write(
        self, texts: Sequence[str], *, strength: float, draw: int | None
    ) -> "list[Reply]":
        """Return the likeliest rewrite of each text, or the sample of that number.

        Strength is a matter of choice among samples: the weight of the adapter moves
        sense before it moves style.
        """
        from paraphrast.instruct.llama import Sampling
        from paraphrast.instruct.rewriter import Reply
        from paraphrast.neural.models.generation import Candidate

        instruction = INSTRUCTION.format(WORDS[self.style])
        sampling = None if draw is None else Sampling(draw)
        replies = []
        for text in texts:
            read = " ".join(text.split())
            own = self.model.write(instruction, read, sampling)
            replies.append(
                Reply(
                    Candidate(own.text, own.log_probability, own.tokens, own.finished)
                )
            )
        return replies


family = Large()
