"""Run a recipe step by step, keeping what is done so that it can go on.

``run.py`` of a recipe defines ``STEPS``: names mapped to functions that take a
`Workspace` and return figures by name. A finished step's figures are kept in the
output folder and used again while recipe, version and data are the same, and while the
files that the step wrote there, such as plots, still stand.
"""

import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from paraphrast.reproduce.recipe import Recipe
from paraphrast.storage import atomic
from paraphrast.storage.packs import HOME

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
    """What a step may use: the corpora's folders and a place for its own files.

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
    fresh: bool = False,
) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield each step's name and figures, computed now or kept from before."""
    kept = folder / "steps"
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise atomic.cannot_write(kept, error) from error
    workspace = Workspace(corpora, folder, packs.expanduser())
    print_of = _fingerprint(recipe, corpora)
    for name, step in steps(recipe).items():
        path = kept / f"{name}.json"
        values = None if fresh else _kept(path, print_of)
        if values is None:
            before = _times(folder)
            values = dict(step(workspace))
            note = {
                "fingerprint": print_of,
                "figures": {key: asdict(value) for key, value in values.items()},
                "files": sorted(dict(_times(folder).items() - before.items())),
            }
            with atomic.writer(path) as file:
                json.dump(note, file, indent=2)
        yield name, values


def written(folder: Path) -> list[Path]:
    """Return the files, such as plots, that steps wrote into the output folder."""
    files = (path for path in folder.iterdir() if path.is_file())
    return sorted(path for path in files if path.name != RESULTS)


def _times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in written(folder)}


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
    known = list(getattr(package, "__path__", ()))
    if folder.is_dir() and str(folder) not in known:
        package.__path__ = [str(folder), *known]


def _kept(path: Path, print_of: str) -> dict[str, Value] | None:
    try:
        note: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if note["fingerprint"] != print_of:
            return None
        if not all((path.parents[1] / name).exists() for name in note["files"]):
            return None
        return {name: Value(**value) for name, value in note["figures"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _fingerprint(recipe: Recipe, corpora: Mapping[str, Path]) -> str:
    digest = hashlib.sha256(version("paraphrast").encode())
    training = recipe.folder.resolve().parents[1] / "training"
    for folder in (recipe.folder, training, Path(__file__).parents[1]):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    for name in sorted(corpora):
        digest.update(f"{name}={corpora[name]}".encode())
    return digest.hexdigest()[:16]
