"""Files that are rewritten in the background, one after the other.

A job is a folder: ``job.json`` has the request and its state, ``input`` is the file,
``result`` its rewrite. Jobs outlive the server: unfinished ones are started again when
it starts; jobs that ended some days ago are deleted. Their sentences share batches with
those of requests, so that a long file delays nobody.
"""

import hashlib
import json
import logging
import re
import secrets
import shutil
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic
from paraphrast.web.service.files import Asked, rewrite_file
from paraphrast.web.service.rewriting import Service

_log = logging.getLogger(__name__)

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED = ("done", "failed", "cancelled")
LONGEST_NAME = 100
SECONDS_BETWEEN_NOTES = 1.0
SECONDS_PER_DAY = 86_400
_UNSAFE = re.compile(r"[^\w .()-]+", re.ASCII)


@dataclass(frozen=True)
class Job:
    """A file to rewrite, and its state.

    ``done`` and ``total`` count characters of text. ``left`` has a line for each reason
    why something is unchanged. ``digest`` is that of the request, and ``key`` the
    client's idempotency key. Times are seconds since 1970.
    """

    id: str
    owner: str
    name: str
    asked: Asked
    digest: str
    key: str = ""
    state: State = "queued"
    done: int = 0
    total: int = 0
    why: str = ""
    left: tuple[str, ...] = ()
    created: float = 0.0
    started: float = 0.0
    ended: float = 0.0

    @property
    def seconds_remaining(self) -> float | None:
        """Estimate the remaining time, once there is enough progress."""
        if self.state != "running" or not self.done or not self.started:
            return None
        rate = self.done / max(1e-3, time.time() - self.started)
        return max(0.0, (self.total - self.done) / rate)


class _Stopped(Exception):  # noqa: N818
    """The job was cancelled, or the server is stopping."""


class TooManyJobsError(ParaphrastError):
    """An owner has the maximum number of jobs."""


