"""Write a file whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from paraphrast.errors import ParaphrastError


@contextmanager
def writer(path: Path) -> Iterator[TextIO]:
    """Open ``path`` for text; it appears only when the block ends without error.

    Whatever stood at ``path`` before stays until then, also when the disk is full
    or the process is stopped. Lines end in ``"\\n"`` on every system, and lone
    surrogates (undecodable input bytes) are written back as those bytes.
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


@contextmanager
def bytes_writer(path: Path) -> Iterator[BinaryIO]:
    """Open ``path`` for bytes; it appears only when the block ends without error."""
    with _replacing(path) as handle, open(handle, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _replacing(path: Path) -> Iterator[int]:
    """Give a handle to a file beside ``path`` that takes its place in the end."""
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
    """Refuse a folder or a device, which a new file must not take the place of."""
    if path.exists() and not path.is_file():
        raise ParaphrastError(f"{path} is not a plain file. Choose another with -o.")


def cannot_write(path: Path, error: OSError) -> ParaphrastError:
    """Return the error for a path that cannot be written."""
    return ParaphrastError(
        f"cannot write {path}: {error.strerror or error}. "
        "Choose another place with -o, or free some space."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
