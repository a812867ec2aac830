"""The small judge for `rewrite`: scores of alternatives, and the meaning score."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from paraphrast.rewriting.document import DocumentRewriter, Meaning
    from paraphrast.rewriting.ratings import Rate, Score


def open_judge() -> "tuple[Score, Sequence[str]]":
    """Return the small judge, with its meaning checks, and the styles that it knows."""
    from paraphrast.judges import judge
    from paraphrast.judges import rows as judging
    from paraphrast.judges.meaning_checks import add_checks
    from paraphrast.rewriting.ratings import Rating

    small = judge.load(Path("small"))
    small = replace(small, similarity=add_checks(small.similarity))

    def score(
        sources: Sequence[str], texts: Sequence[str], *, style: str
    ) -> list[Rating]:
        rows = [judging.Row(t, s) for s, t in zip(sources, texts, strict=True)]
        return [
            Rating(_style_share(record, style), record["sim_source"], record["fluency"])
            for record in judging.judge_rows(small, rows, judging.Counts(), to=style)
        ]

    return score, tuple(small.styles)


def load_meaning() -> "Meaning":
    """Return the meaning score of a text against its source, 0 to 1."""
    score, _ = open_judge()

    def meaning(sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        ratings = score(sources, texts, style="")
        return [1.0 if r.meaning is None else r.meaning for r in ratings]

    return meaning


def load_rate(rewriter: "DocumentRewriter") -> "Rate":
    """Return a function that rates a rewriter's alternatives."""
    from paraphrast.rewriting.ratings import rate_with

    score, styles = open_judge()
    return rate_with(score, styles, rewriter.rewriter, rewriter.style)


def _style_share(record: dict[str, Any], style: str) -> float | None:
    """Return how far a judged text has a style, 0 to 1.

    Formal and informal are positions on one scale, -3 to 3, rather than classes.
    """
    if style not in ("formal", "informal"):
        return cast("float | None", record["style"])
    formality = record["formality"]
    if formality is None:
        return None
    return float(3 + formality if style == "formal" else 3 - formality) / 6
