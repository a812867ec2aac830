"""A saved aligner: a sealed folder whose manifest names its family and settings."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.storage import sealed_folder
from paraphrast.storage.sealed_folder import Kind

NAME = "manifest.json"
RETRAIN = "Train it again with `paraphrast align train`."
KIND = Kind("saved aligner", NAME, (1,), RETRAIN, replaceable=False)


@contextmanager
def new_folder(
    folder: Path, *, family: str, settings: Mapping[str, Any]
) -> Iterator[Path]:
    """Yield a folder to fill; sealed with a manifest, it takes its path at the end."""
    with sealed_folder.new(folder, KIND) as filling:
        yield filling
        about = {"family": family, "settings": dict(settings)}
        sealed_folder.seal(filling, KIND, about)


def refuse_taken(folder: Path) -> None:
    """Refuse a path where something exists; an empty folder may be filled."""
    sealed_folder.refuse_taken(folder, KIND)


def read_family(folder: Path) -> str:
    """Return the name of the family that saved a folder."""
    return str(sealed_folder.read_manifest(folder, KIND).get("family", ""))


def read_settings(folder: Path, *, family: str) -> dict[str, Any]:
    """Return a saved aligner's settings, once its files are found as they were."""
    manifest = sealed_folder.verify(folder, KIND)
    if manifest.get("family") != family:
        raise ParaphrastError(
            f"{folder}: a model of {manifest.get('family')!r}, not of {family!r}. "
            f"Load it with --using {manifest.get('family')}."
        )
    settings = manifest.get("settings")
    if not isinstance(settings, dict):
        raise sealed_folder.damaged(folder / NAME, KIND, "has no settings")
    return settings