class Jobs:
    """All jobs of a server, and the thread that runs them."""

    def __init__(self, folder: Path, service: Service, *, most: int, days: int) -> None:
        """Keep jobs in a folder, ``most`` of each owner, ``days`` after they ended."""
        self.folder = folder
        self.most = most
        self.days = days
        self._service = service
        self._jobs: dict[str, Job] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Read the existing jobs, and continue them."""
        for path in self.folder.glob("*/job.json"):
            try:
                table = json.loads(path.read_text("utf-8"))
                job = config.build(table, Job, where=str(path))
            except (OSError, ValueError, ParaphrastError) as error:
                _log.warning("job %s cannot be read: %s", path.parent.name, error)
                continue
            if job.state not in ENDED:
                job = replace(job, state="queued", done=0)
            self._jobs[job.id] = job
        with self._changed:
            self._forget_old()
        self._thread = threading.Thread(target=self._run, name="jobs")
        self._thread.start()

    def close(self) -> None:
        """Stop; the running job will be started again."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def submit(
        self, owner: str, name: str, content: bytes, asked: Asked, *, key: str = ""
    ) -> Job:
        """Accept a file; the same ``key`` with the same file gives the same job."""
        whole = json.dumps([name, asdict(asked)]).encode() + b"\n" + content
        digest = hashlib.sha256(whole).hexdigest()
        with self._changed:
            self._forget_old()
            own = [job for job in self._jobs.values() if job.owner == owner]
            for job in own:
                if key and job.key == key:
                    if job.digest == digest:
                        return job
                    raise ParaphrastError(
                        f"the Idempotency-Key {key!r} was used for another request. "
                        "Choose a new one."
                    )
            if len(own) >= self.most:
                raise TooManyJobsError(
                    f"you have {len(own)} jobs, which is the limit. Delete finished "
                    "ones first."
                )
            job = Job(
                id=secrets.token_hex(12),
                owner=owner,
                name=_clean_name(name),
                asked=asked,
                digest=digest,
                key=key,
                created=time.time(),
            )
            with atomic.new_folder(self.folder / job.id) as folder:
                (folder / "input").write_bytes(content)
                (folder / "job.json").write_text(json.dumps(_as_table(job)), "utf-8")
            self._jobs[job.id] = job
            self._changed.notify_all()
        return job

    def find(self, owner: str, job_id: str) -> Job | None:
        """Return a job of an owner."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.owner == owner else None

    def list(self, owner: str) -> "list[Job]":
        """Return the jobs of an owner, the newest first."""
        own = [job for job in list(self._jobs.values()) if job.owner == owner]
        return sorted(own, key=lambda job: -job.created)

    def result(self, job: Job) -> Path:
        """Return the path of a job's result, once it is done."""
        return self.folder / job.id / "result"

    def cancel(self, job: Job) -> Job:
        """Stop a job that has not ended; delete one that has."""
        with self._changed:
            current = self._jobs.get(job.id, job)
            if current.state in ENDED:
                self._forget(current)
                return current
            return self._note(current, state="cancelled", ended=time.time())

    def _forget(self, job: Job) -> None:
        self._jobs.pop(job.id, None)
        shutil.rmtree(self.folder / job.id, ignore_errors=True)

    def _forget_old(self) -> None:
        oldest = time.time() - self.days * SECONDS_PER_DAY
        for job in list(self._jobs.values()):
            if job.state in ENDED and job.ended < oldest:
                self._forget(job)

    def _note(self, job: Job, **changes: Any) -> Job:
        """Update a job, in memory and on disk."""
        job = replace(job, **changes)
        self._jobs[job.id] = job
        with atomic.writer(self.folder / job.id / "job.json") as file:
            json.dump(_as_table(job), file)
        return job

    @property
    def unfinished(self) -> int:
        """Return how many jobs run or wait."""
        return sum(job.state not in ENDED for job in list(self._jobs.values()))

    def _next(self) -> Job | None:
        waiting = [job for job in self._jobs.values() if job.state == "queued"]
        return min(waiting, key=lambda job: job.created, default=None)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._next())
                job = self._next()
                if self._closing or job is None:
                    return
                job = self._note(job, state="running", started=time.time())
            ended: dict[str, Any] = {"state": "done"}
            try:
                ended["left"] = self._rewrite(job)
            except _Stopped:
                continue
            except ParaphrastError as error:
                ended = {"state": "failed", "why": str(error)}
            # A file that breaks the server must not end the thread.
            except Exception as error:  # noqa: BLE001
                _log.error("job %s: %s", job.id, type(error).__name__)
                ended = {"state": "failed", "why": "the server failed, a bug."}
            with self._changed:
                if (current := self._running(job)) is not None:
                    self._note(current, **ended, ended=time.time())

    def _running(self, job: Job) -> Job | None:
        """Return a job as it is now, unless it was cancelled."""
        current = self._jobs.get(job.id)
        return current if current and current.state == "running" else None

    def _rewrite(self, job: Job) -> tuple[str, ...]:
        """Write the result; return what was left unchanged, and why."""
        folder = self.folder / job.id
        last = 0.0

        def tell(done: int, total: int) -> None:
            nonlocal last
            with self._changed:
                current = self._running(job)
                if self._closing or current is None:
                    raise _Stopped
                changed = replace(current, done=done, total=total)
                self._jobs[job.id] = changed
                if time.monotonic() - last > SECONDS_BETWEEN_NOTES:
                    last = time.monotonic()
                    self._note(changed)

        with atomic.bytes_writer(folder / "result") as result:
            left = rewrite_file(
                self._service, job.asked, job.name, folder / "input", result, tell=tell
            )
        return tuple(left)


def _as_table(job: Job) -> dict[str, Any]:
    """Return a job as JSON has it, without what was not given."""
    table = asdict(job)
    asked = {key: value for key, value in table["asked"].items() if value is not None}
    return table | {"asked": asked}


def _clean_name(name: str) -> str:
    """Return a file's name without folders and what no header should carry."""
    own = name.replace("\\", "/").rpartition("/")[2]
    return _UNSAFE.sub("_", own)[-LONGEST_NAME:].lstrip(".") or "file.txt"
