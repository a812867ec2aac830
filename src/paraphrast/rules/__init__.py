"""Formality rules, both directions: the rewriter family ``rules``."""

from collections.abc import Mapping

from paraphrast.errors import unknown
from paraphrast.rewriter import Rewriter

_STYLES = {
    "formal": "capitals, full forms, standard spelling and punctuation, no slang",
    "informal": "contractions and everyday words, in lower case",
}


class Rules:
    """Rewrites by rules and human-readable lists."""

    summary = "rules and word lists for formality; fast, exact, explained"

    def styles(self) -> Mapping[str, str]:
        """Map each style to its one-line description."""
        return dict(_STYLES)

    def load(self, style: str) -> Rewriter:
        """Return the rewriter into a style."""
        if style == "formal":
            from paraphrast.rules.formal import Formal

            return Formal()
        if style == "informal":
            from paraphrast.rules.informal import Informal

            return Informal(chat=False)
        raise unknown("style", style, _STYLES)


family = Rules()
