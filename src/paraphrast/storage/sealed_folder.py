"""A sealed folder: a trained model with a manifest.

Packs, aligners, judges and trained models are all stored this way. The manifest (TOML
or JSON, by its name) has the format number, the version of paraphrast that wrote it,
the size and sha256 of every other file, and whatever the kind of folder adds. A folder
is written atomically. Reading checks the format and the sizes, which detects an
incomplete copy; `verify` compares every byte, once per process.
"""

import copy
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of folder: its ``name`` as in "pack", and the supported formats.

    ``again`` says what to do about an unusable folder. The last of the formats is the
    one that is written.
    """

    name: str
    manifest: str
    formats: tuple[int, ...]
    again: str
    replaceable: bool = True


@dataclass(frozen=True, slots=True)
class File:
    """The expected size and hash of a file."""

    size: int
    sha256: str


Key: TypeAlias = tuple[str, int, int, int]

# What was read before, while the file's size and time stay the same: each file is
# hashed, and each manifest parsed, once per process.
_hashes: dict[Key, str] = {}
_manifests: dict[Key, dict[str, Any]] = {}


@contextmanager
def new(folder: Path, kind: Kind, *, replacing: bool = False) -> Iterator[Path]:
    """Yield a folder to fill and `seal`; at the end it is renamed to its path.

    An existing path is refused or, if ``replacing``, a folder of the same kind is
    replaced.
    """
    refuse_taken(folder, kind, replacing=replacing)
    with atomic.new_folder(folder) as filling:
        yield filling
        if not (filling / kind.manifest).is_file():
            raise RuntimeError(f"{folder} was filled but not sealed")


def refuse_taken(folder: Path, kind: Kind, *, replacing: bool = False) -> None:
    """Refuse an existing path that must not be overwritten."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not replacing:
        other = ", or add --replace" if kind.replaceable else ""
        raise ParaphrastError(f"{folder} already exists. Choose another name{other}.")
    if not (folder / kind.manifest).is_file():
        raise ParaphrastError(
            f"{folder} exists and is not a {kind.name}, so it is not replaced. "
            "Choose another name."
        )


def seal(folder: Path, kind: Kind, about: Mapping[str, Any]) -> dict[str, Any]:
    """Write the manifest of a filled folder and return it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {
        path.relative_to(folder).as_posix(): File(path.stat().st_size, sha256(path))
        for path in paths
        if path != folder / kind.manifest
    }
    table: dict[str, Any] = {
        "format": kind.formats[-1],
        "paraphrast": version("paraphrast"),
    }
    table |= about
    table["files"] = {name: asdict(file) for name, file in files.items()}
    path = folder / kind.manifest
    if path.suffix == ".toml":
        with atomic.writer(path) as file:
            file.write(config.toml(table))
    else:
        atomic.write_json(path, table)
    return table


def read(folder: Path, kind: Kind) -> dict[str, Any]:
    """Return the manifest of a folder whose files all exist and have their sizes."""
    table = read_manifest(folder, kind)
    for name, expected in _files(folder, table, kind).items():
        path = folder / name
        if not _is_inside(name) or not path.is_file():
            raise damaged(path, kind, "is missing")
        if expected.size not in (-1, path.stat().st_size):
            raise damaged(path, kind, "has changed size since it was written")
    return table


def verify(folder: Path, kind: Kind) -> dict[str, Any]:
    """Return the manifest of a folder after verifying every file."""
    table = read(folder, kind)
    for name, expected in _files(folder, table, kind).items():
        if sha256(folder / name) != expected.sha256:
            raise damaged(folder / name, kind, "was changed since it was written")
    return table


def read_manifest(folder: Path, kind: Kind) -> dict[str, Any]:
    """Return the manifest of a folder, if its format is supported."""
    path = folder / kind.manifest
    try:
        key = identify(path)
        if key not in _manifests:
            text = path.read_text("utf-8")
            parse = tomllib.loads if kind.manifest.endswith(".toml") else json.loads
            _manifests[key] = parse(text)
        table = copy.deepcopy(_manifests[key])
    except OSError as error:
        raise ParaphrastError(
            f"{folder} is not a {kind.name}: {kind.manifest} cannot be read "
            f"({error.strerror or error}). Check the folder."
        ) from error
    except (ValueError, RecursionError) as error:  # of another form, or not even text
        form = "TOML" if kind.manifest.endswith(".toml") else "JSON"
        line = str(error).partition("\n")[0]
        raise damaged(path, kind, f"is not valid {form} ({line})") from error
    if not isinstance(table, dict):
        raise damaged(path, kind, "is not a table")
    _check_format(path, kind, table)
    return table


def sha256(path: Path) -> str:
    """Return the sha256 of a file, cached as long as it does not change."""
    key = identify(path)
    if key not in _hashes:
        with path.open("rb") as file:
            _hashes[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return _hashes[key]


def read_json(path: Path, *, advice: str) -> Any:
    """Return the contents of a JSON file in a folder; ``advice`` ends the error."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ParaphrastError(f"cannot read {path}: {error}. {advice}") from error


def damaged(path: Path, kind: Kind, what: str) -> ParaphrastError:
    """Return the error for a file of a folder that cannot be used."""
    return ParaphrastError(f"{path} {what}. {kind.again}")


def _check_format(path: Path, kind: Kind, table: Mapping[str, Any]) -> None:
    number, writer = table.get("format"), table.get("paraphrast")
    if not isinstance(number, int):
        raise damaged(path, kind, "does not state its format")
    if number in kind.formats:
        return
    formats = " and ".join(map(str, kind.formats))
    advice = (
        f"Install paraphrast {writer}, or create it again." if writer else kind.again
    )
    raise ParaphrastError(
        f"{path.parent}: {kind.name} format {number}, but paraphrast "
        f"{version('paraphrast')} reads {formats}. {advice}"
    )


def _files(folder: Path, table: Mapping[str, Any], kind: Kind) -> dict[str, File]:
    """Return the expected files; older manifests have no sizes, or no list."""
    path = folder / kind.manifest
    files = table.get("files", {})
    if not isinstance(files, dict):
        raise damaged(path, kind, "does not list its files")
    return {
        name: File(-1, entry)
        if isinstance(entry, str)
        else config.build(entry, File, where=f"{path}: files")
        for name, entry in files.items()
    }


def identify(path: Path) -> Key:
    """Return what identifies a file and its version."""
    status = path.stat()
    return str(path.resolve()), status.st_ino, status.st_size, status.st_mtime_ns


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts
