"""Download a corpus into the cache: see `paraphrast.storage.download`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from paraphrast.corpora.catalogue import (
    DEFAULT_CACHE,
    File,
    entry,
    explain_access,
    locate,
)
from paraphrast.storage.download import Source, download, is_whole

# Told the file and how many bytes of it have come since it was told last.
Progress: TypeAlias = Callable[[File, int], None]


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
            if is_whole(root / file.path, file.bytes, file.sha256):
                progress(file, file.bytes)
            elif corpus.access == "public":
                hint = explain_access(corpus).partition(", or ")[2]
                source = Source(
                    file.address, file.bytes, file.sha256, f"To work offline: {hint}"
                )
                download(source, root / file.path, partial(progress, file))
    return locate(name, mirror=mirror, cache=cache)
