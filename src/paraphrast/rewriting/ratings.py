"""Ratings of alternatives, for users who choose among them.

The rating function is passed as an argument: rewriting imports no judge. Ratings
influence neither the rewrites nor their order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from paraphrast.rewriter import Guided, Rewrite, Rewriter


@dataclass(frozen=True, slots=True)
class Rating:
    """Scores for style, meaning and fluency, 0 to 1 each, or None."""

    style: float | None
    meaning: float | None
    fluency: float | None

    def __str__(self) -> str:
        """Format the available scores in percent."""
        values = (
            ("style", self.style),
            ("meaning", self.meaning),
            ("fluency", self.fluency),
        )
        return ", ".join(
            f"{name} {100 * value:.0f}" for name, value in values if value is not None
        )


# From a source and its rewrites to a rating of each.
Rate: TypeAlias = Callable[[str, Sequence[str]], list[Rating]]
# From a source and its rewrite to the categories of each of the rewrite's changes.
Categorise: TypeAlias = Callable[[str, Rewrite], Sequence[Sequence[str]]]


class Score(Protocol):
    """Rates texts against their sources."""

    def __call__(
        self, sources: Sequence[str], texts: Sequence[str], *, style: str
    ) -> list[Rating]:
        """Return a rating of each text; without ``style``, none for style."""
        ...


def rate_with(
    score: Score, styles: Sequence[str], rewriter: Rewriter, style: str
) -> Rate:
    """Return a function that rates rewrites into ``style`` with a judge of some styles.

    For a learned style, which the judge does not know, the reranker of the style's pack
    is used.
    """
    guide = rewriter.guide if isinstance(rewriter, Guided) else None

    def rate(source: str, texts: Sequence[str]) -> list[Rating]:
        ratings = score(
            [source] * len(texts), texts, style=style if style in styles else ""
        )
        if style in styles or guide is None:
            return ratings
        return [
            Rating(share, rating.meaning, rating.fluency)
            for share, rating in zip(guide.style(texts, style), ratings, strict=True)
        ]

    return rate
