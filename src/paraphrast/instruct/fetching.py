"""Packs that are downloaded: descriptions in the package, files from elsewhere.

A description lists the files of a pack with their origin, size and sha256. They are
collected in a hidden folder beside the pack's, which is renamed once all are there; an
interrupted fetch continues where it stopped. An adapter that the package has in few
bits (`adapter`) is expanded.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from paraphrast import config
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.instruct import adapter
from paraphrast.instruct.styles import WORDS
from paraphrast.storage import atomic, packs, sealed_folder
from paraphrast.storage.download import (
    Progress,
    Source,
    download,
    find_difference,
    is_whole,
)
from paraphrast.storage.packs import About, Data, Pack
from paraphrast.storage.resumable import open_locked

ADAPTER = "adapter.gguf"
FOLDER = Path(__file__).parent / "packs"
CHECKOUT = Path(__file__).parents[3] / "packs"  # of a checkout
ROOM = 1 << 20  # bytes for a manifest and the like


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a pack: at an ``address``, or ``packaged`` with paraphrast.

    Otherwise the user provides it.
    """

    name: str
    about: str
    address: str
    size: int
    sha256: str
    licence: str
    packaged: str = ""

    def is_whole(self, path: Path) -> bool:
        """Say whether a complete and unchanged copy exists."""
        return is_whole(path, self.size, self.sha256)

    @property
    def origin(self) -> str:
        """Return a description of where the file comes from."""
        packaged = self.find_packaged()
        if packaged:
            small = packaged.stat().st_size / 1e6
            return f"paraphrast itself ({small:.1f} MB there, expanded when fetched)"
        return self.address or "your own folder (--from)"

    def find_packaged(self) -> Path | None:
        """Return the quantised adapter, if the package has it."""
        path = FOLDER / self.packaged
        return path if path.is_file() else None


@dataclass(frozen=True)
class Description:
    """A pack that can be fetched."""

    name: str
    kind: str
    summary: str
    licences: tuple[str, ...]
    files: tuple[RemoteFile, ...]
    data: tuple[Data, ...] = ()

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
    """Return an installed pack with all its files verified, fetching what is missing.

    With a ``mirror`` the network is not used, and an adapter in that folder replaces
    the pack's own.
    """
    description = _find_adapter(description, mirror)
    folder = packs.path_for(description.name, home)
    if is_current(description, folder):
        return packs.verify(folder)
    with _filling(folder) as filling:
        for file in description.files:
            _expand(file, filling / file.name)
        missing = [f for f in description.files if not f.is_whole(filling / f.name)]
        sources = [_find_source(file, description, folder, mirror) for file in missing]
        _require_space(missing, filling)
        progress(description.size - sum(file.size for file in missing))
        for file, source in zip(missing, sources, strict=True):
            download(source, filling / file.name, progress)
        packs.seal(filling, _make_about(description), {})
        try:
            atomic.replace_folder(filling, folder)
        except OSError as error:
            raise atomic.cannot_write(folder, error) from error
    return packs.read(folder)


def is_current(description: Description, folder: Path) -> bool:
    """Say whether a pack is installed with exactly the files of its description."""
    try:
        files = packs.read(folder).about.files
    except ParaphrastError:
        return False
    return all(
        file.name in files and files[file.name].sha256 == file.sha256
        for file in description.files
    )


def remove(folder: Path) -> None:
    """Delete a pack and the remains of an unfinished fetch."""
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
    """Yield the folder where files are collected, locked against other processes."""
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


def _find_adapter(description: Description, mirror: Path | None) -> Description:
    """Return a pack with the mirror's adapter, if it has one."""
    copies = _list_copies(ADAPTER, description, mirror)
    if not copies:
        return description
    path = copies[0]
    try:
        size, digest = path.stat().st_size, sealed_folder.sha256(path)
    except OSError as error:
        raise ParaphrastError(f"cannot read {path}: {error.strerror}.") from error
    if any(file.sha256 == digest for file in description.files):
        return description
    own = RemoteFile(ADAPTER, f"copy of {path}", "", size, digest, "unknown")
    files = tuple(own if file.name == ADAPTER else file for file in description.files)
    licences = (*description.licences, own.licence)
    return replace(description, files=files, licences=licences, data=())


def _expand(file: RemoteFile, path: Path) -> None:
    """Expand a file that the package has in few bits, unless it exists."""
    packaged = file.find_packaged()
    if packaged is None or file.is_whole(path):
        return
    adapter.expand(packaged, path)
    problem = find_difference(path, file.sha256)
    if problem:
        path.unlink()
        raise ParaphrastError(
            f"{packaged} is not the expected adapter: {problem}. Reinstall paraphrast."
        )


def _make_about(description: Description) -> About:
    return About(
        description.name,
        description.kind,
        WORDS,
        description.licences,
        data=description.data,
    )


def _find_source(
    file: RemoteFile, description: Description, installed: Path, mirror: Path | None
) -> Source:
    """Return the source of a file, preferring the nearest."""
    names = (file.name, file.address.rpartition("/")[2] or file.name)
    copies = [p for name in names for p in _list_copies(name, description, mirror)]
    copies += [
        folder / file.name for folder in (CHECKOUT / description.name, installed)
    ]
    for path in copies:
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


def _list_copies(
    name: str, description: Description, mirror: Path | None
) -> list[Path]:
    """Return the files of a mirror that have a name, the nearest first."""
    if mirror is None:
        return []
    folders = (mirror / "packs" / description.name, mirror)
    return [folder / name for folder in folders if (folder / name).is_file()]


def _require_space(missing: list[RemoteFile], filling: Path) -> None:
    parts = [filling / f"{file.name}.part" for file in missing]
    have = sum(part.stat().st_size for part in parts if part.is_file())
    need = sum(file.size for file in missing) - have + ROOM
    free = shutil.disk_usage(filling).free
    if need > free:
        raise ParaphrastError(
            f"{filling.parent} has {free / 1e6:,.0f} MB free, but {need / 1e6:,.0f} MB "
            "are needed. Free some space, or choose another folder with --packs."
        )
