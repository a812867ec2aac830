"""Reproduce the papers' figures: find a recipe, run it, compare.

A recipe is a folder: ``recipe.toml`` says which figures the paper printed, how near
ours must come, and which miss that; ``run.py`` computes ours; ``results.json``
is what it gave when it was last committed; ``page.py``, where there is one, writes its
page of the docs. The package carries the recipes of the clone it was built from.
"""

from paraphrast.reproduce.comparison import Outcome, compare, summarise
from paraphrast.reproduce.recipe import Figure, Recipe, find, recipes
from paraphrast.reproduce.running import (
    RESULTS,
    Value,
    Workspace,
    list_written,
    run,
    steps,
)

__all__ = [
    "RESULTS",
    "Figure",
    "Outcome",
    "Recipe",
    "Value",
    "Workspace",
    "compare",
    "find",
    "list_written",
    "recipes",
    "run",
    "steps",
    "summarise",
]
