"""Keep what a long job has done, so that it can go on where it stopped.

While the job runs, its output stands in ``NAME.partial`` and a note of how far it
is in ``NAME.partial.json``. When it is complete the partial file becomes ``NAME``
in one step; until then whatever stood at ``NAME`` is left alone.
"""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from paraphrast import atomic
from paraphrast.errors import ParaphrastError

SECONDS_BETWEEN_NOTES = 1.0


class Journal:
    """An output file in the making; use it as a context manager."""

    def __init__(
        self, path: Path, settings: Mapping[str, object], *, resume: bool
    ) -> None:
        """Start over, or go on with a job of the same ``settings``."""
        atomic.refuse_special(path)
        self.path = path
        self.partial = path.with_name(f"{path.name}.partial")
        self.note = path.with_name(f"{path.name}.partial.json")
        self.settings = json.loads(json.dumps(dict(settings)))
        self.records, length = self._noted() if resume else (0, 0)
        try:
            self.file = open(self.partial, "r+b" if length else "wb")  # noqa: SIM115
            self.file.truncate(length)
            self.file.seek(length)
        except OSError as error:
            raise atomic.cannot_write(self.partial, error) from error
        self._last = time.monotonic()

    def __enter__(self) -> "Journal":
        """Return the journal."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Make the file appear if all went well; else keep what is done."""
        if kind is None:
            self._save()
            self.file.close()
            self.partial.replace(self.path)
            self.note.unlink(missing_ok=True)
        elif self.records:
            self._save()
            self.file.close()
        else:
            self.file.close()
            self.partial.unlink(missing_ok=True)
            self.note.unlink(missing_ok=True)

    def add(self, text: str, records: int) -> None:
        """Append the output of the next ``records`` records."""
        try:
            self.file.write(text.encode("utf-8", errors="surrogateescape"))
        except OSError as error:
            raise atomic.cannot_write(self.partial, error) from error
        self.records += records
        if time.monotonic() - self._last > SECONDS_BETWEEN_NOTES:
            self._save()

    def _save(self) -> None:
        try:
            self.file.flush()
            os.fsync(self.file.fileno())
            length = self.file.tell()
        except OSError as error:
            raise atomic.cannot_write(self.partial, error) from error
        with atomic.writer(self.note) as file:
            json.dump(
                {"settings": self.settings, "records": self.records, "bytes": length},
                file,
            )
        self._last = time.monotonic()

    def _noted(self) -> tuple[int, int]:
        if not self.note.exists() or not self.partial.exists():
            return 0, 0
        try:
            note = json.loads(self.note.read_text("utf-8"))
            settings, records, length = (
                note[key] for key in ("settings", "records", "bytes")
            )
        except (ValueError, KeyError) as error:
            raise ParaphrastError(
                f"{self.note}: not a note of ours. Delete it, or leave out --resume."
            ) from error
        changed = sorted(
            key
            for key in settings.keys() | self.settings.keys()
            if settings.get(key) != self.settings.get(key)
        )
        if changed:
            raise ParaphrastError(
                f"cannot resume {self.path}: {', '.join(changed)} changed since it "
                "stopped. Leave out --resume to start over."
            )
        return int(records), int(length)
