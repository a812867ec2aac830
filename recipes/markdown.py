"""Shared parts of the recipes' pages: tables, intervals, generated sections."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from paraphrast.reproduce import Outcome, Recipe, Value, compare

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- results: made by docs/generate.py -->", "<!-- end of results -->"
Record: TypeAlias = Mapping[str, Any]  # what is in results.json
Values: TypeAlias = Mapping[str, Mapping[str, Any]]


def read_json(path: Path) -> dict[str, Any]:
    """Return the record in a JSON file."""
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record


def figures(record: Record) -> dict[str, Mapping[str, Any]]:
    """Return all figures of a recipe by name, with or without bounds."""
    promised = {figure["name"]: figure["ours"] for figure in record["figures"]}
    return {**promised, **record["more"]}


def outcomes(recipe: Recipe, record: Record) -> list[Outcome]:
    """Compare stored figures with the recipe's bounds."""
    values = {name: Value(**value) for name, value in figures(record).items()}
    return compare(recipe, values)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, align: str) -> str:
    """Return a table; ``align`` has an "l" or "r" for each column."""
    marks = {"l": "---", "r": "--:"}
    lines = [_row(head), f"|{'|'.join(marks[sign] for sign in align)}|"]
    return "\n".join([*lines, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def interval(value: Mapping[str, Any]) -> str:
    """Return a value with its 95% interval."""
    return with_interval(value["value"], value["low"], value["high"])


def with_interval(value: float, low: float, high: float) -> str:
    """Return a value with its interval."""
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def lead(value: Mapping[str, Any] | None, digits: int = 1) -> str:
    """Return a difference with its interval and p-value; nothing if there is none."""
    if value is None:
        return ""
    p = value["signature"].partition("p:")[2].partition("|")[0]
    shown = (f"{value[part]:+.{digits}f}" for part in ("value", "low", "high"))
    return "{} [{}, {}], p = {}".format(*shown, p)


def fill_marked(page: Path, made: str, start: str = START, end: str = END) -> str:
    """Return a page with the text between the marks replaced by ``made``."""
    return replace_marked(page.read_text("utf-8"), made, start, end)


def replace_marked(text: str, made: str, start: str, end: str) -> str:
    """Return a text with what is between the marks replaced by ``made``."""
    before, _, rest = text.partition(start)
    return f"{before}{start}\n{made}\n{end}{rest.partition(end)[2]}"


def copy_pictures(folder: Path, names: Iterable[str], prefix: str) -> dict[Path, str]:
    """Return a recipe's pictures as files of the docs."""
    return {
        ROOT / f"docs/{prefix}-{name}.svg": (folder / f"{name}.svg").read_text("utf-8")
        for name in names
    }
