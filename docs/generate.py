"""Generate the pages that carry figures, from the committed results.

Run    python -m docs.generate           write the pages
       python -m docs.generate --check   list the pages that would change, and exit 1

A recipe's page is written by its ``page.py``; this module writes README's table of
results and its sentence in every style (also in ``docs/index.md``),
``docs/reproduction.md``, ``docs/benchmarks.md``, the import graph in
``docs/design.md``, and the tables of the everyday corpus and of ``docs/scale.md``. No
figure in them is typed by hand.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from docs.benchmark_pages import benchmark_pages, list_claims
from docs.everyday_page import everyday_page
from docs.import_graph import import_table
from docs.scale_page import scale_page
from paraphrast.reproduce import Outcome, Recipe, import_module, recipes, summarise
from recipes.markdown import (
    ROOT,
    Record,
    fill_marked,
    outcomes,
    read_json,
    replace_marked,
    table,
)

STYLES = "<!-- styles: made by docs/generate.py -->", "<!-- end of styles -->"
IMPORTS = "<!-- imports: made by docs/generate.py -->", "<!-- end of imports -->"
FIRST = ("reading", "strap", "gyafc")  # recipes whose claims come first in README
# README's rows on the papers: a name, and the recipes that it sums up.
PAPERS = (
    ("Figures of Xu et al. 2012 reproduced", ("xu12", "xu12-metrics", "xu12-people")),
    ("Figures of Cohn et al. 2008 reproduced", ("cohn08",)),
    ("Figures of Callison-Burch et al. 2008 reproduced", ("parametric",)),
    (
        "Figures of Krishna et al. 2020 (STRAP) reproduced",
        ("strap", "strap-judges", "strap-table1"),
    ),
    (
        "Our judges, our aligner and `paraphrast learn`",
        ("judges", "monolingual-aligner", "learn"),
    ),
)


def pages() -> dict[Path, str]:
    """Return every generated page with its contents."""
    by_name = {recipe.name: recipe for recipe in recipes()}
    records = {
        name: read_json(recipe.folder / "results.json")
        for name, recipe in by_name.items()
    }
    made: dict[Path, str] = {}
    for name, recipe in by_name.items():
        if (recipe.folder / "page.py").exists():
            made |= import_module(recipe.folder, "page").pages(records[name])
    checked = {name: outcomes(by_name[name], records[name]) for name in by_name}
    design = ROOT / "docs/design.md"
    made |= benchmark_pages() | everyday_page() | scale_page()
    start = ROOT / "docs/index.md"
    return made | {
        ROOT / "README.md": readme(by_name, records, checked),
        start: fill_marked(start, every_style(), *STYLES),
        ROOT / "docs/reproduction.md": reproduction(by_name, checked),
        design: fill_marked(design, import_table(), *IMPORTS),
    }


def readme(
    by_name: dict[str, Recipe],
    records: Mapping[str, Record],
    checked: dict[str, list[Outcome]],
) -> str:
    """Return README with its results, and with one sentence in every style."""
    rows = []
    for name in FIRST:
        claims = import_module(by_name[name].folder, "page").claims(records[name])
        rows += [[*claim, f"`paraphrast reproduce {name}`"] for claim in claims]
    rows += [
        [*row, f"`benchmarks/{name}.py`"] for name, *row in list_claims(readme=True)
    ]
    for title, names in PAPERS:
        own = [outcome for name in names for outcome in checked[name]]
        how = ", ".join(f"`{name}`" for name in names)
        rows.append([title, "the paper's figures" if "Figures" in title else "people",
                     summarise(own), f"`paraphrast reproduce`: {how}"])  # fmt: skip
    head = "Measurement", "Reference", "Ours", "Script or command"
    page = ROOT / "README.md"
    results = fill_marked(page, table(head, rows, align="llll"))
    return replace_marked(results, every_style(), *STYLES)


def every_style() -> str:
    """Return one sentence in every style, as a table."""
    shown = read_json(ROOT / "examples/every_style.json")
    rows = [
        [style["style"], style["text"].replace("\n", " / ")]
        for style in shown["styles"]
        if style["text"]
    ]
    return table(["*the sentence*", shown["source"]], rows, align="ll")


def reproduction(by_name: dict[str, Recipe], checked: dict[str, list[Outcome]]) -> str:
    """Return how many checks of each recipe pass, and why others do not."""
    rows = [
        [f"`{name}`", recipe.definition.title, recipe.definition.paper,
         summarise(checked[name])]
        for name, recipe in by_name.items()
    ]  # fmt: skip
    head = "recipe", "contents", "paper", "result"
    common = "recipe", "figure", "paper", "ours"
    missed = [
        [
            name,
            o.figure.name,
            _paper(o),
            f"{o.ours.value:.2f}",
            o.bounds,
            o.figure.missed,
        ]
        for name, own in checked.items()
        for o in own
        if o.figure.missed
    ]
    noted = [
        [name, o.figure.name, _paper(o), f"{o.ours.value:.2f}", o.figure.note]
        for name, own in checked.items()
        for o in own
        if o.figure.note
    ]
    return "\n\n".join(
        [
            "# The papers' figures and ours",
            "Generated by `docs/generate.py` from `recipes/*/results.json`, which has "
            "every figure with its interval and signature. `paraphrast reproduce NAME` "
            "computes them again. It exits with status 1 if a figure that is out of "
            "bounds is not in the second table, or if a figure in that table is within "
            "bounds.",
            table(head, rows, align="llll"),
            "## Checks that do not pass, and why",
            table([*common, "bound", "why"], missed, align="llrrll"),
            "## Figures that differ but are not checked",
            table([*common, "note"], noted, align="llrrl"),
        ]
    ) + "\n"  # fmt: skip


def _paper(outcome: Outcome) -> str:
    return "" if outcome.figure.paper is None else f"{outcome.figure.paper:.2f}"


def main() -> None:
    """Write the pages, or with ``--check`` only compare."""
    stale = {path: text for path, text in pages().items() if _current(path) != text}
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} differs from the results\n")
    if "--check" in sys.argv[1:]:
        sys.exit(1 if stale else 0)
    for path, text in stale.items():
        path.write_text(text, "utf-8")


def _current(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    main()
