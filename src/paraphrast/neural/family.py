"""The rewriter family ``neural``: styles that packs write with a neural model.

Nothing large is imported until a rewriter is loaded. The packs that come with
paraphrast lie in `BUNDLED`; the user's own come first.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.errors import unknown
from paraphrast.rewriter import Rewriter
from paraphrast.storage import packs
from paraphrast.storage.packs import Pack

if TYPE_CHECKING:
    from paraphrast.neural.candidates.rerank import Guide
    from paraphrast.neural.candidates.round_trip import WayBack
    from paraphrast.neural.models.pack import Model

KIND = "neural"
MOST_THREADS = 8
BUNDLED = Path(__file__).parent / "packs"
# Styles that the bundled pack writes, for the word when it was taken out.
KNOWN = (
    "bible",
    "conversation",
    "joyce",
    "poetry",
    "prose-1810",
    "prose-1890",
    "tweet",
)
# Styles of loose talk, whose models have read what may offend.
LOOSE = ("tweet", "conversation")
HOW = (
    "The neural pack is not in this installation. Train one with `paraphrast neural "
    "train` and `paraphrast neural convert`; docs/neural.md says how."
)


@dataclass(frozen=True)
class Neural:
    """Rewrites with neural packs, which lie in the folder ``home`` or are bundled."""

    home: Path = packs.HOME
    summary: str = "a neural model; paraphrases freely and keeps names and numbers"

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a line about it."""
        return packs.styles(self._packs())

    def missing(self) -> Mapping[str, str]:
        """Map the styles to come that have no pack yet to how to get it."""
        there = self.styles()
        return {style: HOW for style in KNOWN if style not in there}

    def at(self, home: Path) -> "Neural":
        """Return the family with the packs of another folder."""
        return Neural(home)

    def load(self, style: str) -> Rewriter:
        """Return a rewriter from the pack named like the style, or else the first."""
        able = [pack for pack in self._packs() if style in pack.about.styles]
        if not able:
            raise unknown("style", style, self.styles())
        able.sort(key=lambda pack: pack.folder.name != style)
        return self.load_pack(able[0].folder, style)

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""
        from paraphrast.neural.models.pack import load_pack
        from paraphrast.neural.rewriter import NeuralRewriter

        threads = min(MOST_THREADS, os.cpu_count() or 1)
        model = load_pack(folder, style, threads=threads)
        guide = _guide(folder, model)
        back = None if guide else _way_back(folder, model)
        return NeuralRewriter(model, guide=guide, decent=style in LOOSE, back=back)

    def _packs(self) -> list[Pack]:
        places = (self.home, BUNDLED)
        return [pack for place in places for pack in packs.installed(place, kind=KIND)]


def _guide(folder: Path, model: "Model") -> "Guide | None":
    """Return the guide that a learned style's pack brings along, if it does."""
    from paraphrast.neural.learn import style_guide

    if not (folder / style_guide.FILE).is_file():
        return None
    known = style_guide.load(folder / style_guide.FILE)
    plain = model.settings.plain or model.style
    return style_guide.StyleGuide(known, model.steps[-1].engine, plain)


def _way_back(folder: Path, model: "Model") -> "WayBack | None":
    """Return the way back of a pack that writes plain paraphrases too, if it does."""
    from paraphrast.neural.candidates.round_trip import WayBack
    from paraphrast.neural.models.prompts import NEUTRAL

    if not model.settings.tagged or NEUTRAL not in packs.read(folder).about.styles:
        return None
    return WayBack(model.steps[-1].engine)


family = Neural()
