"""Show rewrites to people: side by side, and change by change."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from paraphrast.rewriter import Change, Rewrite
from paraphrast.rewriting.ratings import Rating


def side_by_side(
    texts: Sequence[str], rewrites: Sequence[Rewrite], *, style: str
) -> RenderableType:
    """Return a table of sources and rewrites with what changed in bold."""
    table = Table(show_lines=True, header_style="bold", expand=False)
    table.add_column("source", ratio=1)
    table.add_column(style, ratio=1)
    for text, rewrite in zip(texts, rewrites, strict=True):
        if text.strip():
            table.add_row(*_marked(text, rewrite))
    return table


def explanation(text: str, rewrites: Sequence[Rewrite]) -> RenderableType:
    """Return a text, its rewrites, and below each its changes or why there are none."""
    lines = [text]
    for rewrite in rewrites:
        lines.append(f"= {rewrite.text}")
        lines += [f"    {_line(change)}" for change in rewrite.changes]
        if rewrite.why:
            lines.append(f"    unchanged: {rewrite.why}")
    return Text("\n".join(lines))


def alternatives(
    text: str, rewrites: Sequence[Rewrite], ratings: Sequence[Rating]
) -> RenderableType:
    """Return a text and its rewrites, each with its rating."""
    lines = [text]
    for rewrite, rating in zip(rewrites, ratings, strict=True):
        lines += [f"= {rewrite.text}", f"    {rating}"]
        if rewrite.why:
            lines.append(f"    unchanged: {rewrite.why}")
    return Text("\n".join(lines))


def steps(text: str, rewrite: Rewrite) -> RenderableType:
    """Return a text and what it became, step by step."""
    way = [text, *rewrite.steps, rewrite.text]
    lines = [f"{'→ ' if place else ''}{line}" for place, line in enumerate(way)]
    if not rewrite.steps and not rewrite.why:
        lines.append("    in one pass, with no step between")
    if rewrite.why:
        lines.append(f"    unchanged: {rewrite.why}")
    return Text("\n".join(lines))


def _line(change: Change) -> str:
    before = repr(change.before) if change.before.strip() else "nothing"
    after = repr(change.after) if change.after.strip() else "nothing"
    if change.before.isspace() or change.after.isspace():
        before, after = repr(change.before), repr(change.after)
    return f"{change.start}-{change.end}  {before} -> {after}  ({change.rule})"


def _marked(text: str, rewrite: Rewrite) -> tuple[Text, Text]:
    before, after = Text(text), Text(rewrite.text)
    shift = 0
    for change in sorted(rewrite.changes, key=lambda change: change.start):
        start = change.start + shift
        before.stylize("bold yellow", change.start, change.end)
        after.stylize("bold green", start, start + len(change.after))
        shift += len(change.after) - (change.end - change.start)
    return before, after
