"""The rewriter family ``large``: a language model with an adapter, run here.

Its pack is fetched once (`fetching`); nothing large is imported until it is loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paraphrast.instruct.styles import INSTRUCTION, WORDS
from paraphrast.pack_family import InstalledPacks
from paraphrast.rewriter import Rewriter
from paraphrast.storage.packs import Pack

if TYPE_CHECKING:
    from paraphrast.instruct.llama import Llama
    from paraphrast.instruct.rewriter import Reply

KIND = "large"
HOW = "Run `paraphrast packs fetch large` (1.1 GB, once; see docs/packs.md)."
# Of the checker's score. At 0.4, the default for models that are more careful, readers
# find half as many changed meanings again (training/LOG.md, 20 November 2026).
LEAST_SAME, SURELY_SAME = 0.6, 0.75


@dataclass(frozen=True)
class Large(InstalledPacks):
    """Rewrites with the large pack."""

    kind = KIND
    summary: str = "a language model with 1.5 billion parameters; the best, but slow"
    explicit: bool = True

    def obtainable(self) -> Mapping[str, str]:
        """Map each style of the pack to how to get it."""
        return dict.fromkeys(WORDS, HOW)

    def open(self, pack: Pack, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""
        from paraphrast.instruct.llama import open_model
        from paraphrast.instruct.rewriter import InstructRewriter, find_checker

        base, adapter = pack.folder / "base.gguf", pack.folder / "adapter.gguf"
        return InstructRewriter(
            Writer(open_model(base, adapter, pack.sha256), style),
            style,
            checker=find_checker(),
            least_same=LEAST_SAME,
            surely_same=SURELY_SAME,
            identity=pack.sha256,
        )


@dataclass(frozen=True)
class Writer:
    """Prompts the model as in the training of its adapter."""

    model: "Llama"
    style: str
    batch: int = 1

    def write(
        self, texts: Sequence[str], *, strength: float, draw: int | None
    ) -> "list[Reply]":
        """Return the most probable rewrite of each text, or a sample by number.

        Strength acts on the choice among samples: scaling the adapter's weight changes
        meaning before it changes style.
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
