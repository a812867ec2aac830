"""Reproduce the papers' figures: find a recipe, run it, compare.

A recipe is a folder: ``recipe.toml`` lists the figures that the paper printed, how
close ours must be, and which are missed; ``run.py`` computes ours; ``results.json`` is
the last committed result; ``page.py``, if there is one, writes its page of the docs.
The package includes the recipes of the clone it was built from.

``run.py`` defines ``STEPS``: names mapped to functions that take a `Workspace` and
return figures by name. A finished step's figures are kept until all steps are done;
`storage.resumable` reuses them if code, version and data are the same. It may define
``find_missing``, which takes the `Workspace` before the first step and yields a line
for each thing that this machine lacks: which figures are left out, and how to get it.
If something essential is missing, the recipe refuses to run there, rather than after an
hour.
"""

import hashlib
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import paraphrast
from paraphrast import config
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage import atomic
from paraphrast.storage.packs import HOME
from paraphrast.storage.resumable import Parts

RESULTS = "results.json"


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, and how ours must compare with it.

    ``tolerance`` bounds the distance from ``paper`` on both sides; ``at_least`` and
    ``below`` bound ours on one side (``below`` is the name of another figure of ours).
    ``missed`` pins a figure as out of bounds and says why: a run fails if a figure is
    missed but not pinned, or pinned but not missed. ``note`` explains a figure without
    bounds. An ``optional`` figure needs something that not every machine has, and is
    left out where that is missing.
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
        """Refuse a figure that is pinned as missed but has no bounds."""
        if self.missed and not self.bounded:
            raise ValueError(
                f"figure {self.name!r} is pinned as missed but has no bounds."
            )

    @property
    def bounded(self) -> bool:
        """Say whether the figure can be missed."""
        bounds = (self.tolerance, self.at_least, self.below or None)
        return any(bound is not None for bound in bounds)


@dataclass(frozen=True)
class Definition:
    """The contents of ``recipe.toml``.

    ``data`` describes the user's own folder that the recipe can use instead of the
    corpora; empty if none.
    """

    title: str
    paper: str
    corpora: tuple[str, ...]
    takes: str
    figure: tuple[Figure, ...]
    notes: str = ""
    data: str = ""


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


@dataclass(frozen=True)
class Value:
    """Our value of a figure, with its 95% interval and signature if it has them."""

    value: float
    low: float | None = None
    high: float | None = None
    signature: str = ""


@dataclass(frozen=True)
class Workspace:
    """What a step may use: the corpora's folders and a folder for its own files.

    A recipe that makes packs writes them into ``packs``, where rewriters find them.
    ``data`` is the user's own folder, for recipes that use one.
    """

    corpora: Mapping[str, Path]
    folder: Path
    packs: Path
    data: Path | None = None

    def corpus(self, name: str) -> Path:
        """Return the folder of a corpus that the recipe names."""
        return self.corpora[name]

    def write(self, name: str, text: str) -> Path:
        """Write an output file of the step atomically, and return its path."""
        path = self.folder / name
        with atomic.writer(path) as file:
            file.write(text)
        return path


Step: TypeAlias = Callable[[Workspace], Mapping[str, Value]]


