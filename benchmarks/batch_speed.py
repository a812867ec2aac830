"""How many lines does a batch job do, against the command for one file, and on Ray?

Run    python -m benchmarks.batch_speed
       It writes benchmarks/results/batch_speed.json after each piece; what is there
       is not done again; --pieces 1 does the next piece and stops, --again NAME does
       one anew. --lines and --pack-lines say how many; rows of another size go. --only
       TASK does the pieces of one task; --without-ray leaves out those on Ray;
       --alone leaves out the run of the command before each job (below); --mirror
       FOLDER takes lines of real corpora, which the default size needs, and not ones
       that are made from templates.
Backs  the row "batch" in docs/benchmarks.md, and the tables of docs/scale.md.

Three tasks: formality rules and the six filters over two million lines each, and the
default pack over 20,000. Each is done by the command for one file, and then as a batch
job with one and with two workers, as processes and as Ray actors: each of these is a
piece. All must give the same bytes before any figure counts. A batch job's time is that
of planning, running and joining; Ray's cluster is started anew each time, in a network
namespace of its own.

The speed of a machine shared with other programs varies. So before each job the command
for one file does the same lines once more, and the job is compared with this run: in
seconds, and in processor seconds, which vary less. With --alone, for a
otherwise idle machine, it is compared with the row of the command itself.

Every run is a fresh process. Its memory, and Ray's processor time, are read from /proc
for it and all its descendants, several times per second; the other processor times are
those that the system reports at exit. To see whether memory grows, it is recorded for
each tenth of the time, and a tenth of the lines is done as well, in shards of the same
size. Planning and joining are also timed by themselves, on more lines, with results
that are only copies.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from benchmarks.filter_speed import digest, generate_pairs
from benchmarks.mirror_texts import read_texts
from benchmarks.report import find_commit, make_record
from benchmarks.rules_speed import draw_texts
from paraphrast.batch.finish import finish
from paraphrast.batch.plan import make_plan
from paraphrast.batch.tasks import Output, build_task
from paraphrast.batch.work import Part, find_paths, leave_result
from paraphrast.storage import atomic
from recipes.markdown import ROOT

LINES, PACK_LINES, END_LINES = 2_000_000, 20_000, 400_000
RESULT = ROOT / "benchmarks/results/batch_speed.json"
TENTH = "a tenth of the lines, processes, 2"
JOBS = {
    f"{engine}, {workers}": (engine, workers)
    for engine in ("processes", "ray")
    for workers in (1, 2)
}
WAYS = ("one file", *JOBS, TENTH)
SECONDS = 0.3  # between two samples of the processes
PARAPHRAST = (sys.executable, "-m", "paraphrast")
# Ray listens on all interfaces: it gets its own network and process namespaces.
NAMESPACE = ("unshare", "-rnpf", "--kill-child", "--mount-proc", "sh", "-c",
             'ip link set lo up && exec "$@"', "sh")  # fmt: skip
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Work:
    """A task: the command for one file, and the options of the batch job."""

    name: str
    single: tuple[str, ...]  # with the input and the output for {} and {out}
    plan: tuple[str, ...]
    shard_lines: int = 10_000


RULES = ("--to", "formal", "--using", "rules")
PACK = ("--to", "shakespeare", "--pack", "small")
WORKS = {
    "rules": Work("rules", ("rewrite", *RULES, "{}", "--json", "-o", "{out}"), RULES),
    "filter": Work(
        "filter", ("corpora", "filter", "{}", "-o", "{out}"), ("--task", "filter")
    ),
    "pack": Work("pack", ("rewrite", *PACK, "{}", "--json", "-o", "{out}"), PACK, 200),
}


@dataclass
class Usage:
    """What a command took: seconds, processor seconds, memory of each process."""

    seconds: float = 0.0
    counted: float = 0.0  # processor seconds, as the system reports at exit
    processors: dict[int, float] = field(default_factory=dict)  # as read from /proc
    peak: int = 0  # bytes of the largest process
    together: int = 0  # bytes of all at the peak
    over_time: list[int] = field(default_factory=list)  # bytes of all, at each sample

    def look(self, process: int) -> None:
        """Sample a process and its descendants."""
        together = 0
        for own in [process, *below(process)]:
            try:
                fields = Path(f"/proc/{own}/stat").read_text().rpartition(")")[2]
                size = int(Path(f"/proc/{own}/statm").read_text().split()[1]) * PAGE
            except (OSError, IndexError):  # it has ended in the meantime
                continue
            times = fields.split()[11:13]
            self.processors[own] = sum(map(int, times)) / TICKS
            self.peak = max(self.peak, size)
            together += size
        self.together = max(self.together, together)
        self.over_time.append(together)

    @property
    def processor(self) -> float:
        """Return the processor seconds; either count may miss some, none adds any."""
        return max(self.counted, sum(self.processors.values()))

    def add(self, other: "Usage") -> "Usage":
        """Return the usage of both, run one after the other."""
        return Usage(
            self.seconds + other.seconds,
            self.processor + other.processor,
            {},
            max(self.peak, other.peak),
            max(self.together, other.together),
        )

    def tenths(self) -> list[int]:
        """Return the peak megabytes of all processes in each tenth of the time."""
        looks = len(self.over_time)
        cuts = [looks * tenth // 10 for tenth in range(11)]
        parts = [self.over_time[a : max(b, a + 1)] for a, b in pairwise(cuts)]
        return [round(max(part) / 1e6) for part in parts if part]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--pack-lines", type=int, default=PACK_LINES)
    parser.add_argument("--pieces", type=int, help="How many to do before it stops.")
    parser.add_argument("--only", choices=WORKS)
    parser.add_argument("--without-ray", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--mirror", type=Path, help="Folder of the corpora.")
    parser.add_argument("--again", action="append", help="Such as 'rules: ray, 2'.")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/batch_speed")
    parser.add_argument("--result", type=Path, default=RESULT)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    record = json.loads(options.result.read_text()) if options.result.exists() else {}
    lines = {name: options.lines for name in WORKS} | {"pack": options.pack_lines}
    for piece in islice(find_pieces(record, lines, options), options.pieces):
        print(piece, file=sys.stderr)
        do_piece(piece, record, lines, options)
        with atomic.writer(options.result) as file:
            json.dump(complete(record), file, indent=2)
            file.write("\n")


def find_pieces(
    record: dict[str, Any], lines: Mapping[str, int], options: argparse.Namespace
) -> Iterator[str]:
    """Yield the names of the pieces that are not done; drop those of another size."""
    tasks, again = record.setdefault("tasks", {}), options.again or ()
    for name in WORKS if options.only is None else [options.only]:
        if tasks.get(name, {}).get("lines") != lines[name]:
            tasks[name] = {"lines": lines[name], "ways": {}}
        for way in WAYS:
            if options.without_ray and way.startswith("ray"):
                continue
            if f"{name}: {way}" in again or find_row(tasks[name], way) is None:
                yield f"{name}: {way}"
    if options.only is None and ("ends" in again or "ends" not in record):
        yield "ends"


def find_row(task: Mapping[str, Any], way: str) -> Any:
    return task.get(TENTH) if way == TENTH else task["ways"].get(way)


def complete(record: Mapping[str, Any]) -> dict[str, object]:
    """Return the record of the pieces, in a fixed order, with facts on the run."""
    tasks = {name: record["tasks"][name] for name in WORKS if name in record["tasks"]}
    for task in tasks.values():
        ways = task["ways"]
        task["ways"] = {way: ways[way] for way in WAYS if way in ways}
    return make_record(
        claim="lines per processor second of a batch job, whole, and of the command "
        "for one file",
        tasks=tasks,
        ends=record.get("ends"),
        setting={"cores": os.cpu_count()},
        versions=("ray",),
    )


def do_piece(
    piece: str,
    record: dict[str, Any],
    lines: Mapping[str, int],
    options: argparse.Namespace,
) -> None:
    """Run a piece and put its row into the record."""
    folder: Path = options.folder
    name, _, way = piece.partition(": ")
    if name == "ends":
        record["ends"] = measure_ends(folder)
        return
    work, task = WORKS[name], record["tasks"][name]
    if way == TENTH:
        small = write_input(folder, work, lines[name] // 10, options.mirror)
        task[TENTH] = describe_job(work, small, folder / "job", "processes", 2)
        return
    large = write_input(folder, work, lines[name], options.mirror)
    if way == "one file":
        out = folder / f"{name}.out"
        usage = run_single(work, large, out)
        row = describe(usage, lines[name])
        row["megabytes together in each tenth of the run"] = usage.tenths()
        made = digest(out)
        task |= {
            "lines per shard": work.shard_lines,
            "text": "real" if is_real(work, options.mirror) else "generated",
            "bytes in": large.stat().st_size,
            "bytes out": out.stat().st_size,
            "sha256 out": made,
        }
    elif options.alone:
        row = describe_job(work, large, folder / "job", *JOBS[way])
        made = digest(find_result(folder))
    else:
        row, made = compare(work, large, folder, *JOBS[way])
    if made != task.get("sha256 out", made):
        sys.exit(f"{piece}: the outputs differ; there is nothing to compare")
    load = [round(load, 1) for load in os.getloadavg()]
    task["ways"][way] = row | {"load": load, "commit": find_commit()}


def compare(
    work: Work, path: Path, folder: Path, engine: str, workers: int
) -> tuple[dict[str, Any], str]:
    """Run the command and then a job; return the job's row, and its result's hash."""
    out = folder / f"{work.name}.beside"
    single = describe(run_single(work, path, out), count_lines(path))
    row = describe_job(work, path, folder / "job", engine, workers)
    made = digest(find_result(folder))
    if made != digest(out):
        sys.exit(f"{work.name}: the outputs differ; there is nothing to compare")
    ratios = {
        f"{what} against one file": round(row[what] / single[what], 3)
        for what in ("lines per second", "lines per processor second")
    }
    return row | ratios | {"one file beside it": single}, made


def find_result(folder: Path) -> Path:
    """Return the joined result of the job that was done last."""
    return next((folder / "job").glob("result.*"))


def run_single(work: Work, path: Path, out: Path) -> Usage:
    """Run the command for one file."""
    return measure([*PARAPHRAST, *(part.format(path, out=out) for part in work.single)])


def measure_ends(folder: Path) -> dict[str, Any]:
    """Plan a large job, and join existing results: seconds per million lines."""
    path = write_input(folder, WORKS["rules"], END_LINES, None)
    shutil.rmtree(folder / "ends", ignore_errors=True)
    task = build_task({"name": "rewrite", "to": "formal", "using": "rules"}, where="")
    start = time.process_time()
    plan = make_plan([path], task, folder / "ends", records=END_LINES // 40)
    planned = time.process_time()
    for shard in plan.shards:
        part = Part(shard.number, 0, shard.range.records)
        lines = plan.read(shard).body.splitlines(keepends=True)
        leave_result(find_paths(plan, part), [Output(line + line) for line in lines])
    joined = time.process_time()
    finish(plan)
    return {
        "lines": END_LINES,
        "plan": round((planned - start) * 1e6 / END_LINES, 2),
        "finish": round((time.process_time() - joined) * 1e6 / END_LINES, 2),
    }


def describe_job(
    work: Work, path: Path, job: Path, engine: str, workers: int
) -> dict[str, Any]:
    """Plan, run and finish a job; return the usage of each step."""
    lines = count_lines(path)
    shutil.rmtree(job, ignore_errors=True)
    batch = [*PARAPHRAST, "batch"]
    size = ["--shard-lines", str(work.shard_lines)]
    plan = measure([*batch, "plan", str(path), *work.plan, "-o", str(job), *size])
    options = ["--engine", engine, "--workers", str(workers)]
    before = NAMESPACE if engine == "ray" else ()
    run = measure([*before, *batch, "run", str(job), *options])
    join = measure([*batch, "finish", str(job)])
    steps = {"plan": plan, "run": run, "finish": join}
    return describe(plan.add(run).add(join), lines) | {
        "megabytes together in each tenth of the run": run.tenths(),
        "steps": {
            name: {
                "seconds": round(step.seconds, 1),
                "processor seconds": round(step.processor, 1),
            }
            for name, step in steps.items()
        },
    }


def describe(usage: Usage, lines: int) -> dict[str, Any]:
    return {
        "lines per second": round(lines / usage.seconds, 1),
        "lines per processor second": round(lines / usage.processor, 1),
        "seconds": round(usage.seconds, 1),
        "processor seconds": round(usage.processor, 1),
        "megabytes of the largest process": round(usage.peak / 1e6),
        "megabytes together": round(usage.together / 1e6),
    }


def measure(command: Sequence[str]) -> Usage:
    """Run a command, and sample it and its descendants until it ends."""
    usage, start = Usage(), time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        while True:
            usage.look(process.pid)
            ended, code, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(SECONDS)
        usage.seconds = time.perf_counter() - start
        usage.counted = used.ru_utime + used.ru_stime
        if code:
            errors.seek(0)
            sys.exit(f"{' '.join(command)}: {errors.read().decode()}")
    shown = " ".join(command)[-60:]
    print(f"{usage.seconds:.1f} s, {usage.processor:.1f}: {shown}", file=sys.stderr)
    return usage


def below(process: int) -> list[int]:
    """Return the descendants of a process."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(path.parent.name))
    result, waiting = [], [process]
    while waiting:
        waiting += (children := parents.get(waiting.pop(), []))
        result += children
    return result


def write_input(folder: Path, work: Work, lines: int, mirror: Path | None) -> Path:
    """Write texts, or pairs to filter, as JSON Lines, unless they exist."""
    kind = "-real" if is_real(work, mirror) else ""
    path = folder / f"{work.name}{kind}-{lines}.jsonl"
    if not path.exists():
        with atomic.writer(path) as file:
            rows = islice(draw(work, mirror), lines)
            file.writelines(f"{json.dumps(row)}\n" for row in rows)
    if (written := count_lines(path)) < lines:
        sys.exit(f"{mirror} has {written:,} different lines; {lines:,} are asked for")
    return path


def is_real(work: Work, mirror: Path | None) -> bool:
    """Return whether the lines come from corpora; pairs to filter never do."""
    return mirror is not None and work.name != "filter"


def count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def draw(work: Work, mirror: Path | None) -> Iterator[dict[str, str]]:
    if work.name == "filter":
        for line in generate_pairs():
            source, target = line.rstrip("\n").split("\t")
            yield {"source": source, "target": target}
    else:
        for text in draw_texts() if mirror is None else read_texts(mirror):
            yield {"text": text}


if __name__ == "__main__":
    main()
