"""Verify the shards of a job, and join them in the order of the input."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from paraphrast.batch.inputs import read_parquet
from paraphrast.batch.plan import Plan, Shard
from paraphrast.batch.status import (
    REPORT,
    Report,
    add_reasons,
    read_notes,
    read_report,
)
from paraphrast.batch.tasks.rewrite import Rewriting
from paraphrast.batch.work import DONE, PARTS, Note, Part, find_paths
from paraphrast.errors import ParaphrastError
from paraphrast.extras import require
from paraphrast.storage import atomic, sealed_folder

_CHUNK = 1 << 20
_NAMED = 5  # ranges of missing shards in an error


def finish(
    plan: Plan,
    *,
    remove_shards: bool = False,
    show: Callable[[int], None] = lambda records: None,
) -> Report:
    """Write the result of a job whose shards are all done.

    Every shard is verified against its note. With ``remove_shards`` the shards' results
    are deleted after joining. ``show`` is called with the number of records added.
    """
    before = read_report(plan)
    if before and not (plan.folder / DONE).exists():
        return before
    (plan.folder / REPORT).unlink(missing_ok=True)
    notes = read_notes(plan)
    _refuse_missing(plan, notes)
    target = _reduce(plan, notes) or _join(plan, notes, show)
    report = Report(
        target.name,
        sealed_folder.sha256(target),
        sum(note.records for note in notes.values()),
        sum(note.failed for note in notes.values()),
        add_reasons(notes.values()),
    )
    atomic.write_json(plan.folder / REPORT, asdict(report))
    _clean(plan, remove_shards=remove_shards)
    return report


def _refuse_missing(plan: Plan, notes: Mapping[int, Note]) -> None:
    missing = [shard.number for shard in plan.shards if shard.number not in notes]
    if missing:
        raise ParaphrastError(
            f"{len(missing):,} of {len(plan.shards):,} shards are not done: "
            f"{_name_ranges(missing)}. Run them with `paraphrast batch run "
            f"{plan.folder}`."
        )


def _name_ranges(numbers: Sequence[int]) -> str:
    """Return numbers in order as ranges, the first few of them."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    names = ["-".join(map(str, part)) for part in ranges[:_NAMED]]
    return ", ".join(names) + ("…" if len(ranges) > _NAMED else "")


def _reduce(plan: Plan, notes: Mapping[int, Note]) -> Path | None:
    if not plan.task.reduces:
        return None
    for shard in plan.shards:
        _copy(plan, shard, notes[shard.number], None)
    paths = [find_result(plan, shard) for shard in plan.shards]
    return plan.task.reduce(paths, plan.folder)


def _join(plan: Plan, notes: Mapping[int, Note], show: Callable[[int], None]) -> Path:
    form = plan.task.result_form(plan.inputs[0].form)
    target = plan.folder / f"result.{form}"
    if form == "parquet":
        _join_parquet(plan, notes, target, show)
        return target
    with atomic.bytes_writer(target) as file:
        first = plan.inputs[0]
        file.write(plan.task.write_header(first.header, first.form))
        before, ended = 0, True
        for shard in plan.shards:
            if shard.input != before and not ended:
                file.write(b"\n")  # the file before has no newline at its end
            ended = _copy(plan, shard, notes[shard.number], file)
            before = shard.input
            show(shard.range.records)
    return target


def _copy(plan: Plan, shard: Shard, note: Note, target: BinaryIO | None) -> bool:
    """Append a shard's result to a file, and verify it; say if it ends in a newline."""
    sha, chunk = hashlib.sha256(), b"\n"
    path = find_result(plan, shard)
    try:
        with path.open("rb") as file:
            while more := file.read(_CHUNK):
                chunk = more
                sha.update(chunk)
                if target is not None:
                    target.write(chunk)
    except FileNotFoundError:
        sha.update(b"missing")
    is_counted = note.records == shard.range.records
    if sha.hexdigest() != note.sha256 or not is_counted:
        path.with_suffix(".json").unlink(missing_ok=True)
        raise ParaphrastError(
            f"{path} was changed after it was written. Run it again with `paraphrast "
            f"batch run {plan.folder}`."
        )
    return chunk.endswith(b"\n")


def _join_parquet(
    plan: Plan,
    notes: Mapping[int, Note],
    target: Path,
    show: Callable[[int], None],
) -> None:
    """Write the rows of the inputs with a column for the rewrites."""
    pyarrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    task = plan.task
    if not isinstance(task, Rewriting):
        raise RuntimeError(f"{task.name} writes no Parquet")
    with ExitStack() as stack:
        file = stack.enter_context(atomic.bytes_writer(target))
        writer: Any = None
        for shard in plan.shards:
            _copy(plan, shard, notes[shard.number], None)
            lines = find_result(plan, shard).read_text("utf-8").splitlines()
            values = [json.loads(line).get(task.into) for line in lines]
            path = Path(plan.inputs[shard.input].path)
            rows = read_parquet(path, shard.range.start, shard.range.end)
            kind = pyarrow.string()
            if task.alternatives > 1:
                kind = pyarrow.list_(kind)
                values = [[v] if isinstance(v, str) else v for v in values]
            rows = rows.append_column(task.into, pyarrow.array(values, kind))
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(file, rows.schema))
            writer.write_table(rows)
            show(shard.range.records)


def find_result(plan: Plan, shard: Shard) -> Path:
    """Return where the result of a shard is."""
    return find_paths(plan, Part(shard.number, 0, shard.range.records))[0]


def _clean(plan: Plan, *, remove_shards: bool) -> None:
    """Remove temporary files, also those of killed workers."""
    shutil.rmtree(plan.folder / PARTS, ignore_errors=True)
    folder = plan.folder / DONE
    if remove_shards:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for path in folder.glob(".*"):
        path.unlink(missing_ok=True)
