"""Outputs in the making, which a stopped run leaves so that it can go on.

While a run lasts, each output stands in ``NAME.partial``, and a note of how far it
is in ``NAME.partial.json`` beside the first. When all is done the partial files take
their names; until then whatever stood there is left alone. After a stop at any
moment, even by a power cut, the note describes a prefix of every partial file, and
whatever stands behind that prefix is cut off before the run goes on.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

SECONDS_BETWEEN_NOTES = 2.0


class Journal:
    """The files a run writes; use it as a context manager."""

    def __init__(
        self,
        paths: Sequence[Path],
        settings: Mapping[str, object],
        *,
        resume: bool,
        resumable: bool = True,
    ) -> None:
        """Start over, or go on with a run of the same ``settings``."""
        for path in paths:
            atomic.refuse_special(path)
        self.paths = list(paths)
        self.partials = [path.with_name(f"{path.name}.partial") for path in paths]
        self.note = (
            paths[0].with_name(f"{paths[0].name}.partial.json") if paths else None
        )
        self.settings = json.loads(json.dumps(dict(settings)))
        self.resumable = resumable
        # Lengths and state change together, in one assignment, so that no
        # interruption can leave a note of one without the other.
        self._done: tuple[list[int], dict[str, Any]] = ([0] * len(paths), {})
        if resume:
            self._done = self._noted() or self._done
        self._files: list[IO[bytes]] = []
        self._last = time.monotonic()

    @property
    def state(self) -> dict[str, Any]:
        """Return what `add` was last told, or nothing at a fresh start."""
        return self._done[1]

    def __enter__(self) -> "Journal":
        """Open the partial files at the ends of what is done."""
        for partial, length in zip(self.partials, self._done[0], strict=True):
            try:
                handle = os.open(partial, os.O_RDWR | os.O_CREAT, 0o666)
                file = open(handle, "r+b")  # noqa: SIM115 - closed in __exit__
                self._files.append(file)
                lock(file)
                file.truncate(length)
                file.seek(length)
            except BlockingIOError as error:
                raise ParaphrastError(
                    f"{partial} is being written by another run. Wait for its end."
                ) from error
            except OSError as error:
                raise atomic.cannot_write(partial, error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the outputs appear if all went well; else keep what is done."""
        if kind is None:
            self._flush()
            self._close()
            for partial, path in zip(self.partials, self.paths, strict=True):
                partial.replace(path)
            self._forget()
            return
        if self.resumable and self.state:
            with suppress(ParaphrastError):  # a full disk; the last note stands
                self.save()
            self._close()
            return
        self._close()
        for partial in self.partials:
            partial.unlink(missing_ok=True)
        self._forget()

    def add(self, parts: Sequence[bytes], state: Mapping[str, Any]) -> None:
        """Append to each file, then remember the state that is reached by it."""
        for partial, file, part in zip(self.partials, self._files, parts, strict=True):
            try:
                file.write(part)
            except OSError as error:
                raise atomic.cannot_write(partial, error) from error
        lengths = [
            length + len(part)
            for length, part in zip(self._done[0], parts, strict=True)
        ]
        self._done = (lengths, dict(state))
        if time.monotonic() - self._last > SECONDS_BETWEEN_NOTES:
            self.save()

    def save(self) -> None:
        """Note how far the run is, once its files are safely on disk."""
        if self.note is None or not self.resumable:
            return
        lengths, state = self._done
        self._flush()
        with atomic.writer(self.note) as file:
            json.dump(
                {"settings": self.settings, "lengths": lengths, "state": state}, file
            )
        self._last = time.monotonic()

    def _flush(self) -> None:
        for partial, file in zip(self.partials, self._files, strict=True):
            try:
                file.flush()
                os.fsync(file.fileno())
            except OSError as error:
                raise atomic.cannot_write(partial, error) from error

    def _close(self) -> None:
        for file in self._files:
            with suppress(OSError):  # flushed before, or beyond saving
                file.close()

    def _forget(self) -> None:
        if self.note is not None:
            self.note.unlink(missing_ok=True)

    def _noted(self) -> tuple[list[int], dict[str, Any]] | None:
        if self.note is None or not self.note.exists():
            return None
        try:
            note = json.loads(self.note.read_text("utf-8"))
            settings, lengths, state = (
                note[key] for key in ("settings", "lengths", "state")
            )
            for partial, length in zip(self.partials, lengths, strict=True):
                if partial.stat().st_size < length:
                    raise ValueError("too short")
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise ParaphrastError(
                f"cannot resume from {self.note}: it does not fit the partial files "
                "beside it. Leave out --resume to start over."
            ) from error
        changed = sorted(
            key
            for key in settings.keys() | self.settings.keys()
            if settings.get(key) != self.settings.get(key)
        )
        if changed:
            raise ParaphrastError(
                f"cannot resume {self.paths[0]}: {', '.join(changed)} changed since it "
                "stopped. Leave out --resume to start over."
            )
        return lengths, state


def lock(file: IO[bytes]) -> None:
    """Keep other runs from a file; BlockingIOError if one of them has it."""
    try:
        import fcntl
    except ImportError:  # Windows, which keeps a second writer out by itself
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
