"""Download a corpus into the cache: resumable, verified, whole or not at all.

A file is written beside its path as ``NAME.part`` and renamed once its sha256 is right.
What an interrupted download left is continued where the server can. No more is read
than the catalogue says that the file has.
"""

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import TypeAlias

from paraphrast.corpora.catalogue import (
    DEFAULT_CACHE,
    Entry,
    File,
    entry,
    explain_access,
    locate,
    verify,
)
from paraphrast.errors import ParaphrastError
from paraphrast.storage.atomic import cannot_write

# Told the file and how many bytes of it have come since it was told last.
Progress: TypeAlias = Callable[[File, int], None]

TIMEOUT = 30.0
CHUNK = 1 << 16


def fetch(
    name: str,
    *,
    mirror: Path | None = None,
    cache: Path | None = None,
    progress: Progress = lambda file, count: None,
) -> Path:
    """Return the folder of a corpus; without a mirror, download what is missing."""
    corpus = entry(name)
    if mirror is None and corpus.access not in ("own", "included"):
        root = (cache or DEFAULT_CACHE).expanduser()
        for file in corpus.files:
            if _is_whole(file, root / file.path):
                progress(file, file.bytes)
            elif corpus.access == "public":
                _download(corpus, file, root / file.path, progress)
    return locate(name, mirror=mirror, cache=cache)


def _is_whole(file: File, path: Path) -> bool:
    if not path.is_file() or path.stat().st_size != file.bytes:
        return False
    try:
        verify(file, path)
    except ParaphrastError:
        return False
    return True


def _download(corpus: Entry, file: File, path: Path, progress: Progress) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path.parent, error) from error
    try:
        _receive(file, part, progress)
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as e:
        raise ParaphrastError(
            f"cannot fetch {file.address}: {getattr(e, 'reason', None) or e}. "
            f"To work offline: {explain_access(corpus).partition(', or ')[2]}"
        ) from e
    except OSError as error:
        raise cannot_write(part, error) from error
    try:
        verify(file, part)
    except ParaphrastError as error:
        part.unlink()
        raise ParaphrastError(
            f"{file.address} is no longer the file of the catalogue ({error}) "
            f"An older copy may be on a mirror: {explain_access(corpus)}"
        ) from error
    part.replace(path)


def _receive(file: File, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    if have >= file.bytes:
        have = 0
    address = urllib.parse.quote(file.address, safe=":/+")
    request = urllib.request.Request(  # noqa: S310 - addresses are the catalogue's
        address, headers={"Range": f"bytes={have}-"} if have else {}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
        resumed = answer.status == 206
        with part.open("ab" if resumed else "wb") as stream:
            if resumed:
                progress(file, have)
            # One byte more than the catalogue says is enough to refuse the file.
            room = file.bytes + 1 - stream.tell()
            while room > 0 and (chunk := answer.read(min(CHUNK, room))):
                stream.write(chunk)
                room -= len(chunk)
                progress(file, len(chunk))
    if room <= 0:
        return
    length = answer.getheader("Content-Length")
    received = part.stat().st_size - (have if resumed else 0)
    # http.client takes a connection that closes early for the end of the file.
    if length is not None and received < int(length):
        raise ConnectionError("the connection closed early; run it again to continue")
