"""Download a file: resumable, verified, whole or not at all.

It is written beside its path as ``NAME.part``, which two runs cannot write at once, and
renamed once its sha256 is right. What an interrupted download left is continued where
the server can. No more is read than the file should have.
"""

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.storage.atomic import cannot_write
from paraphrast.storage.resumable import open_locked

# Told how many bytes have come since it was told last.
Progress: TypeAlias = Callable[[int], None]

TIMEOUT = 30.0
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Source:
    """Where a file comes from, a local path or an address, and what it must be.

    ``offline`` says how to get it without a network.
    """

    origin: Path | str
    size: int
    sha256: str
    offline: str = ""


def download(source: Source, path: Path, progress: Progress = lambda _: None) -> None:
    """Copy or download a file to its path."""
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_locked(part) as stream:
            _receive(source, stream, progress)
            stream.flush()
            problem = find_difference(part, source.sha256)
            if problem:
                part.unlink()
            else:
                part.replace(path)
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as e:
        raise ParaphrastError(
            f"cannot fetch {source.origin}: {getattr(e, 'reason', None) or e}. "
            f"{source.offline}".rstrip()
        ) from e
    except OSError as error:
        raise cannot_write(part, error) from error
    if problem:
        raise ParaphrastError(
            f"{source.origin} is not the expected file: {problem}. "
            f"Fetch it again. {source.offline}".rstrip()
        )


def find_difference(path: Path, sha256: str) -> str:
    """Say how the hash of a file differs from what it must be, or nothing."""
    try:
        with path.open("rb") as stream:
            digest = file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ParaphrastError(f"cannot read {path}: {error.strerror}.") from error
    return "" if digest == sha256 else f"sha256 is {digest[:12]}…, not {sha256[:12]}…"


def is_whole(path: Path, size: int, sha256: str) -> bool:
    """Say whether a file is there, as large as it must be and with its hash."""
    if not path.is_file() or path.stat().st_size != size:
        return False
    return not find_difference(path, sha256)


def _receive(source: Source, stream: IO[bytes], progress: Progress) -> None:
    have = stream.seek(0, 2)
    if have >= source.size:
        have = 0
    with _open(source, have) as answer:
        resumed = getattr(answer, "status", 206) == 206
        have = have if resumed else 0
        stream.seek(have)
        stream.truncate()
        progress(have)
        # One byte more than there should be is enough to refuse the file.
        room = source.size + 1 - have
        while room > 0 and (chunk := answer.read(min(CHUNK, room))):
            stream.write(chunk)
            room -= len(chunk)
            progress(len(chunk))
        length = answer.getheader("Content-Length") if _is_remote(source) else None
    # http.client takes a connection that closes early for the end of the file.
    if room > 0 and length is not None and stream.tell() - have < int(length):
        raise ConnectionError("the connection closed early; run it again to continue")


def _is_remote(source: Source) -> bool:
    return isinstance(source.origin, str)


def _open(source: Source, have: int) -> Any:
    if isinstance(source.origin, Path):
        try:
            file = source.origin.open("rb")
        except OSError as error:
            raise ParaphrastError(
                f"cannot read {source.origin}: {error.strerror}."
            ) from error
        file.seek(have)
        return file
    address = urllib.parse.quote(source.origin, safe=":/+")
    request = urllib.request.Request(  # noqa: S310 - addresses are ours
        address, headers={"Range": f"bytes={have}-"} if have else {}
    )
    return urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310
