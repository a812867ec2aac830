"""How many lines does a batch job do, against the command for one file, and on Ray?

Run    python -m benchmarks.batch_speed > benchmarks/results/batch_speed.json
       (--lines and --pack-lines for another size, --ray for Ray's rows, --only TASK
       with --others RESULT to do one task again)
Backs  the row "batch" in docs/benchmarks.md, and the tables of docs/scale.md.

Three tasks: formality rules and the six filters over two million lines each, and the
default pack over 20,000. Each is done by the command for one file, and then as a batch
job with one and with two workers, as processes and as Ray actors. All must give the
same bytes before any figure counts. A batch job's time is that of planning, running and
joining; Ray's cluster is started anew each time, in a network namespace of its own.

Every run is a fresh process. Its memory, and Ray's processor time, are read from /proc
for it and all processes below it, some times a second; the processor time of the others
is what the system says at their end. Lines per processor second say more than lines per
second where other programs share the machine. A tenth of the lines is done as well, to
see whether memory grows. Planning and joining are timed once more by themselves, on
more lines, and with results that are only copies.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.filter_speed import digest, generate_pairs
from benchmarks.report import report
from benchmarks.rules_speed import draw_texts
from paraphrast.batch.finish import finish
from paraphrast.batch.plan import make_plan
from paraphrast.batch.tasks import Output, build_task
from paraphrast.batch.work import Part, find_paths, leave_result

LINES, PACK_LINES, END_LINES = 2_000_000, 20_000, 400_000
SECONDS = 0.3  # between two looks at the processes
PARAPHRAST = (sys.executable, "-m", "paraphrast")
# Ray listens on all interfaces: it gets a network and processes of its own.
NAMESPACE = ("unshare", "-rnpf", "--kill-child", "--mount-proc", "sh", "-c",
             'ip link set lo up && exec "$@"', "sh")  # fmt: skip
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Work:
    """A task: the command for one file, and the options of the batch job."""

    name: str
    single: tuple[str, ...]  # with the input and the output for {} and {out}
    plan: tuple[str, ...]
    shards: int = 40


RULES = ("--to", "formal", "--using", "rules")
PACK = ("--to", "shakespeare", "--pack", "small")
WORKS = (
    Work("rules", ("rewrite", *RULES, "{}", "--json", "-o", "{out}"), RULES),
    Work("filter", ("corpora", "filter", "{}", "-o", "{out}"), ("--task", "filter")),
    Work("pack", ("rewrite", *PACK, "{}", "--json", "-o", "{out}"), PACK, 4),
)


@dataclass
class Usage:
    """What a command took: seconds, processor seconds, memory of each process."""

    seconds: float = 0.0
    counted: float = 0.0  # processor seconds, as the system says at the end
    processors: dict[int, float] = field(default_factory=dict)  # as seen in /proc
    peak: int = 0  # bytes of the largest process
    together: int = 0  # bytes of all at the worst moment

    def look(self, process: int) -> None:
        """Take a look at a process and those below it."""
        together = 0
        for own in [process, *below(process)]:
            try:
                fields = Path(f"/proc/{own}/stat").read_text().rpartition(")")[2]
                size = int(Path(f"/proc/{own}/statm").read_text().split()[1]) * PAGE
            except (OSError, IndexError):  # it ended meanwhile
                continue
            times = fields.split()[11:13]
            self.processors[own] = sum(map(int, times)) / TICKS
            self.peak = max(self.peak, size)
            together += size
        self.together = max(self.together, together)

    @property
    def processor(self) -> float:
        """Return the processor seconds; either count may miss some, none adds any."""
        return max(self.counted, sum(self.processors.values()))

    def add(self, other: "Usage") -> "Usage":
        """Return what both took, one after the other."""
        return Usage(
            self.seconds + other.seconds,
            self.processor + other.processor,
            {},
            max(self.peak, other.peak),
            max(self.together, other.together),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--pack-lines", type=int, default=PACK_LINES)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--only", choices=[*(work.name for work in WORKS), "ends"])
    parser.add_argument("--others", type=Path, help="Result to take the others from.")
    options = parser.parse_args()
    engines = ("processes", "ray") if options.ray else ("processes",)
    others = json.loads(options.others.read_text()) if options.others else {}
    tasks, ends = others.get("tasks", {}), others.get("ends", {})
    with tempfile.TemporaryDirectory() as name:
        for work in WORKS:
            if options.only not in (None, work.name):
                continue
            lines = options.pack_lines if work.name == "pack" else options.lines
            tasks[work.name] = compare(work, lines, engines, Path(name))
        if options.only in (None, "ends"):
            ends = measure_ends(Path(name))
    report(
        claim="lines per processor second of a batch job, whole, and of the command "
        "for one file",
        tasks=tasks,
        ends=ends,
        setting={
            "load of the machine": [round(load, 1) for load in os.getloadavg()],
            "cores": os.cpu_count(),
        },
        versions=("ray",) if options.ray else (),
    )


def compare(
    work: Work, lines: int, engines: Sequence[str], folder: Path
) -> dict[str, Any]:
    """Do a task in every way; all must give the same bytes."""
    large = write_input(folder / f"{work.name}.jsonl", work, lines)
    small = write_input(folder / f"{work.name}-small.jsonl", work, lines // 10)
    out = folder / f"{work.name}.out"
    single = measure([*PARAPHRAST, *(p.format(large, out=out) for p in work.single)])
    rows: dict[str, Any] = {"one file": describe(single, lines)}
    jobs = [(engine, workers) for engine in engines for workers in (1, 2)]
    for engine, workers in jobs:
        job = folder / f"{work.name}-{engine}-{workers}"
        rows[f"{engine}, {workers}"] = describe_job(work, large, job, engine, workers)
        if digest(next(job.glob("result.*"))) != digest(out):
            sys.exit(f"{job.name}: the outputs differ; there is nothing to compare")
        subprocess.run(["rm", "-r", str(job)], check=True)
    tenth = describe_job(work, small, folder / f"{work.name}-small", "processes", 2)
    return {
        "lines": lines,
        "shards": work.shards,
        "bytes in": large.stat().st_size,
        "bytes out": out.stat().st_size,
        "ways": rows,
        "a tenth of the lines, processes, 2": tenth,
    }


def measure_ends(folder: Path) -> dict[str, Any]:
    """Plan a large job, and join results that are there: seconds per million lines."""
    path = write_input(folder / "ends.jsonl", WORKS[0], END_LINES)
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
    """Plan, run and finish a job; return what each step took."""
    lines = sum(1 for _ in path.open("rb"))
    batch = [*PARAPHRAST, "batch"]
    size = ["--shard-lines", str(max(1, lines // work.shards))]
    plan = measure([*batch, "plan", str(path), *work.plan, "-o", str(job), *size])
    options = ["--engine", engine, "--workers", str(workers)]
    before = NAMESPACE if engine == "ray" else ()
    run = measure([*before, *batch, "run", str(job), *options])
    join = measure([*batch, "finish", str(job)])
    steps = {"plan": plan, "run": run, "finish": join}
    return describe(plan.add(run).add(join), lines) | {
        "steps": {
            name: {
                "seconds": round(step.seconds, 1),
                "processor seconds": round(step.processor, 1),
            }
            for name, step in steps.items()
        }
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
    """Run a command, and look at it and the processes below it until it ends."""
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
    """Return the processes that a process and its children started."""
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


def write_input(path: Path, work: Work, lines: int) -> Path:
    """Write texts, or pairs to filter, as JSON Lines."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in islice(draw(work), lines))
    return path


def draw(work: Work) -> Iterator[dict[str, str]]:
    if work.name == "filter":
        for line in generate_pairs():
            source, target = line.rstrip("\n").split("\t")
            yield {"source": source, "target": target}
    else:
        for text in draw_texts():
            yield {"text": text}


if __name__ == "__main__":
    main()
