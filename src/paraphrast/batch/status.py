"""The status of a batch job, read from its folder.

Shards leave notes (`work.Note`), and every run keeps a note of its own up to date:
where it runs, what it is working on, how many workers died. Nothing else is needed, so
`read_status` can be asked from another terminal or another machine.
"""

import json
import os
import socket
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from paraphrast import config
from paraphrast.batch.plan import Plan
from paraphrast.batch.schedule import Counts
from paraphrast.batch.work import DONE, Note, read_note
from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

RUNS, REPORT = "runs", "report.json"
SECONDS_BETWEEN_NOTES = 2.0
_ALIVE = 30.0  # seconds after its last note that a run is thought to be alive
_WINDOW = 300.0  # seconds that the rate is measured over


@dataclass(frozen=True)
class Run:
    """One run of a job, as last reported by itself; times are in seconds since 1970."""

    host: str
    process: int
    engine: str
    workers: int
    started: float
    updated: float
    ended: bool = False
    running: list[str] = field(default_factory=list)
    deaths: int = 0
    halved: int = 0
    given_up: int = 0

    @property
    def is_alive(self) -> bool:
        """Say whether the run is probably still alive."""
        return not self.ended and time.time() - self.updated < _ALIVE


@dataclass(frozen=True)
class Status:
    """The status of a job. Rates are in records per second, over the last minutes."""

    shards: int
    shards_done: int
    records: int
    records_done: int
    failed: int
    reasons: dict[str, int]
    deaths: int
    rate: float | None
    seconds_left: float | None
    finished: bool
    runs: list[Run]

    def lines(self) -> Iterator[str]:
        """Yield the status as lines of text."""
        share = self.records_done / self.records if self.records else 1.0
        yield (
            f"{self.records_done:,} of {self.records:,} records ({share:.0%}), "
            f"{self.shards_done:,} of {self.shards:,} shards"
            + ("; finished" if self.finished else "")
        )
        if self.rate is not None:
            left = describe_seconds(self.seconds_left or 0.0)
            yield f"{self.rate:,.0f} records/s, {left} left"
        yield f"records failed: {self.failed:,}; workers died: {self.deaths:,}"
        for why, count in sorted(self.reasons.items(), key=lambda item: -item[1]):
            yield f"  left {count:,}: {why}"
        for run in self.runs:
            if run.is_alive:
                where = f"{run.host}, process {run.process}"
                at = ", ".join(run.running) or "nothing yet"
                yield f"running on {where} ({run.engine}, {run.workers} workers): {at}"


@dataclass(frozen=True)
class Report:
    """The outcome of a job; ``reasons`` count unchanged or dropped records."""

    result: str
    sha256: str
    records: int
    failed: int
    reasons: dict[str, int]


def read_status(plan: Plan) -> Status:
    """Read the status of a job from its folder."""
    runs = list(_read_runs(plan.folder / RUNS))
    notes = read_notes(plan)
    report = read_report(plan)
    done = report.records if report else sum(n.records for n in notes.values())
    alive = [run for run in runs if run.is_alive]
    rate = measure_rate(notes.values(), min((r.started for r in alive), default=0.0))
    rate = rate if alive else None
    return Status(
        shards=len(plan.shards),
        shards_done=len(plan.shards) if report else len(notes),
        records=plan.records,
        records_done=done,
        failed=report.failed if report else sum(n.failed for n in notes.values()),
        reasons=report.reasons if report else add_reasons(notes.values()),
        deaths=sum(run.deaths for run in runs),
        rate=rate,
        seconds_left=(plan.records - done) / rate if rate else None,
        finished=report is not None,
        runs=runs,
    )


def read_report(plan: Plan) -> Report | None:
    """Return the report of a job that is finished and whose result is there."""
    path = plan.folder / REPORT
    if not path.is_file():
        return None
    report = Report(**json.loads(path.read_text("utf-8")))
    return report if (plan.folder / report.result).is_file() else None


def read_notes(plan: Plan) -> dict[int, Note]:
    """Return the notes of the shards that are done."""
    folder = plan.folder / DONE
    names = {path.stem for path in folder.glob("*.json")} if folder.is_dir() else set()
    notes = (
        (shard.number, read_note(folder / f"{shard.number:05}.json"))
        for shard in plan.shards
        if f"{shard.number:05}" in names
    )
    return {number: note for number, note in notes if note is not None}


def add_reasons(notes: Iterable[Note]) -> dict[str, int]:
    """Return how many records were left unchanged or dropped, by reason."""
    reasons: Counter[str] = Counter()
    for note in notes:
        reasons.update(note.reasons)
    return dict(reasons.most_common())


def measure_rate(notes: Iterable[Note], started: float) -> float | None:
    """Return the records per second since a start, or of the last minutes."""
    now = time.time()
    begin = max(started, now - _WINDOW)
    records = sum(note.records for note in notes if note.finished >= begin)
    return records / (now - begin) if records and now > begin else None


def describe_seconds(seconds: float) -> str:
    """Return a duration in suitable units."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class RunNote:
    """The note that a run keeps in the folder of its job; a context manager ends it."""

    def __init__(self, plan: Plan, engine: str, workers: int) -> None:
        """Name the note after this process and the time."""
        self._run = Run(
            socket.gethostname(), os.getpid(), engine, workers, time.time(), time.time()
        )
        name = f"{self._run.host}-{self._run.process}-{self._run.started:.3f}.json"
        self._path = plan.folder / RUNS / name
        self._last = 0.0
        self._now: tuple[Counts, list[str]] = (Counts(), [])

    def __enter__(self) -> "RunNote":
        """Record that the run has started."""
        os.makedirs(self._path.parent, exist_ok=True)
        self._write()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Record that the run has ended."""
        self._write(ended=True)

    @property
    def started(self) -> float:
        """Return when the run began."""
        return self._run.started

    def update(self, counts: Counts, running: list[str]) -> None:
        """Update the note, writing it from time to time."""
        self._now = counts, running
        if time.monotonic() - self._last > SECONDS_BETWEEN_NOTES:
            self._write()

    def _write(self, *, ended: bool = False) -> None:
        self._last = time.monotonic()
        counts, running = self._now
        table: dict[str, Any] = asdict(self._run) | asdict(counts)
        table |= {"updated": time.time(), "ended": ended}
        with atomic.writer(self._path) as file:
            json.dump(table | {"running": [] if ended else running}, file)


def _read_runs(folder: Path) -> Iterator[Run]:
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    for path in paths:
        try:
            yield config.build(
                json.loads(path.read_text("utf-8")), Run, where=str(path)
            )
        except (OSError, ValueError, ParaphrastError):
            continue
