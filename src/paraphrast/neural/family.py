"""The rewriter family ``neural``: styles that packs write with a neural model.

Nothing large is imported until a rewriter is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paraphrast.config import count_threads
from paraphrast.language.words import DECENT_STYLES
from paraphrast.neural.styles import BUNDLED_STYLES, KIND
from paraphrast.pack_family import InstalledPacks
from paraphrast.rewriter import Rewriter
from paraphrast.storage.packs import Pack

if TYPE_CHECKING:
    from paraphrast.neural.candidates.rerank import Guide
    from paraphrast.neural.models.pack import Model

MOST_THREADS = 8
HOW = (
    "There is no neural pack in this installation. Train one with `paraphrast neural "
    "train` and `paraphrast neural convert`; docs/neural.md says how."
)


@dataclass(frozen=True)
class Neural(InstalledPacks):
    """Rewrites with neural packs."""

    kind = KIND
    summary: str = "a neural model that paraphrases freely and keeps names and numbers"

    def obtainable(self) -> Mapping[str, str]:
        """Map the bundled pack's styles to instructions, in case it was removed."""
        return dict.fromkeys(BUNDLED_STYLES, HOW)

    def open(self, pack: Pack, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""
        from paraphrast.neural.models.pack import open_model
        from paraphrast.neural.rewriter import NeuralRewriter
        from paraphrast.rules import family as rules

        threads = min(MOST_THREADS, count_threads())
        model = open_model(pack, style, threads=threads)
        fallback = rules.load(style) if style in rules.styles() else None
        return NeuralRewriter(
            model,
            guide=_load_guide(pack, model),
            decent=style in DECENT_STYLES,
            fallback=fallback,
        )


def _load_guide(pack: Pack, model: "Model") -> "Guide | None":
    """Return the reranker of a learned style's pack, if it has one."""
    from paraphrast.neural.learn import style_guide

    path = pack.folder / style_guide.FILE
    if not path.is_file():
        return None
    plain = model.settings.plain or model.style
    engine = model.steps[-1].engine
    return style_guide.StyleGuide(style_guide.load(path), engine, plain)


family = Neural()
