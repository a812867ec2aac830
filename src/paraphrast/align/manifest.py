"""A saved aligner's folder: what it holds, who wrote it, and that nothing changed.

``manifest.json`` gives the format's number, the family, paraphrast's version, the
settings and the sha256 of every other file. A folder appears whole or not at all.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.storage.atomic import cannot_write

NAME = "manifest.json"
RETRAIN = "Train it again with `paraphrast align train`."


@contextmanager
def new_folder(
    folder: Path, *, family: str, format: int, settings: Mapping[str, Any]
) -> Iterator[Path]:
    """Yield a folder to fill; sealed with a manifest, it takes its place at the end."""
    refuse_taken(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        filling = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        yield filling
        manifest = {
            "format": format,
            "family": family,
            "paraphrast": version("paraphrast"),
            "settings": dict(settings),
            "files": {path.name: _sha256(path) for path in sorted(filling.iterdir())},
        }
        text = json.dumps(manifest, indent=2) + "\n"
        (filling / NAME).write_text(text, encoding="utf-8")
        filling.chmod(0o755)
        filling.replace(folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def refuse_taken(folder: Path) -> None:
    """Refuse a place where something stands; an empty folder may be filled."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParaphrastError(f"{folder} is there already. Choose another with -o.")


def family_of(folder: Path) -> str:
    """Return the name of the family that saved a folder."""
    return str(_read(folder).get("family", ""))


def settings_of(folder: Path, *, family: str, format: int) -> dict[str, Any]:
    """Return a saved aligner's settings, once its files are found as they were."""
    manifest = _read(folder)
    if manifest.get("family") != family:
        raise ParaphrastError(
            f"{folder}: a model of {manifest.get('family')!r}, not of {family!r}. "
            f"Load it with --using {manifest.get('family')}."
        )
    if manifest.get("format") != format:
        raise ParaphrastError(
            f"{folder}: format {manifest.get('format')} of paraphrast "
            f"{manifest.get('paraphrast')}; this version reads format {format}. "
            f"{RETRAIN}"
        )
    files, settings = manifest.get("files"), manifest.get("settings")
    if not isinstance(files, dict) or not isinstance(settings, dict):
        raise ParaphrastError(f"{folder / NAME}: not a whole manifest. {RETRAIN}")
    for name, digest in files.items():
        path = folder / name
        if not path.is_file() or _sha256(path) != digest:
            raise ParaphrastError(f"{path}: missing or changed. {RETRAIN}")
    return settings


def _read(folder: Path) -> dict[str, Any]:
    path = folder / NAME
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except OSError:
        raise ParaphrastError(
            f"{folder}: no saved aligner there ({NAME} is missing). Save one with "
            "`paraphrast align train`."
        ) from None
    except ValueError as error:
        raise ParaphrastError(f"{path}: not valid JSON: {error}. {RETRAIN}") from error
    if not isinstance(manifest, dict):
        raise ParaphrastError(f"{path}: not a manifest. {RETRAIN}")
    return manifest


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
