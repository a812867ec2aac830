"""Packs that are fetched: descriptions in the package, files from elsewhere.

A description says which files a pack has, where each comes from, its size and sha256.
They are collected in a hidden folder beside the pack's, which takes its place once all
are there; a fetch that was stopped goes on from what it left.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from paraphrast import config
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.instruct.styles import WORDS
from paraphrast.storage import atomic, packs
from paraphrast.storage.download import Progress, Source, download, find_difference
from paraphrast.storage.packs import About, Pack
from paraphrast.storage.resumable import open_locked

FOLDER = Path(__file__).parent / "packs"
CHECKOUT = Path(__file__).parents[3] / "packs"  # of a checkout
ROOM = 1 << 20  # bytes for a manifest and the like


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a pack; one without an ``address`` is brought by the user."""

    name: str
    about: str
    address: str
    size: int
    sha256: str
    licence: str


@dataclass(frozen=True)
class Description:
    """A pack that can be fetched."""

    name: str
    kind: str
    summary: str
    licences: tuple[str, ...]
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        """Return the size of all files."""
        return sum(file.size for file in self.files)


def names() -> list[str]:
    """List the packs that can be fetched."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def describe(name: str) -> Description:
    """Return the description of a pack."""
    if name not in names():
        raise unknown("pack", name, names())
    return config.load(FOLDER / f"{name}.toml", Description)


def fetch(
    description: Description,
    *,
    home: Path = packs.HOME,
    mirror: Path | None = None,
    progress: Progress = lambda _: None,
) -> Pack:
    """Return an installed pack, all its files verified; bring what is missing.

    With a ``mirror`` nothing is asked of the network.
    """
    folder = packs.path_for(description.name, home)
    if is_current(description, folder):
        return packs.verify(folder)
    with _filling(folder) as filling:
        missing = [f for f in description.files if not _is_whole(f, filling / f.name)]
        sources = [_find_source(file, description, folder, mirror) for file in missing]
        _require_space(missing, filling)
        progress(description.size - sum(file.size for file in missing))
        for file, source in zip(missing, sources, strict=True):
            download(source, filling / file.name, progress)
        about = About(description.name, description.kind, WORDS, description.licences)
        packs.seal(filling, about, {})
        try:
            atomic.replace_folder(filling, folder)
        except OSError as error:
            raise atomic.cannot_write(folder, error) from error
    return packs.read(folder)


def is_current(description: Description, folder: Path) -> bool:
    """Say whether a pack is installed, with just the files of its description."""
    try:
        files = packs.read(folder).about.files
    except ParaphrastError:
        return False
    return all(
        file.name in files and files[file.name].sha256 == file.sha256
        for file in description.files
    )


def remove(folder: Path) -> None:
    """Delete a pack, and what an unfinished fetch left beside it."""
    try:
        for path in (folder, _beside(folder)):
            if path.exists():
                shutil.rmtree(path)
    except OSError as error:
        raise ParaphrastError(
            f"cannot remove {error.filename or folder}: {error.strerror}."
        ) from error


def has_remains(folder: Path) -> bool:
    """Say whether an unfinished fetch of a pack left something."""
    return _beside(folder).exists()


@contextmanager
def _filling(folder: Path) -> Iterator[Path]:
    """Yield the folder where files are collected, which is nobody else's meanwhile."""
    filling = _beside(folder)
    lock = filling.with_name(f"{filling.name}.lock")
    try:
        filling.mkdir(parents=True, exist_ok=True)
        file = open_locked(lock)
    except OSError as error:
        raise atomic.cannot_write(filling, error) from error
    with file:
        try:
            yield filling
        finally:
            lock.unlink(missing_ok=True)


def _beside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.fetching")


def _is_whole(file: RemoteFile, path: Path) -> bool:
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    return not find_difference(path, file.sha256)


def _find_source(
    file: RemoteFile, description: Description, installed: Path, mirror: Path | None
) -> Source:
    """Return where a file is to be had, the nearest first."""
    folders = [CHECKOUT / description.name, installed]
    if mirror is not None:
        folders = [mirror / "packs" / description.name, mirror, *folders]
    for folder in folders:
        for name in (file.name, file.address.rpartition("/")[2] or file.name):
            path = folder / name
            if path.is_file() and path.stat().st_size == file.size:
                return Source(path, file.size, file.sha256)
    give = f"put {file.name} of {description.name} into a folder and add --from FOLDER."
    if mirror is not None:
        raise ParaphrastError(
            f"{mirror} lacks {file.name} of {description.name} ({file.size:,} bytes). "
            "Leave out --from and PARAPHRAST_MIRROR to download it."
        )
    if not file.address:
        raise ParaphrastError(
            f"{file.name} of {description.name} has no public address yet: train it "
            f"(packs/{description.name}/README.md says how), or {give}"
        )
    return Source(file.address, file.size, file.sha256, f"To work offline, {give}")


def _require_space(missing: list[RemoteFile], filling: Path) -> None:
    parts = [filling / f"{file.name}.part" for file in missing]
    have = sum(part.stat().st_size for part in parts if part.is_file())
    need = sum(file.size for file in missing) - have + ROOM
    free = shutil.disk_usage(filling).free
    if need > free:
        raise ParaphrastError(
            f"{filling.parent} has {free / 1e6:,.0f} MB free, and {need / 1e6:,.0f} MB "
            "are needed. Free some space, or choose another folder with --packs."
        )
