"""docs/xu12.md: the systems of Xu et al. (2012), ours beside Moses, and examples."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recipes.markdown import ROOT, Record, copy_pictures, fill_marked, lead, table

HERE = Path(__file__).parent
SIDES = ("sparknotes", "enotes")


def pages(record: Record) -> dict[Path, str]:
    """Return the page and its pictures."""
    page = ROOT / "docs/xu12.md"
    by_name = {figure["name"]: figure for figure in record["figures"]}
    examples = (HERE / "examples.md").read_text("utf-8").strip()
    parts = [_systems(by_name), _leads(by_name), examples]
    pictures = copy_pictures(HERE, ("figure1", "figure4", "closeness"), "xu12")
    return {page: fill_marked(page, "\n\n".join(parts)), **pictures}


def _systems(by_name: Mapping[str, Any]) -> str:
    head = "system", "Sparknotes side, BLEU / PINC", "paper", "Enotes side", "paper"
    names = [n[5:-11] for n in by_name if n.startswith("bleu") and "sparknotes" in n]
    rows = [
        [
            name,
            *(_both(by_name, name, side, whose) for side in SIDES
              for whose in ("ours", "paper")),
        ]
        for name in names
        if f"pinc {name} enotes" in by_name and "closeness" not in name
    ]  # fmt: skip
    return table(head, rows, align="lllll")


def _both(by_name: Mapping[str, Any], name: str, side: str, whose: str) -> str:
    values = [
        by_name[f"{metric} {name} {side}"].get(whose) for metric in ("bleu", "pinc")
    ]
    if any(value is None for value in values):
        return ""
    if whose == "ours":
        values = [value["value"] for value in values]
    return " / ".join(f"{value:.2f}" for value in values)


def _leads(by_name: Mapping[str, Any]) -> str:
    rows = []
    for name in [n[16:] for n in by_name if n.startswith("lead over Moses ")]:
        ours, moses, difference = (
            by_name[f"{kind} {name}"]["ours"]
            for kind in ("bleu", "bleu Moses", "lead over Moses")
        )
        values = f"{ours['value']:.2f}", f"{moses['value']:.2f}"
        rows.append([name, *values, lead(difference, digits=2)])
    head = "system and test", "ours, BLEU", "Moses", "lead"
    return table(head, rows, align="lrrl")
