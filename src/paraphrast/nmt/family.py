"""The rewriter family ``nmt``: LSTM encoder–decoders that packs were trained as.

It is taken only when it is named: other rewriters keep more of the meaning. Nothing
large is imported until a rewriter is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from paraphrast.nmt.styles import KIND, KNOWN
from paraphrast.rewriter import Rewriter
from paraphrast.storage import packs

HOW = (
    "Train one from pairs with `paraphrast nmt train PAIRS --style {style} --dev FILE`."
)


@dataclass(frozen=True)
class Nmt:
    """Rewrites with NMT packs, which lie in the folder ``home``."""

    home: Path = packs.HOME
    summary: str = "LSTM encoder-decoders with attention, trained on pairs"
    explicit: bool = True

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a line about it."""
        return packs.collect_styles(packs.list_installed(self.home, kind=KIND))

    def missing(self) -> Mapping[str, str]:
        """Map the styles of our recipes that have no pack yet to how to get it."""
        there = self.styles()
        return {s: HOW.format(style=s) for s in KNOWN if s not in there}

    def at(self, home: Path) -> "Nmt":
        """Return the family with the packs of another folder."""
        return Nmt(home)

    def load(self, style: str) -> Rewriter:
        """Return a rewriter from the pack named like the style, or else the first."""
        listed = packs.list_installed(self.home, kind=KIND)
        return self.load_pack(packs.choose(listed, style).folder, style)

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter from one pack, which writes one style."""
        from paraphrast.nmt.clean_up import load_rules
        from paraphrast.nmt.model import load_pack
        from paraphrast.nmt.rewriter import NmtRewriter

        model = load_pack(folder)
        rules = load_rules(style) if model.settings.clean_up else None
        return NmtRewriter(model, rules)


family = Nmt()
