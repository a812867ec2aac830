"""What a worker does: read a part of a shard, run the task, write the result.

The result is renamed first, and then its note, which marks it as complete. Whatever is
killed in between is processed again and gives the same bytes.
"""

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from paraphrast import config
from paraphrast.batch.plan import Plan, Shard, check_models, read_plan
from paraphrast.batch.tasks import Output, Run
from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

DONE, PARTS = "shards", "parts"
DIED = "the worker died while processing it"
TOO_SLOW = "it took longer than the time limit"
_REASONS = 20  # that are told apart in a note
_OTHER = "other reasons"


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Records of a shard, from ``start`` up to ``stop``."""

    shard: int
    start: int
    stop: int

    def __len__(self) -> int:
        """Return the number of records."""
        return self.stop - self.start

    def halves(self) -> tuple["Part", "Part"]:
        """Return two parts that are this one."""
        middle = (self.start + self.stop) // 2
        return (
            Part(self.shard, self.start, middle),
            Part(self.shard, middle, self.stop),
        )


@dataclass(frozen=True, slots=True)
class Note:
    """Metadata of a result."""

    records: int
    size: int
    sha256: str
    failed: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    finished: float = 0.0


class Worker:
    """Works on parts of the shards of one job; its models are loaded once."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of a planned job."""
        self.plan = read_plan(folder)

    def __call__(self, part: Part) -> Note:
        """Process a part and write its result; skip it if the result exists."""
        shard = self.plan.shards[part.shard]
        paths = find_paths(self.plan, part)
        if note := read_note(paths[1]):
            return note
        start = time.monotonic()
        records = self._read(shard)[part.start : part.stop]
        outputs = self._run_each(records)
        return leave_result(paths, outputs, seconds=time.monotonic() - start)

    def _read(self, shard: Shard) -> list[Any]:
        records = self.plan.task.read(self.plan.read(shard))
        if len(records) != shard.range.records:
            raise RuntimeError(
                f"shard {shard.number}: {len(records)} records were read, but "
                f"{shard.range.records} were planned"
            )
        return records

    @cached_property
    def _run(self) -> Run:
        check_models(self.plan)
        return self.plan.task.start(self.plan.folder)

    def _run_each(self, records: Sequence[Any]) -> list[Output]:
        """Run the task record by record, so that one failure affects no other."""
        run = self._run
        try:
            return run(records)
        except ParaphrastError:
            raise
        except Exception as error:  # noqa: BLE001
            if len(records) == 1:
                why = f"{type(error).__name__}: {error}"
                return [self.plan.task.give_up(records[0], why)]
            middle = len(records) // 2
            return [
                *self._run_each(records[:middle]),
                *self._run_each(records[middle:]),
            ]


def give_up(plan: Plan, part: Part, why: str) -> Note:
    """Write the result of a single record that was given up, with the reason."""
    records = plan.task.read(plan.read(plan.shards[part.shard]))
    outputs = [plan.task.give_up(r, why) for r in records[part.start : part.stop]]
    return leave_result(find_paths(plan, part), outputs)


def join_parts(plan: Plan, shard: Shard, parts: Iterable[Part]) -> Note:
    """Write the result of a shard that was processed in parts."""
    paths = [find_paths(plan, part) for part in sorted(parts)]
    notes = [note for _, path in paths if (note := read_note(path))]
    reasons = sum((Counter(note.reasons) for note in notes), Counter())
    data = b"".join(path.read_bytes() for path, _ in paths)
    whole = Part(shard.number, 0, shard.range.records)
    note = Note(
        records=sum(note.records for note in notes),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        failed=sum(note.failed for note in notes),
        reasons=_limit(reasons),
        seconds=sum(note.seconds for note in notes),
        finished=time.time(),
    )
    _write(find_paths(plan, whole), data, note)
    return note


def find_paths(plan: Plan, part: Part) -> tuple[Path, Path]:
    """Return where the result of a part and its note are."""
    name = f"{part.shard:05}"
    whole = len(part) == plan.shards[part.shard].range.records
    folder = plan.folder / (DONE if whole else PARTS)
    if not whole:
        name += f".{part.start}-{part.stop}"
    return folder / f"{name}.out", folder / f"{name}.json"


def leave_result(
    paths: tuple[Path, Path], outputs: Sequence[Output], *, seconds: float = 0.0
) -> Note:
    """Write a result and then its note, each atomically."""
    data = b"".join(output.data for output in outputs)
    note = Note(
        records=len(outputs),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        failed=sum(output.failed for output in outputs),
        reasons=_limit(Counter(output.why for output in outputs if output.why)),
        seconds=round(seconds, 3),
        finished=time.time(),
    )
    _write(paths, data, note)
    return note


def read_note(path: Path) -> Note | None:
    """Return a note, or None if there is no readable one."""
    try:
        return config.build(json.loads(path.read_text("utf-8")), Note, where=str(path))
    except (OSError, ValueError, ParaphrastError):
        return None


def _write(paths: tuple[Path, Path], data: bytes, note: Note) -> None:
    os.makedirs(paths[0].parent, exist_ok=True)
    with atomic.bytes_writer(paths[0]) as file:
        file.write(data)
    with atomic.writer(paths[1]) as text:
        json.dump(asdict(note), text)


def _limit(reasons: "Counter[str]") -> dict[str, int]:
    """Return the commonest reasons, and all the others as one."""
    kept = dict(reasons.most_common(_REASONS))
    other = reasons.total() - sum(kept.values())
    return kept | ({_OTHER: kept.get(_OTHER, 0) + other} if other else {})
