"""A rewriter that dies, fails or dawdles on demand, and the ways to kill a job.

It is a plugin, so that worker processes find it as they find our own rewriters.
"""

import os
import random
import signal
import subprocess
import sys
import time
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


def start_run(folder: Path, *options: str, before: tuple[str, ...] = ()):
    """Start `batch run` in a process group of its own."""
    command = [*before, sys.executable, "-m", "paraphrast", "batch", "run", str(folder)]
    return subprocess.Popen(
        [*command, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


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


def kill(process: int) -> bool:
    """Kill a process; False if it is gone."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def count_done(folder: Path) -> int:
    """Return how many shards are done."""
    return len(list((folder / DONE).glob("*.json")))


def disturb(plan: Plan, draw: random.Random, *, kills: int, workers: int) -> int:
    """Run a job, kill its driver or a worker again and again, and let it finish.

    Returns how many processes were killed. A kill comes at a random moment of the shard
    that is next, so that it does not depend on how fast the machine is.
    """
    killed = 0
    while True:
        run = start_run(plan.folder, "--workers", str(workers))
        while run.poll() is None and killed < kills:
            wait_for_progress(run, plan.folder)
            time.sleep(draw.random() * 0.05)
            victims = [run.pid, *children_of(run.pid)]
            killed += kill(draw.choice(victims))
        error = run.communicate()[1].decode()
        if run.returncode == 0:
            return killed
        assert run.returncode == -signal.SIGKILL, error


def wait_for_progress(run: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until one more shard is done, or the run is over."""
    before = count_done(folder)
    while run.poll() is None and count_done(folder) == before:
        time.sleep(0.01)
