"""A rewriter that dies, fails or dawdles on demand, and the ways to kill a job.

It is a plugin, so that worker processes find it as they find our own rewriters.
"""

import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from paraphrast.batch.finish import finish
from paraphrast.batch.plan import Plan, make_plan
from paraphrast.batch.tasks.rewrite import Rewriting
from paraphrast.batch.work import DONE, Part, Worker

PLUGIN = """
import os, signal, time
from paraphrast.rewriter import Rewrite


def loud(text):
    if "kill" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "fail" in text:
        raise RuntimeError("no such luck")
    while "dawdle" in text:
        time.sleep(1)
    time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
    return Rewrite(text.upper(), score=1.0)


class Loud:
    summary = "shouts"

    def styles(self):
        return {"loud": "capitals"}

    def load(self, style):
        return lambda sentences, *, alternatives, seed: [
            [loud(sentence.text)] for sentence in sentences
        ]


family = Loud()
"""


def install(folder: Path, monkeypatch) -> None:
    """Lay the plugin out as pip would, for this process and those it starts."""
    folder.mkdir()
    (folder / "loud_plugin.py").write_text(PLUGIN)
    information = folder / "loud-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n"
    )
    (information / "entry_points.txt").write_text(
        "[paraphrast.rewriters]\nloud = loud_plugin:family\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))


def plan_lines(folder: Path, lines: list[str], *, records: int = 4) -> Plan:
    """Plan to rewrite lines of text in capitals."""
    path = folder / "lines.txt"
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in lines))
    number = len(list(folder.glob("job*")))
    task = Rewriting(to="loud", using="loud")
    return make_plan([path], task, folder / f"job{number}", records=records)


def work_alone(plan: Plan) -> bytes:
    """Return the result of a job that one process does, without an engine."""
    worker = Worker(plan.folder)
    for shard in plan.shards:
        worker(Part(shard.number, 0, shard.range.records))
    return (plan.folder / finish(plan).result).read_bytes()


# Ray listens on all interfaces, so it gets a network of its own, and processes of its
# own, which end with the driver.
NAMESPACE = ("unshare", "-rnpf", "--kill-child", "--mount-proc", "sh", "-c",
             'ip link set lo up && exec "$@"', "sh")  # fmt: skip


def why_no_ray() -> str:
    """Return why Ray cannot be tested here, or nothing."""
    if importlib.util.find_spec("ray") is None:
        return "ray is not installed"
    try:
        done = subprocess.run([*NAMESPACE, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        return "there is no unshare, and so no network namespace for Ray"
    return done.returncode and f"no network namespace for Ray: {done.stderr.strip()}"


@dataclass(frozen=True)
class Kind:
    """How a job is run, and which processes may be killed."""

    options: tuple[str, ...] = ("--workers", "2")
    before: tuple[str, ...] = ()

    def start(self, folder: Path) -> "subprocess.Popen[bytes]":
        """Start `batch run`."""
        command = (sys.executable, "-m", "paraphrast", "batch", "run", str(folder))
        return subprocess.Popen(
            [*self.before, *command, *self.options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def victims(self, run: "subprocess.Popen[bytes]") -> dict[int, str]:
        """Return the driver and its workers, by process."""
        drivers = children_of(run.pid) if self.before else [run.pid]
        below = [child for driver in drivers for child in descendants_of(driver)]
        workers = [process for process in below if is_worker(process)]
        return dict.fromkeys(drivers, "driver") | dict.fromkeys(workers, "worker")


PROCESSES = Kind()
RAY = Kind((*PROCESSES.options, "--engine", "ray"), NAMESPACE)


def is_worker(process: int) -> bool:
    """Return whether a process is one of our workers or a Ray actor."""
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return b"spawn_main" in command or command.startswith(b"ray::_Actor")


def descendants_of(process: int) -> list[int]:
    """Return the processes that a process and its children started."""
    below = children_of(process)
    return below + [child for own in below for child in descendants_of(own)]


def children_of(process: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def disturb(
    plan: Plan, draw: random.Random, *, kills: int, kind: Kind = PROCESSES
) -> Counter[str]:
    """Run a job, kill its driver or a worker again and again, and let it finish.

    Returns how many drivers and workers were killed. A kill comes at a random moment of
    the shard that is next, so that it does not depend on how fast the machine is.
    """
    killed: Counter[str] = Counter()
    while True:
        run = kind.start(plan.folder)
        while run.poll() is None and killed.total() < kills:
            wait_for_progress(run, plan.folder)
            time.sleep(draw.random() * 0.05)
            victims = kind.victims(run)
            if victims:
                process = draw.choice(sorted(victims))
                with suppress(ProcessLookupError):  # it ended meanwhile
                    os.kill(process, signal.SIGKILL)
                    killed[victims[process]] += 1
        error = run.communicate()[1].decode()
        if run.returncode == 0:
            return killed
        assert "error" not in error.lower() or kind.before, error


def wait_for_progress(run: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Wait until one more shard is done, or the run is over."""
    before = count_done(folder)
    while run.poll() is None and count_done(folder) == before:
        time.sleep(0.01)


def count_done(folder: Path) -> int:
    """Return how many shards are done."""
    return len(list((folder / DONE).glob("*.json")))
