"""``paraphrast batch …``: parse, call, print."""

import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack
from paraphrast.errors import ParaphrastError

if TYPE_CHECKING:
    from paraphrast.batch.plan import Plan
    from paraphrast.batch.run import Progress, Settings
    from paraphrast.batch.status import Report
    from paraphrast.batch.tasks import Task

app = typer.Typer(
    no_args_is_help=True, help="Process corpora in shards, on one machine or many."
)
SECONDS_BETWEEN_LINES = 10.0
SHARD_LINES = 1000

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES",
        help="Files and folders: txt, jsonl, csv, tsv, parquet; also with .gz, .xz, "
        ".bz2, .zst.",
    ),
]
Job = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Job folder written by `batch plan`.")
]
Engine = Annotated[
    str, options.choice("processes", "ray", help="Engine that runs the workers.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="Number of workers.", show_default="one per processor core"
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of a Ray cluster, for --engine ray.",
        show_default="a cluster of this machine, for this run",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        min=1,
        help="Time limit per shard in seconds, after which it is tried again.",
        show_default="none",
    ),
]
ShardLines = Annotated[int, typer.Option(min=1, help="Records per shard.")]
Result = Annotated[
    str | None,
    options.choice(
        *("jsonl", "input"),
        help="Format of the result: JSON Lines, or that of the input.",
        show_default="jsonl; for filter, input",
    ),
]


@app.callback()
def batch() -> None:
    """Process corpora in shards, on one machine or many.

    `rewrite` does all in one go; `plan`, `run`, `status` and `finish` are its steps.
    """


@dataclass(frozen=True)
class _Planning:
    """The arguments of `plan`; the command documents the fields."""

    files: Files
    output: options.NewFolder
    task: Literal["align", "filter", "judge", "pivot", "rewrite"] = "rewrite"
    to: options.ToAny = ""
    using: str | None = None
    pack: str | None = None
    packs: options.Packs = None
    model: Path | None = None
    result: Result = None
    more: list[str] | None = None
    seed: int | None = None
    shard_lines: ShardLines = SHARD_LINES
    as_json: options.Json = False


@app.command()
@describe
@unpack
def plan(asked: _Planning) -> None:
    """Split inputs into shards, and write a job plan to a new folder.

    Examples:

      paraphrast batch plan corpus/ --to formal -o job

      paraphrast batch plan pairs.jsonl.zst --task filter -o job

      paraphrast batch plan pairs.tsv --task align --using monolingual -o job

      paraphrast batch plan rewrites.jsonl --task judge --to formal -o job

      paraphrast batch plan bitext.tsv --task pivot --model model -o job

    Options:
        task: Task to run on each record.
        using REWRITER|ALIGNER: Rewriter or aligner to use.
        pack PACK: Name or folder of a pack, for rewrite.
        model FOLDER: Model written by `align train`, for align and pivot.
        more --set NAME=VALUE: Additional setting of the task, as in field=body;
            repeatable.
        seed: Random seed of rewrite; the same seed gives the same result. [default: 1]
        shard_lines: Records per shard.
    """
    from paraphrast.batch.plan import make_plan

    names = ["to", "using", "pack", "model", "result", "seed"]
    if asked.task == "rewrite":
        names.append("packs")  # which the environment may set for any task
    task = _build_task(asked.task, asked, names, asked.more)
    made = make_plan(asked.files, task, asked.output, records=asked.shard_lines)
    record = {
        "folder": str(made.folder),
        "inputs": len(made.inputs),
        "records": made.records,
        "shards": len(made.shards),
    }
    line = (
        f"files: {len(made.inputs):,}; records: {made.records:,}; "
        f"shards: {len(made.shards):,} -> {made.folder}"
    )
    printing.print_report(record, [line], as_json=asked.as_json)


@app.command("run")
@describe
def run_job(
    folder: Job,
    engine: Engine = "processes",
    workers: Workers = None,
    address: Address = None,
    shards: str | None = None,
    time_limit: TimeLimit = None,
) -> None:
    """Run the unfinished shards of a job; it can be stopped and run again at any time.

    Examples:

      paraphrast batch run job --workers 8

      paraphrast batch run job --engine ray --address ray://head:10001 --workers 200

      paraphrast batch run job --shards 10-19

    Options:
        shards LIST: Shards to run, as in 10-19,25, for array jobs. [default: all]
    """
    from paraphrast.batch.plan import read_plan

    settings = _settings(engine, workers, address, shards, time_limit)
    printing.print_note(_describe(_run(read_plan(folder), settings)))


@app.command()
def status(folder: Job, as_json: options.Json = False) -> None:
    """Show a job's progress: records done, rate, time left, failures, active workers.

    Example: paraphrast batch status job
    """
    from paraphrast.batch.plan import read_plan
    from paraphrast.batch.status import read_status

    read = read_status(read_plan(folder))
    printing.print_report(asdict(read), read.lines(), as_json=as_json)


@app.command()
@describe
def finish(
    folder: Job, remove_shards: bool = False, as_json: options.Json = False
) -> None:
    """Verify the shards of a job and join them into one result in the job's folder.

    Example: paraphrast batch finish job

    Options:
        remove_shards: Delete the shards after joining.
    """
    from paraphrast.batch.plan import read_plan

    _print_report(_finish(read_plan(folder), remove_shards), folder, as_json=as_json)


