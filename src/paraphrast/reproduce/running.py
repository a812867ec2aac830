"""Run a recipe step by step, so that a run that was stopped can go on.

``run.py`` of a recipe defines ``STEPS``: names mapped to functions that take a
`Workspace` and return figures by name. A finished step's figures are kept until all
steps are done; `storage.resumable` takes them up if code, version and data are the
same.
"""

import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from paraphrast.reproduce.recipe import Recipe
from paraphrast.storage import atomic
from paraphrast.storage.packs import HOME
from paraphrast.storage.resumable import Parts

RESULTS = "results.json"


@dataclass(frozen=True)
class Value:
    """A figure of ours, with its 95% interval and signature where it has them."""

    value: float
    low: float | None = None
    high: float | None = None
    signature: str = ""


@dataclass(frozen=True)
class Workspace:
    """What a step may use: the corpora's folders and a folder for its own files.

    A recipe that makes packs writes them into ``packs``, where rewriters find them.
    """

    corpora: Mapping[str, Path]
    folder: Path
    packs: Path

    def corpus(self, name: str) -> Path:
        """Return the folder of a corpus that the recipe names."""
        return self.corpora[name]


Step: TypeAlias = Callable[[Workspace], Mapping[str, Value]]


def run(
    recipe: Recipe,
    corpora: Mapping[str, Path],
    folder: Path,
    *,
    packs: Path = HOME,
    resume: bool = False,
) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield each step's name and figures, computed now or before the run stopped."""
    workspace = Workspace(corpora, folder, packs.expanduser())
    paths = {name: str(path) for name, path in corpora.items()}
    settings = {"code": _hash_code(recipe), "corpora": paths}
    with Parts(folder / "steps", settings, resume=resume, keep=True) as parts:
        for name, step in steps(recipe).items():
            path = parts.make(f"{name}.json", partial(_write_figures, step, workspace))
            figures = json.loads(path.read_text("utf-8"))
            yield name, {key: Value(**value) for key, value in figures.items()}


def _write_figures(step: Step, workspace: Workspace, path: Path) -> None:
    figures = {name: asdict(value) for name, value in step(workspace).items()}
    with atomic.writer(path) as file:
        json.dump(figures, file, indent=2)


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
