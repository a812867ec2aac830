"""Find recipes and read what they promise."""

from dataclasses import dataclass, field
from pathlib import Path

import paraphrast
from paraphrast import config
from paraphrast.errors import unknown


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, and how ours must compare with it.

    ``tolerance`` bounds the distance from ``paper`` on both sides; ``at_least`` and
    ``below`` bound ours on one side (``below`` is the name of another figure of ours).
    ``missed`` pins a figure as out of its bounds and says why: a run fails when a
    figure is missed and not pinned, and when it is pinned and not missed. ``note``
    explains a figure without bounds. An ``optional`` one needs what not every machine
    has, and is left out where that lacks.
    """

    name: str
    table: str = ""
    paper: float | None = None
    tolerance: float | None = None
    at_least: float | None = None
    below: str = ""
    missed: str = ""
    note: str = ""
    optional: bool = False

    def __post_init__(self) -> None:
        """Refuse a figure that is pinned as missed but has nothing to miss."""
        if self.missed and not self.bounded:
            raise ValueError(
                f"figure {self.name!r} is pinned as missed, without bounds."
            )

    @property
    def bounded(self) -> bool:
        """Say whether the figure can be missed."""
        bounds = (self.tolerance, self.at_least, self.below or None)
        return any(bound is not None for bound in bounds)


@dataclass(frozen=True)
class Definition:
    """The contents of ``recipe.toml``."""

    title: str
    paper: str
    corpora: tuple[str, ...]
    takes: str
    figure: tuple[Figure, ...]
    notes: str = ""


@dataclass(frozen=True)
class Recipe:
    """A published experiment that can be run again."""

    name: str
    folder: Path
    definition: Definition = field(repr=False)


def recipes() -> list[Recipe]:
    """List the recipes of this clone or installation."""
    return [read_recipe(folder) for folder in _folders()]


def find(name: str) -> Recipe:
    """Return the recipe called ``name``."""
    folders = {_name(folder): folder for folder in _folders()}
    if name not in folders:
        raise unknown("recipe", name, folders)
    return read_recipe(folders[name])


def read_recipe(folder: Path) -> Recipe:
    """Read the recipe in a folder; its code is not imported."""
    definition = config.load(folder / "recipe.toml", Definition)
    return Recipe(_name(folder), folder, definition)


def _name(folder: Path) -> str:
    # The folder is a Python package, whose name cannot have a hyphen.
    return folder.name.replace("_", "-")


def _folders() -> list[Path]:
    package = Path(paraphrast.__file__).parent
    # A wheel carries the recipes inside; an editable clone has them beside src.
    for root in (package / "recipes", package.parents[1] / "recipes"):
        folders = sorted(path.parent for path in root.glob("*/recipe.toml"))
        if folders:
            return folders
    return []
