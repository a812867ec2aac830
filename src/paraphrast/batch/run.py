"""Process the unfinished shards of a planned job with the workers of an engine."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from paraphrast.batch.engines import open_engine
from paraphrast.batch.plan import Plan, check_models
from paraphrast.batch.schedule import Actions, Counts, Schedule
from paraphrast.batch.status import RunNote, measure_rate, read_notes, read_report
from paraphrast.batch.work import (
    Note,
    Part,
    find_paths,
    give_up,
    join_parts,
    read_note,
)
from paraphrast.config import count_cores
from paraphrast.errors import ParaphrastError

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True)
class Settings:
    """How a job is run; nothing here changes its result.

    ``shards`` is a list such as ``10-19,25``, for array jobs, which divide the work
    themselves. A worker that takes more than ``time_limit`` seconds for a part is
    killed.
    """

    engine: str = "processes"
    workers: int = field(default_factory=count_cores)
    address: str | None = None
    shards: str | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.workers < 1:
            raise ParaphrastError(f"workers must be at least 1, not {self.workers}.")
        if self.address is not None and self.engine != "ray":
            raise ParaphrastError("--address needs a Ray cluster. Add --engine ray.")


@dataclass(frozen=True)
class Progress:
    """The progress of a run, to be displayed."""

    done: int
    total: int
    failed: int
    counts: Counts
    rate: float | None


def run(
    plan: Plan,
    settings: Settings | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Process what is not done, and return the progress of the job.

    ``show`` is called with it about once per second.
    """
    chosen = settings or Settings()
    check_models(plan)
    own = choose_shards(chosen.shards, len(plan.shards))
    notes = {n: note for n, note in read_notes(plan).items() if n in own}
    waiting = [n for n in sorted(own) if n not in notes]
    total = sum(plan.shards[n].range.records for n in own)
    if not waiting or read_report(plan):
        return _progress(notes, total, Counts(), 0.0)

    def finish(number: int, parts: list[Part]) -> None:
        shard = plan.shards[number]
        if parts:
            notes[number] = join_parts(plan, shard, parts)
        elif note := _read(plan, number):
            notes[number] = note

    actions = Actions(
        finish=finish,
        give_up=lambda part, why: give_up(plan, part, why),
        is_done=lambda number: _is_done_elsewhere(plan, number, notes),
    )
    sizes = [(n, plan.shards[n].range.records) for n in waiting]
    schedule = Schedule(sizes, actions, chosen.time_limit)
    workers = min(chosen.workers, len(waiting))
    engine = open_engine(
        chosen.engine, plan.folder, workers=workers, address=chosen.address
    )
    with RunNote(plan, chosen.engine, workers) as note, engine as opened:
        since = [0.0]

        def tell() -> None:
            note.update(schedule.counts, [f"shard {p.shard}" for p in schedule.running])
            if time.monotonic() - since[0] >= 1.0:
                since[0] = time.monotonic()
                show(_progress(notes, total, schedule.counts, note.started))

        schedule.run(opened, tell)
        note.update(schedule.counts, [])
        return _progress(notes, total, schedule.counts, note.started)


def choose_shards(text: str | None, total: int) -> frozenset[int]:
    """Return the numbers in a list such as ``10-19,25``; all of them without one."""
    if text is None:
        return frozenset(range(total))
    chosen: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ParaphrastError(
                f"--shards: {part!r} is not a shard or a range of shards. Write, for "
                "example, 10-19,25."
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last or first >= total:
            raise ParaphrastError(
                f"--shards: {part!r} is out of range; the job has shards 0 to "
                f"{total - 1}."
            )
        chosen.update(range(first, min(last, total - 1) + 1))
    return frozenset(chosen)


def _progress(
    notes: dict[int, Note], total: int, counts: Counts, started: float
) -> Progress:
    return Progress(
        sum(note.records for note in notes.values()),
        total,
        sum(note.failed for note in notes.values()),
        counts,
        measure_rate(notes.values(), started) if started else None,
    )


def _read(plan: Plan, number: int) -> Note | None:
    whole = Part(number, 0, plan.shards[number].range.records)
    return read_note(find_paths(plan, whole)[1])


def _is_done_elsewhere(plan: Plan, number: int, notes: dict[int, Note]) -> bool:
    """Say whether another run has finished a shard since this one started."""
    if number not in notes and (note := _read(plan, number)):
        notes[number] = note
    return number in notes