def run(
    recipe: Recipe,
    corpora: Mapping[str, Path],
    folder: Path,
    *,
    packs: Path = HOME,
    data: Path | None = None,
    resume: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield each step's name and figures, computed now or before an interruption.

    What is missing is reported before the first step, one line each.
    """
    if data is not None and not recipe.definition.data:
        raise ParaphrastError(
            f"recipe {recipe.name!r} does not use data of your own. Leave out --data."
        )
    workspace = Workspace(corpora, folder, packs.expanduser(), data)
    paths = {name: str(path) for name, path in corpora.items()}
    settings: dict[str, object] = {"code": _hash_code(recipe), "corpora": paths}
    if data is not None:
        settings["data"] = str(data)
    find_missing = getattr(import_module(recipe.folder, "run"), "find_missing", None)
    for line in find_missing(workspace) if find_missing else ():
        tell(line)
    with Parts(folder / "steps", settings, resume=resume, keep=True) as parts:
        for name, step in steps(recipe).items():
            path = parts.make(f"{name}.json", partial(_write_figures, step, workspace))
            figures = json.loads(path.read_text("utf-8"))
            yield name, {key: Value(**value) for key, value in figures.items()}


def _write_figures(step: Step, workspace: Workspace, path: Path) -> None:
    figures = {name: asdict(value) for name, value in step(workspace).items()}
    atomic.write_json(path, figures, indent=2)


def list_written(folder: Path) -> list[Path]:
    """Return the files, such as plots, that steps wrote into the output folder."""
    files = (path for path in folder.iterdir() if path.is_file())
    return sorted(path for path in files if path.name != RESULTS)


def steps(recipe: Recipe) -> dict[str, Step]:
    """Return the steps that a recipe's ``run.py`` defines."""
    recipe_steps: dict[str, Step] = import_module(recipe.folder, "run").STEPS
    return recipe_steps


def import_module(folder: Path, name: str) -> ModuleType:
    """Import a file of a recipe's folder as ``recipes.FOLDER.NAME``.

    Its neighbours may be imported relatively, and `training`, which lies beside
    ``recipes``, by its name; neither needs to be on the path.
    """
    root = folder.resolve().parent
    _open_package("recipes", root)
    _open_package("training", root.parent / "training")
    package = f"recipes.{folder.name}"
    opened = sys.modules.get(package)
    if opened is not None and str(root / folder.name) not in opened.__path__:
        for other in [
            key for key in sys.modules if f"{key}.".startswith(f"{package}.")
        ]:
            del sys.modules[other]  # a recipe of that name in another folder
    return importlib.import_module(f"{package}.{name}")


def _open_package(name: str, folder: Path) -> None:
    """Let modules of a folder be imported as ``NAME.MODULE``."""
    try:
        package = importlib.import_module(name)  # of a clone, if it is on the path
    except ModuleNotFoundError:
        package = sys.modules.setdefault(name, ModuleType(name))
    folders = list(getattr(package, "__path__", ()))
    if folder.is_dir() and str(folder) not in folders:
        package.__path__ = [str(folder), *folders]


def _hash_code(recipe: Recipe) -> str:
    digest = hashlib.sha256()
    training = recipe.folder.resolve().parents[1] / "training"
    for folder in (recipe.folder, training, Path(__file__).parents[1]):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def find_commit(folder: Path) -> str:
    """Return the commit of a clone's folder; empty where git does not track it.

    A change that is not committed adds ``-dirty``. The recipes inside an installed
    package have no commit, whatever repository the environment lies in.
    """
    tracked = _ask_git(folder, "ls-files", "--error-unmatch", ".")
    return tracked and _ask_git(folder, "describe", "--always", "--dirty")


def _ask_git(folder: Path, *arguments: str) -> str:
    try:
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError:  # git is not installed
        return ""
    return "" if done.returncode else done.stdout.strip()


@dataclass(frozen=True)
class Outcome:
    """One figure: the paper's, ours, and whether ours is within its bounds."""

    figure: Figure
    ours: Value
    holds: bool
    bounds: str

    @property
    def difference(self) -> float | None:
        """Return ours minus the paper's."""
        paper = self.figure.paper
        return None if paper is None else self.ours.value - paper

    @property
    def as_pinned(self) -> bool:
        """Say whether it is within bounds, or missed as pinned in the recipe."""
        return self.holds != bool(self.figure.missed)


def count_left_out(recipe: Recipe, outcomes: list[Outcome]) -> int:
    """Count the optional figures that were not computed."""
    return len(recipe.definition.figure) - len(outcomes)


def compare(recipe: Recipe, values: Mapping[str, Value]) -> list[Outcome]:
    """Compare every figure of the recipe; a figure that was not computed is an error.

    An optional one is left out instead, also if the figure that it must be below is
    missing.
    """
    outcomes = []
    for figure in recipe.definition.figure:
        needed = {figure.name, figure.below or figure.name}
        if figure.optional and not needed <= values.keys():
            continue
        if figure.name not in values:
            raise ParaphrastError(
                f"recipe {recipe.name!r} lists {figure.name!r}, but its run.py "
                "did not compute it. Fix the recipe."
            )
        outcomes.append(_compare_figure(figure, values))
    return outcomes


def summarise(outcomes: list[Outcome]) -> str:
    """Say how many checks pass; figures without bounds are not checks."""
    checks = [outcome for outcome in outcomes if outcome.bounds]
    passed = sum(outcome.holds for outcome in checks)
    return f"{passed} of {len(checks)} checks pass"


def _compare_figure(figure: Figure, values: Mapping[str, Value]) -> Outcome:
    ours = values[figure.name]
    bounds, holds = [], True
    if figure.paper is not None and figure.tolerance is not None:
        bounds.append(f"±{figure.tolerance:g}")
        # Rounding noise in the last binary digit must not decide.
        holds &= abs(ours.value - figure.paper) <= figure.tolerance + 1e-9
    if figure.at_least is not None:
        bounds.append(f"≥ {figure.at_least:g}")
        holds &= ours.value >= figure.at_least - 1e-9
    if figure.below:
        bounds.append(f"< {figure.below}")
        holds &= ours.value < values[figure.below].value
    return Outcome(figure, ours, holds, ", ".join(bounds))
