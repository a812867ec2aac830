"""The command ``paraphrast reproduce``."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe

if TYPE_CHECKING:
    from paraphrast.reproduce import Outcome, Recipe, Value


@describe
def reproduce(
    name: str | None = None,
    data: Path | None = None,
    mirror: options.Mirror = None,
    output: Path = Path("reproduced"),
    packs_folder: options.Packs = None,
    resume: options.Resume = False,
    as_json: options.Json = False,
) -> None:
    """Reproduce the figures of a paper and compare them with the published ones.

    Exits with status 1 if a figure is out of bounds that the recipe does not list as
    missed, or if a figure listed as missed is within bounds. First reports what is
    missing, and which figures are left out as a result. Examples:

    paraphrast reproduce

    PARAPHRAST_MIRROR=data paraphrast reproduce xu12-metrics

    paraphrast reproduce gyafc --data GYAFC_Corpus

    Options:
        name [RECIPE]: Recipe to run; lists all if omitted.
        data FOLDER: Your own copy of a licensed corpus, for recipes that use one.
        output -o --output FOLDER: Folder for results and finished steps.
    """
    from paraphrast import reproduce as recipes
    from paraphrast.storage import atomic

    if name is None:
        _list(recipes.recipes(), as_json=as_json)
        return
    recipe = recipes.find(name)
    folder = output / recipe.name
    corpora = _locate_corpora(recipe, mirror, data)
    values = _run(recipe, corpora, folder, packs=packs_folder, data=data, resume=resume)
    outcomes = recipes.compare(recipe, values)
    record = _record(recipe, outcomes, values)
    atomic.write_json(folder / recipes.RESULTS, record, indent=2)
    printing.print_report(
        record, _report_lines(recipe, outcomes, folder), as_json=as_json
    )
    if not all(outcome.as_pinned for outcome in outcomes):
        raise typer.Exit(1)


def _locate_corpora(
    recipe: "Recipe", mirror: Path | None, data: Path | None
) -> dict[str, Path]:
    """Return the recipe's corpora; with the user's own data, those that are present."""
    from paraphrast.corpora import catalogue

    names = recipe.definition.corpora
    if data is not None:
        return catalogue.locate_all(names, mirror=mirror)[0]
    return {name: catalogue.locate(name, mirror=mirror) for name in names}


def _run(
    recipe: "Recipe",
    corpora: dict[str, Path],
    folder: Path,
    *,
    packs: Path | None,
    data: Path | None,
    resume: bool,
) -> "dict[str, Value]":
    from rich.console import Console
    from rich.progress import track

    from paraphrast import reproduce as recipes
    from paraphrast.storage.packs import HOME

    values: dict[str, Value] = {}
    console = Console(stderr=True)
    for step, figures in track(
        recipes.run(
            recipe,
            corpora,
            folder,
            packs=packs or HOME,
            data=data,
            resume=resume,
            tell=printing.print_note,
        ),
        description=f"reproducing {recipe.name}",
        total=len(recipes.steps(recipe)),
        console=console,
        disable=not console.is_terminal,
    ):
        values |= figures
        if not console.is_terminal:
            print(f"done: {step}", file=sys.stderr)
    return values


def _list(listed: "list[Recipe]", *, as_json: bool) -> None:
    lines = []
    for recipe in listed:
        lines.append(f"{recipe.name:<20}{recipe.definition.title}")
        lines.append(f"{'':<20}{recipe.definition.paper}; {recipe.definition.takes}")
    records = [{"name": recipe.name, **asdict(recipe.definition)} for recipe in listed]
    printing.print_report(records, lines, as_json=as_json)


def _record(
    recipe: "Recipe", outcomes: "list[Outcome]", values: "dict[str, Value]"
) -> dict[str, Any]:
    from importlib.metadata import version

    from paraphrast.reproduce import find_commit

    promised = {outcome.figure.name for outcome in outcomes}
    return {
        "recipe": recipe.name,
        "title": recipe.definition.title,
        "paper": recipe.definition.paper,
        "as_pinned": all(outcome.as_pinned for outcome in outcomes),
        "figures": [
            {
                # A bound of 0 is printed, a missing one is not.
                **{
                    k: v
                    for k, v in asdict(o.figure).items()
                    if v is not None and v is not False and v != ""
                },
                "ours": asdict(o.ours),
                "difference": o.difference,
                "holds": o.holds,
            }
            for o in outcomes
        ],
        "more": {k: asdict(v) for k, v in values.items() if k not in promised},
        "versions": {name: version(name) for name in ("paraphrast", "sacrebleu")},
        "commit": find_commit(recipe.folder),
    }


def _report_lines(
    recipe: "Recipe", outcomes: "list[Outcome]", folder: Path
) -> Iterator[str]:
    from paraphrast import reproduce as recipes

    yield f"{recipe.definition.title} ({recipe.definition.paper})\n"
    width = max((len(outcome.figure.name) for outcome in outcomes), default=0) + 2
    yield (
        f"{'':<{width}}{'paper':>8}{'ours':>8}  {'95% interval':<18}{'diff':>7}  must"
    )
    for outcome in outcomes:
        yield (_row(outcome, width))
    for outcome in outcomes:
        if reason := outcome.figure.missed or outcome.figure.note:
            yield f"\n{outcome.figure.name}: {reason}"
    yield f"\n{recipes.summarise(outcomes)}. Written to {folder / recipes.RESULTS}"
    if number := recipes.count_left_out(recipe, outcomes):
        yield f"Left out: {number:,} figures without their packs, judges or texts."
    for outcome in outcomes:
        if not outcome.as_pinned and outcome.holds:
            yield (
                f"{outcome.figure.name} holds: remove its `missed` from recipe.toml."
            )
        elif not outcome.as_pinned:
            yield f"{outcome.figure.name} is OUT OF BOUNDS."
    for path in recipes.list_written(folder):
        yield f"Also written: {path}"


def _row(outcome: "Outcome", width: int) -> str:
    ours, paper = outcome.ours, outcome.figure.paper
    shown = "" if paper is None else f"{paper:.2f}"
    low_high = "" if ours.low is None else f"[{ours.low:.2f}, {ours.high:.2f}]"
    gap = "" if outcome.difference is None else f"{outcome.difference:+.2f}"
    mark = "" if outcome.holds else "  <-- missed"
    return (
        f"{outcome.figure.name:<{width}}{shown:>8}{ours.value:>8.2f}  {low_high:<18}"
        f"{gap:>7}  {outcome.bounds}{mark}"
    )
