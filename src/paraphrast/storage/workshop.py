"""A folder for the parts of a pack in the making, so that a stopped run can go on.

While a run lasts its parts lie in ``NAME.partial`` beside the pack, with a note of
the settings and texts that they were made from. A part appears whole or not at all;
a run that goes on takes those that are there. When the pack is written, or the run
failed by the user's mistake, the folder goes.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic
from paraphrast.storage.atomic import cannot_write
from paraphrast.storage.journal import lock

NOTE, LOCK = "note.json", ".lock"


class Workshop:
    """The parts of one pack; use it as a context manager."""

    def __init__(
        self, pack: Path, made_from: Mapping[str, object], *, resume: bool
    ) -> None:
        """Start over, or go on with a run from the same settings and texts."""
        self.folder = pack.with_name(f"{pack.name}.partial")
        self._note = json.loads(json.dumps(dict(made_from)))
        self._refuse_foreign()
        if resume and self.folder.exists():
            self._check_note()
        self._resume = resume
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "Workshop":
        """Make the folder, and keep other runs out of it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / LOCK).open("wb")
            lock(self._lock)
            for path in [] if self._resume else self._parts():
                path.unlink()
        except BlockingIOError as error:
            raise ParaphrastError(
                f"{self.folder} is being written by another run. Wait for its end."
            ) from error
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        with atomic.writer(self.folder / NOTE) as file:
            json.dump(self._note, file)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the folder, unless the run was stopped or broke and may go on."""
        if self._lock is not None:
            self._lock.close()
        if kind is None or issubclass(kind, ParaphrastError) or not self._parts():
            shutil.rmtree(self.folder, ignore_errors=True)

    def part(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the file of a part; if it is not there yet, ``make`` writes it."""
        path = self.folder / name
        if not path.exists():
            make(path)
        return path

    def _parts(self) -> list[Path]:
        return [p for p in self.folder.iterdir() if p.name not in (NOTE, LOCK)]

    def _refuse_foreign(self) -> None:
        if not self.folder.exists() or (self.folder / NOTE).is_file():
            return
        if not self.folder.is_dir() or self._parts():
            raise ParaphrastError(
                f"{self.folder} is in the way and not ours. Choose another with -o."
            )

    def _check_note(self) -> None:
        try:
            found = json.loads((self.folder / NOTE).read_text("utf-8"))
        except (OSError, ValueError):
            found = None
        if found != self._note:
            raise ParaphrastError(
                f"cannot resume: {self.folder} was made from other texts or settings. "
                "Leave out --resume to start over."
            )


def fingerprint(texts: object) -> str:
    """Return the sha256 of lists of strings, however deep."""
    return hashlib.sha256(json.dumps(texts).encode("ascii")).hexdigest()
