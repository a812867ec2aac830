"""The rewriter family ``phrase``: packs trained on parallel text.

Nothing large is imported until a rewriter is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from paraphrast.config import count_threads
from paraphrast.pack_family import InstalledPacks
from paraphrast.phrase.styles import KIND, RECIPES
from paraphrast.rewriter import Rewriter
from paraphrast.storage.packs import Pack

MOST_THREADS = 8
HOW = (
    "Build one with `paraphrast reproduce {recipe}`, or from your own text with "
    "`paraphrast phrase train SOURCE TARGET --to {style}`."
)


@dataclass(frozen=True)
class Phrase(InstalledPacks):
    """Rewrites with phrase packs, each of which writes one style."""

    kind = KIND
    summary: str = "phrases learned from parallel text; explained by examples"

    def obtainable(self) -> Mapping[str, str]:
        """Map the styles of our recipes to how to get their packs."""
        return {s: HOW.format(style=s, recipe=recipe) for s, recipe in RECIPES.items()}

    def open(self, pack: Pack, style: str) -> Rewriter:
        """Return a rewriter from one pack."""
        from paraphrast import rules
        from paraphrast.language.words import DECENT_STYLES
        from paraphrast.phrase.model import load_pack
        from paraphrast.phrase.rewriter import PhraseRewriter
        from paraphrast.phrase.rules_first import RulesFirst

        threads = min(MOST_THREADS, count_threads())
        model = load_pack(pack.folder)
        phrases = PhraseRewriter(model, threads, decent=style in DECENT_STYLES)
        if not model.settings.rules:
            return phrases
        return RulesFirst(rules.family.load(model.settings.rules), phrases)


family = Phrase()
