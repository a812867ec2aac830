"""Show rewrites to people: side by side, change by change, and as a diff."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from html import escape

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from paraphrast.rewriter import Change, Rewrite
from paraphrast.rewriting.ratings import Categorise, Rating
from paraphrast.rewriting.sections import find_changes

_BLOCKS = re.compile(r"\n\s*\n")
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font: 1.05rem/1.6 Georgia, serif; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; color: #222; background: #fff; }}
h1 {{ font: 600 1.1rem/1.4 system-ui, sans-serif; color: #555; }}
p {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
del {{ background: #fde2e0; color: #8a1c12; }}
ins {{ background: #ddf3e1; color: #10561f; text-decoration: none; }}
.why {{ color: #777; font-size: .85rem; }}
</style></head><body><h1>{title}</h1>
{body}
</body></html>
"""


def show_side_by_side(
    rows: Iterable[tuple[str, Rewrite]], *, style: str
) -> RenderableType:
    """Return one table of sources and rewrites, block by block, changes in bold."""
    table = Table(show_lines=True, header_style="bold")
    table.add_column("source", overflow="fold")
    table.add_column(style, overflow="fold")
    for text, rewrite in rows:
        for source, block in _pair_blocks(text, rewrite.text):
            if source.strip():
                table.add_row(*_mark(source, block))
    return table


def explain(
    text: str, rewrites: Sequence[Rewrite], categorise: Categorise | None = None
) -> RenderableType:
    """Return a text, its rewrites, and below each its changes or why there are none.

    ``categorise`` names the categories of the changes.
    """
    lines = [text]
    for rewrite in rewrites:
        lines.append(f"= {rewrite.text}")
        named = categorise(text, rewrite) if categorise else [()] * len(rewrite.changes)
        for change, categories in zip(rewrite.changes, named, strict=True):
            listed = f"  [{', '.join(categories)}]" if categories else ""
            lines.append(f"    {_describe(change)}{listed}")
        lines += _reasons(text, rewrite)
        if rewrite.guards:
            lines.append(f"    rejected candidates: {', '.join(rewrite.guards)}")
    return Text("\n".join(lines))


def list_alternatives(rewrites: Sequence[Rewrite], ratings: Sequence[Rating]) -> str:
    """Return one alternative per line, each with its rating after a tab."""
    return "".join(
        f"{' '.join(rewrite.text.split())}\t{rating}"
        + (f" (unchanged: {rewrite.why})\n" if rewrite.why else "\n")
        for rewrite, rating in zip(rewrites, ratings, strict=True)
    )


def show_steps(text: str, rewrite: Rewrite) -> RenderableType:
    """Return a text and what it became, step by step."""
    way = [text, *rewrite.steps, rewrite.text]
    lines = [f"{'→ ' if index else ''}{line}" for index, line in enumerate(way)]
    if not rewrite.steps and not rewrite.why:
        lines.append("    rewritten in one pass, without intermediate steps")
    return Text("\n".join([*lines, *_reasons(text, rewrite)]))


def show_word_diff(text: str, rewrite: Rewrite) -> RenderableType:
    """Return a rewrite with deletions struck out and insertions in colour."""
    shown = Text()
    position = 0
    for change in find_changes(text, rewrite.text, ""):
        shown.append(text[position : change.start])
        shown.append(change.before, "red strike")
        shown.append(change.after, "green")
        position = change.end
    return shown.append(text[position:])


def unify_diffs(rows: Iterable[tuple[str, Rewrite]], *, name: str, style: str) -> str:
    """Return a unified diff of all lines before and after."""
    before: list[str] = []
    after: list[str] = []
    for text, rewrite in rows:
        for side, lines in ((text, before), (rewrite.text, after)):
            lines += (f"{line}\n" for line in side.removesuffix("\n").split("\n"))
    return "".join(unified_diff(before, after, name, f"{name} ({style})"))


def page_of_diffs(rows: Iterable[tuple[str, Rewrite]], *, title: str) -> str:
    """Return a self-contained HTML page with the words that changed."""
    paragraphs = []
    for text, rewrite in rows:
        parts, position = [], 0
        for change in find_changes(text, rewrite.text, ""):
            parts.append(escape(text[position : change.start]))
            parts.append(f"<del>{escape(change.before)}</del>" if change.before else "")
            parts.append(f"<ins>{escape(change.after)}</ins>" if change.after else "")
            position = change.end
        parts.append(escape(text[position:]))
        parts += (
            f'<br><span class="why">{escape(line.strip())}</span>'
            for line in _reasons(text, rewrite)
            if text.strip()
        )
        paragraphs.append(f"<p>{''.join(parts)}</p>")
    return _PAGE.format(title=escape(title), body="\n".join(paragraphs))


def _reasons(text: str, rewrite: Rewrite) -> list[str]:
    """Return why a text is unchanged, or which of its sentences are."""
    if rewrite.why:
        return [f"    unchanged: {rewrite.why}"]
    return [f"    kept {kept.text!r}: {kept.why}" for kept in rewrite.kept]


def _describe(change: Change) -> str:
    before = repr(change.before) if change.before.strip() else "nothing"
    after = repr(change.after) if change.after.strip() else "nothing"
    if change.before.isspace() or change.after.isspace():
        before, after = repr(change.before), repr(change.after)
    return f"{change.start}-{change.end}  {before} -> {after}  ({change.rule})"


def _pair_blocks(source: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of both sides, or both texts whole if the numbers differ."""
    before, after = _BLOCKS.split(source), _BLOCKS.split(text)
    if len(before) != len(after):
        before, after = [source], [text]
    yield from zip(before, after, strict=True)


def _mark(source: str, text: str) -> tuple[Text, Text]:
    before, after = Text(source), Text(text)
    shift = 0
    for change in find_changes(source, text, ""):
        start = change.start + shift
        before.stylize("bold yellow", change.start, change.end)
        after.stylize("bold green", start, start + len(change.after))
        shift += len(change.after) - (change.end - change.start)
    return before, after
