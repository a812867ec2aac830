"""Write a file or a folder atomically.

Output is written beside its path under a temporary name, and renamed to the path when
it is complete; an existing file is kept until then, also if the disk is full or the
process is killed.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from paraphrast.errors import ParaphrastError


@contextmanager
def writer(path: Path) -> Iterator[TextIO]:
    """Open ``path`` for text; it appears only when the block ends without error.

    Lines end in ``"\\n"`` on every system, and lone surrogates (undecodable input
    bytes) are written back as those bytes.
    """
    with (
        _replacing(path) as handle,
        open(
            handle, "w", encoding="utf-8", errors="surrogateescape", newline="\n"
        ) as file,
    ):
        yield file
        file.flush()
        os.fsync(file.fileno())


def write_json(path: Path, value: object, *, indent: int = 1) -> None:
    """Write a value as indented JSON, atomically."""
    with writer(path) as file:
        json.dump(value, file, ensure_ascii=False, indent=indent)
        file.write("\n")


@contextmanager
def bytes_writer(path: Path) -> Iterator[BinaryIO]:
    """Open ``path`` for bytes; it appears only when the block ends without error."""
    with _replacing(path) as handle, open(handle, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder to fill; it is renamed to the path when the block ends.

    An existing folder is replaced: the caller refuses what must not be lost.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        filling = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        yield filling
        filling.chmod(0o777 & ~_umask())
        replace_folder(filling, folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def replace_folder(new: Path, folder: Path) -> None:
    """Move a folder to a path; an old one is removed only after that."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        new.replace(folder)
        return
    old = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.old."))
    try:
        folder.replace(old)
        new.replace(folder)
    except OSError:
        if not folder.exists():
            old.replace(folder)
        raise
    finally:
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _replacing(path: Path) -> Iterator[int]:
    """Yield a temporary file beside ``path``, which replaces it at the end."""
    refuse_special(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise cannot_write(path, error) from error
    temporary = Path(name)
    try:
        yield handle
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise cannot_write(path, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def refuse_special(path: Path) -> None:
    """Refuse a folder or a device, which a new file must not replace."""
    if path.exists() and not path.is_file():
        raise ParaphrastError(f"{path} is not a regular file. Choose another with -o.")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn system errors into one that names the path."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> ParaphrastError:
    """Return the error for a path that cannot be written."""
    return ParaphrastError(
        f"cannot write {path}: {error.strerror or error}. "
        "Choose another path with -o, or free some space."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
