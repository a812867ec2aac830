"""Jobs that go on where they were after a stop, a kill or a power cut.

A `Journal` appends to output files, and `Parts` collects the parts of a folder. Both
keep a note of every setting that changes the result; `resume` refuses a note with other
settings and names those that differ. Whoever starts a job gives as settings

- the options that change what is written (not, say, the number of threads),
- `identity` of each input file, or `fingerprint` of texts in memory,
- `Pack.sha256` or another hash of each model that takes part.

The version of paraphrast is added here. While a job lasts its files are locked, and
they stay locked until they have taken their names, so that two runs never mix.
"""

import glob
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

SECONDS_BETWEEN_NOTES = 2.0
NOTE, LOCK = "note.json", ".lock"


class Journal:
    """The outputs of a job, appended to bit by bit; use it as a context manager.

    While the job lasts, each output stands in ``NAME.partial``, and a note of how far
    it is in ``NAME.partial.json`` beside the first. When all is done the partial files
    take their names; until then whatever stood there is left alone. After a stop at any
    moment the note describes a prefix of every partial file, and what stands behind
    that prefix is cut off before the job goes on.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        settings: Mapping[str, object],
        *,
        resume: bool,
        resumable: bool = True,
    ) -> None:
        """Start over, or go on with a job of the same ``settings``.

        ``settings`` map names as the user knows them to values that JSON can hold. A
        job that is not ``resumable`` leaves nothing behind when it is stopped.
        """
        for path in paths:
            atomic.refuse_special(path)
        self.paths = list(paths)
        self._name = paths[0] if paths else Path()  # in errors
        self.partials = [path.with_name(f"{path.name}.partial") for path in paths]
        self.note = (
            paths[0].with_name(f"{paths[0].name}.partial.json") if paths else None
        )
        self.settings = _as_noted(settings)
        self.resume, self.resumable = resume, resumable
        # Lengths and state change together, in one assignment, so that no
        # interruption can leave a note of one without the other.
        self._done: tuple[list[int], dict[str, Any]] = ([0] * len(paths), {})
        self._finished: set[Path] = set()  # outputs that are whole from before
        self._files: list[IO[bytes]] = []
        self._last = time.monotonic()

    @property
    def state(self) -> dict[str, Any]:
        """Return what `add` was last told, or nothing at a fresh start."""
        return self._done[1]

    def __enter__(self) -> "Journal":
        """Lock the partial files and open them at the ends of what is done."""
        try:
            with atomic.naming(self._name):
                self._open()
        except BaseException:
            self._remove(empty=True)
            raise
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Let the outputs appear if all went well; else keep what is done."""
        if error is None:
            self._finish()
        elif self.resumable and self.state:
            with suppress(ParaphrastError):  # a full disk; the last note stands
                self.save()
            self._close()
        else:
            self._forget()
            self._remove()

    def add(self, parts: Sequence[bytes], state: Mapping[str, Any]) -> None:
        """Append to each file, then remember the state that is reached by it."""
        if self._finished and any(parts):
            raise ParaphrastError(
                f"{self.paths[0]} was finished, but there is more input now. Leave out "
                "--resume to start over."
            )
        for partial, file, part in zip(self.partials, self._files, parts, strict=True):
            with atomic.naming(partial):
                file.write(part)
        lengths = [
            length + len(part)
            for length, part in zip(self._done[0], parts, strict=True)
        ]
        self._done = (lengths, dict(state))
        if time.monotonic() - self._last > SECONDS_BETWEEN_NOTES:
            self.save()

    def save(self, *, finished: bool = False) -> None:
        """Note how far the job is, once its files are safely on disk."""
        lengths, state = self._done
        for partial, file in zip(self.partials, self._files, strict=True):
            with atomic.naming(partial):
                file.flush()
                os.fsync(file.fileno())
        if self.note is None or not self.resumable:
            return
        note = {"settings": self.settings, "lengths": lengths, "state": state}
        with atomic.writer(self.note) as stream:
            json.dump(note | {"finished": finished}, stream)
        self._last = time.monotonic()

    def _open(self) -> None:
        for partial in self.partials:
            self._files.append(open_locked(partial))
        self._remove_torn_notes()
        if self.resume:
            self._go_on()
        else:
            self._forget()
        for partial, file, length in zip(
            self.partials, self._files, self._done[0], strict=True
        ):
            if partial not in self._finished:
                file.truncate(length)
                file.seek(length)

    def _finish(self) -> None:
        try:
            with atomic.naming(self._name):
                self._rename()
        finally:
            self._close()

    def _rename(self) -> None:
        # The note first, so that a kill between two renames can be told from one
        # before them; the first output last, as it is what other runs lock first.
        self.save(finished=True)
        if os.name == "nt":  # where an open file cannot be renamed
            self._close()
        for partial, path in reversed([*zip(self.partials, self.paths, strict=True)]):
            if partial in self._finished:
                partial.unlink()
            else:
                partial.replace(path)
        self._forget()

    def _go_on(self) -> None:
        """Take up what the note describes, if it belongs to this job."""
        if self.note is None or not self.note.exists():
            return
        try:
            note = json.loads(self.note.read_text("utf-8"))
            settings = dict(note["settings"])
            lengths, state = [int(n) for n in note["lengths"]], dict(note["state"])
            sizes = [os.fstat(file.fileno()).st_size for file in self._files]
            whole = note.get("finished", False)
            for path, partial, length, size in zip(
                self.paths, self.partials, lengths, sizes, strict=True
            ):
                if size < length:
                    if not whole or path.stat().st_size != length:
                        raise ValueError("too short")
                    self._finished.add(partial)
        except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
            raise ParaphrastError(
                f"cannot resume from {self.note}: it does not match the partial files. "
                "Leave out --resume to start over."
            ) from error
        refuse_changed(self.paths[0], settings, self.settings)
        self._done = (lengths, state)

    def _remove(self, *, empty: bool = False) -> None:
        """Remove the partial files, or those that are empty, while they are locked."""
        for partial, file in zip(self.partials, self._files, strict=False):
            with suppress(OSError):
                if not empty or os.fstat(file.fileno()).st_size == 0:
                    partial.unlink(missing_ok=True)
        self._close()

    def _close(self) -> None:
        for file in self._files:
            with suppress(OSError):  # flushed before, or beyond saving
                file.close()

    def _forget(self) -> None:
        if self.note is not None:
            self.note.unlink(missing_ok=True)

    def _remove_torn_notes(self) -> None:
        """Remove what a kill left of a note in the making; only this run writes one."""
        if self.note is not None:
            for path in self.note.parent.glob(f".{glob.escape(self.note.name)}.*"):
                path.unlink(missing_ok=True)


