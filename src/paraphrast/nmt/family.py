"""The rewriter family ``nmt``: LSTM encoder–decoders that packs were trained as.

It is used only when named: other rewriters keep more of the meaning. Nothing large is
imported until a rewriter is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from paraphrast.nmt.styles import KIND, KNOWN
from paraphrast.pack_family import InstalledPacks
from paraphrast.rewriter import Rewriter
from paraphrast.storage.packs import Pack

HOW = (
    "Train one from pairs with `paraphrast nmt train PAIRS --style {style} --dev FILE`."
)


@dataclass(frozen=True)
class Nmt(InstalledPacks):
    """Rewrites with NMT packs, each of which writes one style."""

    kind = KIND
    summary: str = "LSTM encoder-decoders with attention, trained on pairs"
    explicit: bool = True

    def obtainable(self) -> Mapping[str, str]:
        """Map the styles of our recipes to how to get their packs."""
        return {style: HOW.format(style=style) for style in KNOWN}

    def open(self, pack: Pack, style: str) -> Rewriter:
        """Return a rewriter from one pack."""
        from paraphrast.nmt.clean_up import load_rules
        from paraphrast.nmt.model import load_pack
        from paraphrast.nmt.rewriter import NmtRewriter

        model = load_pack(pack.folder)
        rules = load_rules(style) if model.settings.clean_up else None
        return NmtRewriter(model, rules)


family = Nmt()
