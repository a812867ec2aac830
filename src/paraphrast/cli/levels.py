"""The levels of ``rewrite --to formal``: ``--level``."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from paraphrast.errors import ParaphrastError

if TYPE_CHECKING:
    from paraphrast.rewriting.document import DocumentRewriter


class Level(StrEnum):
    """The values of `--level`."""

    NEUTRAL = "neutral"
    FORMAL = "formal"
    VERY_FORMAL = "very-formal"


def load_at_level(
    level: Level, style: str, load: "Callable[[str], DocumentRewriter]"
) -> "DocumentRewriter":
    """Return the rewriter of formal English at a level; ``load`` loads one of a style.

    Rules have levels of their own. For a model, the level neutral is its style plain,
    and the rules are applied to its formal rewrites for the level very formal.
    """
    if style != "formal":
        raise ParaphrastError(
            f"--level is for --to formal, not for {style!r}. Leave it out."
        )
    from paraphrast.rewriter import Levelled
    from paraphrast.rules.formal import Formal
    from paraphrast.rules.polishing import Polished

    loaded = load("formal")
    rewriter = loaded.rewriter
    if level is Level.FORMAL:
        return loaded
    if isinstance(rewriter, Levelled):
        return replace(loaded, rewriter=rewriter.at_level(level.value))
    if level is Level.NEUTRAL:
        return load("plain")
    return replace(loaded, rewriter=Polished(rewriter, Formal(level.value)))