class Parts:
    """The parts of a folder in the making; use it as a context manager.

    While the job lasts its parts lie in ``NAME.partial`` beside the folder, with a note
    of its settings. A part appears whole or not at all; a job that goes on takes those
    that exist. When the job ends, or fails by a mistake of the user, they are removed,
    in the second case unless ``keep``.
    """

    def __init__(
        self,
        target: Path,
        settings: Mapping[str, object],
        *,
        resume: bool,
        keep: bool = False,
    ) -> None:
        """Start over, or go on with a job of the same ``settings``: see `Journal`."""
        self.target, self.folder = target, target.with_name(f"{target.name}.partial")
        self.settings = _as_noted(settings)
        self.resume, self.keep = resume, keep
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "Parts":
        """Make the folder, and keep other runs out of it."""
        self._refuse_foreign()
        try:
            with atomic.naming(self.folder):
                self._open()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Remove the folder, unless the job was stopped or broke and may go on."""
        # A full disk is an error for the user too, but no reason to lose the work.
        mistaken = isinstance(error, ParaphrastError) and not isinstance(
            error.__cause__, OSError
        )
        if error is None or (mistaken and not self.keep) or not self._paths():
            with suppress(OSError):
                self._clear()
                # The lock goes last: until then no other run can come in.
                for name in (NOTE, LOCK):
                    (self.folder / name).unlink(missing_ok=True)
                self.folder.rmdir()
        self._close()

    def make(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the path of a part; if it does not exist yet, ``make`` writes it."""
        path = self.folder / name
        if not path.exists():
            make(path)
        return path

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = open_locked(self.folder / LOCK)
        if self.resume:
            self._check_note()
        else:
            self._clear()
        with atomic.writer(self.folder / NOTE) as file:
            json.dump({"settings": self.settings}, file)

    def _close(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _paths(self) -> list[Path]:
        return [p for p in self.folder.iterdir() if p.name not in (NOTE, LOCK)]

    def _clear(self) -> None:
        for path in self._paths():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _refuse_foreign(self) -> None:
        if not self.folder.exists() or (self.folder / NOTE).is_file():
            return
        if not self.folder.is_dir() or self._paths():
            raise ParaphrastError(
                f"{self.folder} exists and was not created by paraphrast. "
                "Choose another name."
            )

    def _check_note(self) -> None:
        if not self._paths():
            return
        try:
            note = json.loads((self.folder / NOTE).read_text("utf-8"))
            settings = dict(note["settings"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ParaphrastError(
                f"cannot resume: {self.folder / NOTE} is damaged. "
                "Leave out --resume to start over."
            ) from error
        refuse_changed(self.target, settings, self.settings)


def open_locked(path: Path) -> IO[bytes]:
    """Open a file for reading and writing that no other run has open.

    A run that ends renames or removes its file and only then unlocks it: whoever had
    opened it before finds that the name belongs to no file or another, and tries again.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        file = open(handle, "r+b")  # noqa: SIM115 - the caller closes it
        try:
            _lock(file)
            if os.path.samestat(os.fstat(handle), path.stat()):
                return file
        except FileNotFoundError:
            pass
        except BaseException as error:
            file.close()
            if isinstance(error, BlockingIOError):
                raise ParaphrastError(
                    f"{path} is being written by another run. Wait until it ends."
                ) from error
            raise
        file.close()


def identity(path: Path) -> tuple[str, int, int]:
    """Return what tells an input file from another: its path, size and time."""
    try:
        status = path.stat()
    except OSError as error:
        raise ParaphrastError(
            f"cannot read {path}: {error.strerror or error}. Check the path."
        ) from error
    return str(path), status.st_size, status.st_mtime_ns


def fingerprint(texts: object) -> str:
    """Return the sha256 of lists of strings, however deep."""
    return hashlib.sha256(json.dumps(texts).encode("ascii")).hexdigest()


def _as_noted(settings: Mapping[str, object]) -> dict[str, Any]:
    noted = {**settings, "version of paraphrast": version("paraphrast")}
    return dict(json.loads(json.dumps(noted)))


def refuse_changed(
    path: Path,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    *,
    again: str = "Leave out --resume to start over.",
) -> None:
    """Refuse to go on with other settings than before, and name those that differ."""
    missing = object()
    changed = sorted(
        name
        for name in before.keys() | now.keys()
        if before.get(name, missing) != now.get(name, missing)
    )
    if changed:
        raise ParaphrastError(
            f"cannot resume {path}: {', '.join(changed)} changed since it stopped. "
            f"{again}"
        )


def _lock(file: IO[bytes]) -> None:
    """Keep other runs from a file; BlockingIOError if one of them has it."""
    try:
        import fcntl
    except ImportError:  # Windows, which keeps a second writer out by itself
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
