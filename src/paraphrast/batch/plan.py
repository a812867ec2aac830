"""The plan of a batch job, in a folder that workers share.

A planned folder is sealed (`storage.sealed_folder`). ``manifest.json`` names the task,
its settings, the models by hash, and every input with its size and sha256; the file
``shards.jsonl`` has one line per shard: which records of which file, and their sha256.
The seed is among the settings and is the same for every record, whose result depends on
the record and the seed alone; so the number of a shard, its size, and its worker change
nothing. Results are stored beside the plan:

    shards/00012.out    what shard 12 gives, and
    shards/00012.json   its size, hash and counts: the shard is done when this exists
    parts/              the same of parts of shards that killed their workers
    runs/               one note per run, kept up to date while it lasts
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paraphrast import config
from paraphrast.batch.inputs import (
    SEPARATORS,
    UNPACKED,
    Content,
    Input,
    Range,
    cut,
    find_files,
    form_of,
    identify,
    read_range,
)
from paraphrast.batch.tasks import Task, build_task, describe_task
from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic, sealed_folder
from paraphrast.storage.resumable import refuse_changed

KIND = sealed_folder.Kind(
    "planned batch job",
    "manifest.json",
    (1,),
    "Plan it again, with `paraphrast batch plan`.",
    replaceable=False,
)
SHARDS = "shards.jsonl"


@dataclass(frozen=True, slots=True)
class Shard:
    """Records of one input; ``first`` is the number of the first among all inputs."""

    number: int
    input: int
    first: int
    range: Range


@dataclass(frozen=True)
class Plan:
    """A planned job in its folder."""

    folder: Path
    task: Task
    models: Mapping[str, str]
    inputs: tuple[Input, ...]
    records: int

    @cached_property
    def shards(self) -> tuple[Shard, ...]:
        """Return the shards in order."""
        with (self.folder / SHARDS).open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        return tuple(
            Shard(number, row["input"], row["first"], Range(*row["range"]))
            for number, row in enumerate(rows)
        )

    def read(self, shard: Shard) -> Content:
        """Read the records of a shard."""
        return read_range(self.inputs[shard.input], shard.range, self.folder)


def make_plan(paths: Sequence[Path], task: Task, folder: Path, *, records: int) -> Plan:
    """Split the inputs into shards, and seal the plan in a folder."""
    files = find_files(paths)
    _check_forms(files, task)
    sealed_folder.refuse_taken(folder, KIND)
    resolved = task.resolve()
    models = resolved.models()
    with sealed_folder.new(folder, KIND) as filling:
        inputs, shards = _cut_all(files, resolved, filling, records)
        _write_shards(shards, filling)
        contents = (
            read_range(inputs[shard.input], shard.range, filling) for shard in shards
        )
        resolved.prepare(filling, contents)
        about = {
            "task": describe_task(resolved),
            "models": models,
            "records": sum(shard.range.records for shard in shards),
            "shards": len(shards),
            "records per shard": records,
            "inputs": [asdict(given) for given in inputs],
        }
        sealed_folder.seal(filling, KIND, about)
    return read_plan(folder)


def read_plan(folder: Path) -> Plan:
    """Read a planned job, and refuse one of another version of paraphrast."""
    table = sealed_folder.read(folder, KIND)
    if table["paraphrast"] != version("paraphrast"):
        raise ParaphrastError(
            f"{folder} was planned by paraphrast {table['paraphrast']}, and this is "
            f"{version('paraphrast')}. Install that version, or plan it again."
        )
    try:
        inputs = tuple(
            config.build(row, Input, where=str(folder / KIND.manifest))
            for row in table["inputs"]
        )
        task = build_task(table["task"], where=str(folder / KIND.manifest))
        return Plan(folder, task, table["models"], inputs, int(table["records"]))
    except (KeyError, TypeError, ValueError) as error:
        raise sealed_folder.damaged(folder / KIND.manifest, KIND, "is damaged") from (
            error
        )


def continue_plan(
    paths: Sequence[Path], task: Task, folder: Path, *, records: int
) -> Plan:
    """Return the job in a folder if it is this one; plan it if there is none.

    A job with other settings or inputs is refused, with the names of what differs.
    """
    if not (folder / KIND.manifest).is_file():
        return make_plan(paths, task, folder, records=records)
    plan = read_plan(folder)
    planned = sealed_folder.read_manifest(folder, KIND)
    files = [identify(path) for path in find_files(paths)]
    inputs = [(given.path, given.size, given.modified) for given in plan.inputs]
    before = {**planned["task"], "inputs": inputs}
    now = {**describe_task(task.resolve()), "inputs": files}
    sizes = {"records per shard": planned["records per shard"]}
    refuse_changed(
        folder,
        before | sizes,
        now | {"records per shard": records},
        again="Choose another folder with -o.",
    )
    return plan


def check_models(plan: Plan) -> None:
    """Refuse to continue with models other than those of the plan."""
    now = plan.task.models()
    changed = sorted(
        k for k in now.keys() | plan.models if now.get(k) != plan.models.get(k)
    )
    if changed:
        raise ParaphrastError(
            f"{plan.folder}: {', '.join(changed)} changed since the job was planned. "
            "Put the old model back, or plan a new job."
        )


def _check_forms(files: Sequence[Path], task: Task) -> None:
    for path in files:
        if form_of(path) not in task.forms:
            raise ParaphrastError(
                f"{path}: this task does not read {form_of(path)}. "
                f"Give {', '.join(sorted(task.forms))}."
            )
    forms = sorted({form_of(path) for path in files})
    if task.keeps_form and len(forms) > 1:
        raise ParaphrastError(
            f"the inputs are of different formats: {', '.join(forms)}. Give one "
            "format, or ask for JSON Lines with --result jsonl."
        )


def _cut_all(
    files: Sequence[Path], task: Task, folder: Path, records: int
) -> tuple[list[Input], list[Shard]]:
    inputs: list[Input] = []
    shards: list[Shard] = []
    first = 0
    for index, path in enumerate(files):
        headed = form_of(path) in task.headed
        copy = f"{UNPACKED}/{index}"
        given, ranges = cut(path, folder, copy, records=records, headed=headed)
        inputs.append(given)
        for part in ranges:
            shards.append(Shard(len(shards), index, first, part))
            first += part.records
    _check_headers(inputs, task)
    if not shards:
        raise ParaphrastError(f"{files[0]}: it has no records to process.")
    return inputs, shards


def _check_headers(inputs: Sequence[Input], task: Task) -> None:
    for given in inputs:
        other = given.header.strip() != inputs[0].header.strip()
        if task.keeps_form and given.form in SEPARATORS and other:
            raise ParaphrastError(
                f"{given.path} and {inputs[0].path} have different headers. Give files "
                "with the same columns, or ask for JSON Lines with --result jsonl."
            )


def _write_shards(shards: Sequence[Shard], folder: Path) -> None:
    with atomic.writer(folder / SHARDS) as file:
        for line in _dump_shards(shards):
            file.write(line)


def _dump_shards(shards: Sequence[Shard]) -> Iterator[str]:
    for shard in shards:
        part = shard.range
        row: dict[str, Any] = {
            "input": shard.input,
            "first": shard.first,
            "range": [part.start, part.end, part.records, part.sha256],
        }
        yield json.dumps(row) + "\n"
