"""The rewriter family ``phrase``: styles that packs have learned from parallel text.

Nothing large is imported until a rewriter is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from paraphrast.config import count_threads
from paraphrast.phrase.styles import KIND, RECIPES
from paraphrast.rewriter import Rewriter
from paraphrast.storage import packs

MOST_THREADS = 8
HOW = (
    "Make one with `paraphrast reproduce {recipe}`, or from your own text with "
    "`paraphrast phrase train SOURCE TARGET --to {style}`."
)


@dataclass(frozen=True)
class Phrase:
    """Rewrites with phrase packs, which lie in the folder ``home``."""

    home: Path = packs.HOME
    summary: str = "phrases learned from parallel text; explained by examples"

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a line about it."""
        return packs.collect_styles(packs.list_installed(self.home, kind=KIND))

    def missing(self) -> Mapping[str, str]:
        """Map the styles of our recipes that have no pack yet to how to get it."""
        there = self.styles()
        return {
            style: HOW.format(style=style, recipe=recipe)
            for style, recipe in RECIPES.items()
            if style not in there
        }

    def at(self, home: Path) -> "Phrase":
        """Return the family with the packs of another folder."""
        return Phrase(home)

    def load(self, style: str) -> Rewriter:
        """Return a rewriter from the pack named like the style, or else the first."""
        listed = packs.list_installed(self.home, kind=KIND)
        return self.load_pack(packs.choose(listed, style).folder, style)

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter from one pack, which writes one style."""
        from paraphrast import rules
        from paraphrast.phrase.model import load_pack
        from paraphrast.phrase.rewriter import PhraseRewriter
        from paraphrast.phrase.rules_first import RulesFirst

        threads = min(MOST_THREADS, count_threads())
        model = load_pack(folder)
        phrases = PhraseRewriter(model, threads)
        if not model.settings.rules:
            return phrases
        return RulesFirst(rules.family.load(model.settings.rules), phrases)


family = Phrase()