@dataclass(frozen=True)
class _Rewriting:
    """The arguments of `rewrite`; the command documents the fields."""

    files: Files
    output: options.NewFolder
    to: options.ToAny = ""
    using: options.UsingRewriter = None
    pack: str | None = None
    packs: options.Packs = None
    field: str | None = None
    into: str | None = None
    alternatives: Annotated[
        int | None, typer.Option("-n", "--alternatives", min=1, max=100)
    ] = None
    protect: list[str] | None = None
    strength: options.ShareOrNone = None
    seed: options.Seed = options.SEED
    result: Result = None
    shard_lines: ShardLines = SHARD_LINES
    engine: Engine = "processes"
    workers: Workers = None
    address: Address = None
    time_limit: TimeLimit = None
    as_json: options.Json = False


@app.command()
@describe
@unpack
def rewrite(asked: _Rewriting) -> None:
    """Rewrite a corpus: plan, run and join in one command.

    The result is FOLDER/result.jsonl, with one record per line as in `rewrite --json`.
    A stopped job continues when the same command is run again.

    Examples:

      paraphrast batch rewrite corpus/*.txt --to formal -o formal --workers 8

      paraphrast batch rewrite a.csv --field review --result input --to plain -o job

    Options:
        pack PACK: Name or folder of a pack.
        field NAME: Field or column of the text. [default: text]
        into NAME: New field or column, for --result input. [default: rewrite]
        alternatives: Alternatives per text. [default: 1]
        protect TERM: Term to keep unchanged; repeatable.
        strength: How far to move from the source, from 0 (light) to 1 (free).
        shard_lines: Records per shard.
    """
    from paraphrast.batch.plan import continue_plan
    from paraphrast.batch.status import read_report

    settings = _settings(
        asked.engine, asked.workers, asked.address, None, asked.time_limit
    )
    names = ["to", "using", "pack", "packs", "field", "into", "alternatives"]
    names += ["protect", "strength", "seed", "result"]
    task = _build_task("rewrite", asked, names)
    plan = continue_plan(asked.files, task, asked.output, records=asked.shard_lines)
    report = read_report(plan)
    if report is None:
        _run(plan, settings)
        report = _finish(plan, remove_shards=False)
    _print_report(report, asked.output, as_json=asked.as_json)


def _build_task(
    name: str, asked: object, names: list[str], more: list[str] | None = None
) -> "Task":
    """Return a task with the settings of these names, and those of --set."""
    from paraphrast.batch.tasks import build_task

    given = {
        key: str(value) if isinstance(value, Path) else value
        for key in names
        if (value := getattr(asked, key)) not in (None, "")
    }
    table = _parse_settings(more or []) | given
    return build_task({"name": name, **table}, where=f"batch {name}")


def _settings(
    engine: str,
    workers: int | None,
    address: str | None,
    shards: str | None,
    time_limit: float | None,
) -> "Settings":
    from paraphrast.batch.run import Settings

    given = options.drop_missing(workers=workers)
    return Settings(
        engine=engine, address=address, shards=shards, time_limit=time_limit, **given
    )


def _run(plan: "Plan", settings: "Settings") -> "Progress":
    """Run a job with a progress bar; return its progress."""
    from paraphrast.batch.run import run

    if settings.engine == "ray" and settings.address is None:
        printing.print_note(
            "Ray listens on all network interfaces: use it in a trusted network only."
        )
    try:
        with _show_progress() as show:
            return run(plan, settings, show)
    except KeyboardInterrupt:
        printing.print_note("stopped; run the same command to continue.")
        raise typer.Exit(130) from None


def _finish(plan: "Plan", remove_shards: bool) -> "Report":
    from paraphrast.batch.finish import finish

    with printing.show_bar("joining", total=plan.records) as advance:
        return finish(plan, remove_shards=remove_shards, show=advance)


def _print_report(report: "Report", folder: Path, *, as_json: bool) -> None:
    from paraphrast.rewriting.jobs import count_nouns

    record = asdict(report) | {"result": str(folder / report.result)}
    lines = [f"{count_nouns(report.records, 'record')}, {report.failed:,} failed"]
    lines += [f"  left {count:,}: {why}" for why, count in report.reasons.items()]
    lines.append(f"-> {folder / report.result}")
    printing.print_report(record, lines, as_json=as_json)


@contextmanager
def _show_progress() -> "Iterator[Callable[[Progress], None]]":
    """Show a bar with rate and time left; without a terminal, occasional lines."""
    from rich.progress import BarColumn, TextColumn

    with printing.open_progress(BarColumn(), TextColumn("{task.description}")) as bar:
        task = bar.add_task("starting", total=None)
        last = time.monotonic()

        def show(progress: "Progress") -> None:
            nonlocal last
            line = _describe(progress)
            bar.update(
                task, completed=progress.done, total=progress.total, description=line
            )
            now = time.monotonic()
            if not sys.stderr.isatty() and now - last > SECONDS_BETWEEN_LINES:
                last = now
                printing.print_note(line)

        yield show


def _describe(progress: "Progress") -> str:
    from paraphrast.batch.status import describe_seconds

    parts = [f"{progress.done:,} of {progress.total:,} records"]
    if progress.rate:
        parts.append(f"{progress.rate:,.0f}/s")
        if left := progress.total - progress.done:
            parts.append(f"{describe_seconds(left / progress.rate)} left")
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.counts.deaths:
        parts.append(f"{progress.counts.deaths:,} workers died")
    return ", ".join(parts)


def _parse_settings(texts: list[str]) -> dict[str, Any]:
    """Parse ``NAME=VALUE``; the value is TOML, or otherwise a string."""
    lines = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ParaphrastError(f"--set: {text!r} has no value. Write NAME=VALUE.")
        try:
            tomllib.loads(text)
            lines.append(text)
        except tomllib.TOMLDecodeError:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'{name} = "{escaped}"')
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        raise ParaphrastError(
            f"--set: {', '.join(texts)}: {error}. Write NAME=VALUE, each name once."
        ) from error
