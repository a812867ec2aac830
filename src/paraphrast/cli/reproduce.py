"""The command ``paraphrast reproduce``."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from paraphrast.reproduce import Outcome, Recipe, Value


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="The recipe. Without: list them all.")
    ] = None,
    mirror: Annotated[
        Path | None,
        typer.Option(
            envvar="PARAPHRAST_MIRROR", help="A folder with copies of the corpora."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for results and finished steps.")
    ] = Path("reproduced"),
    packs: Annotated[
        Path | None,
        typer.Option(envvar="PARAPHRAST_PACKS", help="Folder for packs it makes."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute finished steps again.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute a paper's figures again and set them beside what it printed.

    Exits 1 when a figure is out of its bounds and the recipe does not say so, or the
    other way round. Examples:

      paraphrast reproduce

      PARAPHRAST_MIRROR=data paraphrast reproduce xu12-metrics
    """
    from paraphrast import reproduce as recipes
    from paraphrast.storage import atomic

    if name is None:
        _list(recipes.recipes(), as_json=as_json)
        return
    recipe = recipes.find(name)
    folder = out / recipe.name
    values = _run(recipe, mirror, folder, packs=packs, fresh=fresh)
    outcomes = recipes.compare(recipe, values)
    record = _record(recipe, outcomes, values)
    with atomic.writer(folder / recipes.RESULTS) as file:
        json.dump(record, file, indent=2, ensure_ascii=False)
        file.write("\n")
    if as_json:
        print(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        _show(recipe, outcomes, folder)
    if not all(outcome.as_pinned for outcome in outcomes):
        raise typer.Exit(1)


def _run(
    recipe: "Recipe",
    mirror: Path | None,
    folder: Path,
    *,
    packs: Path | None,
    fresh: bool,
) -> "dict[str, Value]":
    from rich.console import Console
    from rich.progress import track

    from paraphrast import reproduce as recipes
    from paraphrast.corpora import catalogue
    from paraphrast.storage.packs import HOME

    corpora = {
        name: catalogue.locate(name, mirror=mirror)
        for name in recipe.definition.corpora
    }
    values: dict[str, Value] = {}
    console = Console(stderr=True)
    for step, figures in track(
        recipes.run(recipe, corpora, folder, packs=packs or HOME, fresh=fresh),
        description=f"reproducing {recipe.name}",
        total=len(recipes.steps(recipe)),
        console=console,
        disable=not console.is_terminal,
    ):
        values |= figures
        if not console.is_terminal:
            print(f"done: {step}", file=sys.stderr)
    return values


def _list(found: "list[Recipe]", *, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                [{"name": r.name, **asdict(r.definition)} for r in found], indent=2
            )
        )
        return
    for recipe in found:
        print(f"{recipe.name:<20}{recipe.definition.title}")
        print(f"{'':<20}{recipe.definition.paper}; {recipe.definition.takes}")


def _record(
    recipe: "Recipe", outcomes: "list[Outcome]", values: "dict[str, Value]"
) -> dict[str, Any]:
    from importlib.metadata import version

    promised = {outcome.figure.name for outcome in outcomes}
    return {
        "recipe": recipe.name,
        "title": recipe.definition.title,
        "paper": recipe.definition.paper,
        "as_pinned": all(outcome.as_pinned for outcome in outcomes),
        "figures": [
            {
                # A bound of 0 is said, what was not given is not.
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
    }


def _show(recipe: "Recipe", outcomes: "list[Outcome]", folder: Path) -> None:
    from paraphrast import reproduce as recipes

    print(f"{recipe.definition.title} ({recipe.definition.paper})\n")
    width = max(len(outcome.figure.name) for outcome in outcomes) + 2
    print(
        f"{'':<{width}}{'paper':>8}{'ours':>8}  {'95% interval':<18}{'diff':>7}  must"
    )
    for outcome in outcomes:
        print(_row(outcome, width))
    for outcome in outcomes:
        if reason := outcome.figure.missed or outcome.figure.note:
            print(f"\n{outcome.figure.name}: {reason}")
    print(f"\n{recipes.summarise(outcomes)}. Written to {folder / recipes.RESULTS}")
    for outcome in outcomes:
        if not outcome.as_pinned and outcome.holds:
            print(f"{outcome.figure.name} holds: remove its `missed` from recipe.toml.")
        elif not outcome.as_pinned:
            print(f"{outcome.figure.name} is OUT OF BOUNDS.")
    for path in recipes.written(folder):
        print(f"Also written: {path}")


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
