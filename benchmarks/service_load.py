"""How does the service handle 200 clients at once, and the studio 50 annotators?

Run    python -m benchmarks.service_load > benchmarks/results/service_load.json
       (--seconds, --clients and --annotators for another size, --rewriter rules to
       try it out; about five minutes as it is)
Backs  the row "service_load" in docs/benchmarks.md, and a table of docs/service.md.

A server in a process of its own answers on loopback alone, with the small pack. Each
client sends ``POST /v1/rewrite`` with a sentence, and the next when it has its answer,
for so many seconds; nobody is sent away (no limit on requests), and any status but 200
and 429 ends the benchmark. So does a p99 above `TURNS` turns of all clients: a request
waits for those that came before it, which is the bound. The clients run on the same
cores as the server. Each has its own connection: httpx searches a shared pool at every
request, which took more CPU time than the server's own work.

Two things are done with the same sentences in the same run. The command rewrites those
that were answered as one file: its start, measured with a file of few lines, is taken
off, so that the comparison is of steady work. And a server that batches nothing answers
the same clients one request after the other, as LibreTranslate does. What the three
answer must be the same before any figure counts.

Then a server with accounts and SQLite has annotators, each with a project's items of
their own. They open an item, set links, finish, and go to the next, and think for a
second on average before each act (drawn with a seed): a quick annotator sets a link per
second. A time is that from the request to the last byte of its answer, with what the
client itself takes on the same cores; beside it stand the share of answers that the
server had within `SOON` seconds by its own clock, and the CPU time that a request took
of the server, which says the same on a busy machine as on a quiet one. The clients
share one TLS context, which nothing here uses: making one for each of them reads all
certificates 50 times, while answers wait to be read.

Times mean little where other programs want the cores, too. The record says how much of
them others took; on a machine that is shared, `chrt --rr 1` before the command lets it
run before them, and the record says that as well.
"""

import argparse
import asyncio
import os
import random
import re
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from benchmarks.report import report
from benchmarks.rules_speed import draw_texts
from paraphrast.align.base import AlignedPair
from paraphrast.text import tokenise
from paraphrast.web import accounts, exchange, projects
from paraphrast.web.app import create_app
from paraphrast.web.authorisation import Person
from paraphrast.web.database import open_database
from paraphrast.web.database.tables import Member
from paraphrast.web.identity import COOKIE
from paraphrast.web.service.batcher import Batcher
from paraphrast.web.settings import Settings

SEED, SECONDS, CLIENTS, ANNOTATORS = 1, 45, 200, 50
STYLE, REWRITER = "formal", "neural"  # that of the small pack
FEW = 8  # lines of the file by which the command's start is measured
PATIENCE = 30  # seconds that clients wait for what they asked for
LONGEST = 300  # seconds that a command or a start may take
ITEMS, ACTS, THINKING = 20, 4, 1.0  # items of each annotator, links, mean seconds
SOON = 0.1  # seconds; one of `monitoring.BUCKETS`
TURNS = 2  # of all clients, within which 99 of 100 requests must be answered
ROUTES = (
    "/projects/{project_id}/work",
    "/assignments/{assignment_id}",
    "/assignments/{assignment_id}/events",
)
SECRET = "a secret of the benchmark"
ALLOWED = (200, 429)


@dataclass
class Answers:
    """The clients' results: seconds and text of each answer, and the total time."""

    times: list[float] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    finished: int = 0  # before the time was over
    waiting: int = 0  # when patience was over

    def describe(self, seconds: float) -> dict[str, Any]:
        """Return the figures."""
        return {
            "sentences per second": round(self.finished / seconds, 2),
            "seconds to answer": summarise(self.times),
            "answers": {str(status): n for status, n in sorted(self.statuses.items())},
            "still waiting at the end": self.waiting,
        }


class Cores:
    """How busy the machine is from now on, and our share of that (Linux)."""

    def __init__(self) -> None:
        """Begin to count."""
        self._begin = self._count()

    def _count(self) -> tuple[float, float, float]:
        fields = Path("/proc/stat").read_text("ascii").splitlines()[0].split()[1:]
        ticks = [int(field) for field in fields]
        busy = sum(ticks[:8]) - ticks[3] - ticks[4]  # without idle and waiting
        return busy / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4]), time.monotonic()

    def taken_by_others(self) -> float:
        """Return the share of the cores that was neither idle nor ours."""
        busy, own, wall = (
            now - then for now, then in zip(self._count(), self._begin, strict=True)
        )
        return round(max(0.0, busy - own) / wall / (os.cpu_count() or 1), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    parser.add_argument("--rewriter", default=REWRITER)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--unbatched", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--accounts", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, batched=not options.unbatched, others=options.accounts)
        return
    size = (options.rewriter, options.clients, options.seconds)
    cores = Cores()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(folder / "batched") as server:
            batched = asyncio.run(ask_at_once(server.address, *size))
        command = rewrite_file(options.rewriter, batched.texts, folder)
        with running(folder / "unbatched", "--unbatched") as server:
            unbatched = asyncio.run(ask_at_once(server.address, *size))
        check_same(batched.texts, unbatched.texts, "the server without batches")
        annotators = watch_annotators(
            folder / "studio", options.annotators, options.seconds
        )
    rates = [a.finished / options.seconds for a in (batched, unbatched)]
    report(
        claim="sentences per second of a server that many clients ask at once",
        clients=options.clients,
        seconds=options.seconds,
        batched=batched.describe(options.seconds)
        | {"p99 in turns of all clients": count_turns(batched, *size)},
        unbatched=unbatched.describe(options.seconds),
        command=command,
        ratio={
            "to the command": round(rates[0] / command["sentences per second"], 3),
            "to the server without batches": round(rates[0] / max(rates[1], 1e-9), 2),
        },
        annotators={"annotators": options.annotators, "seconds of thinking": THINKING}
        | annotators,
        setting={
            "style": STYLE,
            "rewriter": options.rewriter,
            "cores": os.cpu_count(),
            "share of the cores that other programs took": cores.taken_by_others(),
            "ran before other programs": os.sched_getscheduler(0) == os.SCHED_RR,
        },
        versions=("fastapi", "uvicorn", "httpx"),
    )


def serve(folder: Path, *, batched: bool, others: bool) -> None:
    """Run a server until it is told to stop; print its address first."""
    app = create_app(Settings(accounts=others, secret=SECRET, data=folder))
    if not batched:
        batcher: Batcher = app.state.service.batcher
        batcher.largest, batcher.window = 1, 0.0
    with socket.create_server(("127.0.0.1", 0), backlog=2_048) as bound:
        print(f"http://127.0.0.1:{bound.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([bound])


@dataclass(frozen=True)
class Running:
    """A server in a process of its own."""

    address: str
    process: int

    def cpu_seconds(self) -> float:
        """Return how much CPU time it took until now (Linux)."""
        stat = Path(f"/proc/{self.process}/stat").read_text("ascii")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Running]:
    """Start a server, and give it once its models are loaded."""
    command = [sys.executable, "-m", "benchmarks.service_load", "--serve", str(folder)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            end = time.monotonic() + LONGEST
            while httpx.get(f"{address}/readyz").status_code != 200:
                if time.monotonic() > end:
                    sys.exit("the server is not ready; there is nothing to measure")
                time.sleep(0.2)
            print(f"serving {' '.join(options)}", file=sys.stderr)
            yield Running(address, process.pid)
        finally:
            process.kill()  # clients still waiting get no answer, and are not counted


async def ask_at_once(
    address: str, rewriter: str, clients: int, seconds: float
) -> Answers:
    """Let clients ask for one sentence after the other, all at the same time."""
    texts, answers = draw_texts(), Answers()
    context = ssl.create_default_context()
    end = time.monotonic() + seconds

    async def ask() -> None:
        async with httpx.AsyncClient(
            base_url=address, timeout=LONGEST, verify=context
        ) as client:
            while time.monotonic() < end:
                text = next(texts)
                body = {"text": text, "style": STYLE, "rewriter": rewriter}
                begin = time.monotonic()
                answer = await client.post("/v1/rewrite", json=body)
                answers.times.append(time.monotonic() - begin)
                answers.statuses[answer.status_code] += 1
                if answer.status_code not in ALLOWED:
                    sys.exit(f"{answer.status_code}: {answer.text}")
                if answer.status_code == 200:
                    answers.finished += time.monotonic() < end
                    answers.texts[text] = answer.json()["rewrites"][0]["text"]

    tasks = [asyncio.create_task(ask()) for _ in range(clients)]
    _, waiting = await asyncio.wait(tasks, timeout=seconds + PATIENCE)
    answers.waiting = len(waiting)
    for task in waiting:
        task.cancel()
    for task in set(tasks) - waiting:
        task.result()
    if len(answers.texts) <= FEW:
        sys.exit(f"{len(answers.texts)} answers are too few. Give more --seconds.")
    return answers


def count_turns(answers: Answers, _: str, clients: int, seconds: float) -> float:
    """Return p99 in turns, during each of which every client is answered once."""
    turn = clients * seconds / answers.finished
    turns = float(summarise(answers.times)["p99"]) / turn
    if turns > TURNS:
        sys.exit(f"p99 is {turns:.2f} turns of all clients, and at most {TURNS} may be")
    return round(turns, 2)


def rewrite_file(rewriter: str, texts: dict[str, str], folder: Path) -> dict[str, Any]:
    """Let the command rewrite the texts as a file; return its speed.

    Its start does not count, unless it takes too much of the time to be separated.
    """
    few, all_of_them = (
        time_command(rewriter, list(texts)[:number], folder / f"{number}.txt")
        for number in (FEW, len(texts))
    )
    lines = all_of_them[1]
    check_same(texts, dict(zip(texts, lines, strict=True)), "the command")
    rest, seconds = len(texts) - FEW, all_of_them[0] - few[0]
    told = seconds > few[0] / 2  # else the machine, or the run, is too small to tell
    rate = rest / seconds if told else len(texts) / all_of_them[0]
    return {
        "sentences per second": round(rate, 2),
        "without its start": told,
        "lines": len(texts),
    }


def time_command(
    rewriter: str, texts: Sequence[str], path: Path
) -> tuple[float, list[str]]:
    """Return how many seconds the command takes, and what it wrote."""
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    output = path.with_suffix(".out")
    options = ["--to", STYLE, "--using", rewriter, "-o", str(output)]
    begin = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "paraphrast", "rewrite", *options, str(path)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=LONGEST,
    )
    seconds = time.monotonic() - begin
    print(f"{len(texts)} lines by the command: {seconds:.1f} s", file=sys.stderr)
    return seconds, output.read_text("utf-8").splitlines()


def check_same(first: dict[str, str], second: dict[str, str], who: str) -> None:
    """End the benchmark if both rewrote a text, but differently."""
    for text in first.keys() & second.keys():
        if first[text] != second[text]:
            sys.exit(f"{who} made {second[text]!r} of {text!r}, not {first[text]!r}")


def prepare_annotators(folder: Path, number: int) -> list[str]:
    """Make a project with items for each annotator; return their sessions' tokens."""
    settings = Settings(accounts=True, secret=SECRET, data=folder)
    database = open_database(settings.database_url)
    sentences = draw_texts()
    with database.write() as session:
        lead = accounts.create_absent(session, "lead")
        lead.administrator = True
        person = Person(lead.id, lead.name, administrator=True)
        project = projects.create_project(session, person, title="Pairs")
        projects.change_settings(project, people=1)
        people = [accounts.create_absent(session, f"a{n}") for n in range(number)]
        for account in people:
            session.add(
                Member(project_id=project.id, account_id=account.id, role="annotator")
            )
        pairs = [
            AlignedPair(tuple(tokenise(next(sentences))), tuple(tokenise(text)), (), n)
            for n, text in (
                (str(n), next(sentences)) for n in range(ITEMS * max(1, number))
            )
        ]
        projects.add_items(session, project, exchange.make_pair_items(pairs))
        projects.assign(session, project)
        tokens = [
            accounts.sign_in(session, account, secret=SECRET) for account in people
        ]
    database.close()
    return tokens


def watch_annotators(folder: Path, number: int, seconds: float) -> dict[str, Any]:
    """Let annotators work with a server of their own; return the figures."""
    tokens = prepare_annotators(folder, number)
    with running(folder, "--accounts") as server:
        before = server.cpu_seconds()
        times = asyncio.run(annotate(server.address, tokens, seconds))
        used = server.cpu_seconds() - before
        metrics = f"{server.address}/metrics"
        counts = httpx.get(metrics, cookies={COOKIE: tokens[0]}).text
    return {
        "requests per second": round(len(times["all"]) / seconds, 1),
        "CPU milliseconds per request": round(1_000 * used / len(times["all"]), 2),
        f"share within {SOON * 1_000:g} ms at the server": count_soon(counts),
        "milliseconds": {
            kind: summarise([1_000 * time for time in own], digits=1)
            for kind, own in times.items()
        },
    }


def count_soon(counts: str) -> float:
    """Return the share of annotators' requests that were quick, by ``/metrics``."""
    soon, total = (
        sum(
            int(count)
            for route, count in re.findall(
                rf'{name}{{route="([^"]+)"{more}}} (\d+)', counts
            )
            if route in ROUTES
        )
        for name, more in (
            ("paraphrast_request_seconds_bucket", f',le="{SOON}"'),
            ("paraphrast_request_seconds_count", ""),
        )
    )
    return round(soon / max(1, total), 4)


async def annotate(
    address: str, tokens: Sequence[str], seconds: float
) -> dict[str, list[float]]:
    """Let all annotators work; return the seconds of the requests by kind."""
    context = ssl.create_default_context()
    times: dict[str, list[float]] = {"page": [], "event": [], "next": []}
    end = time.monotonic() + seconds

    async def work(number: int, token: str) -> None:
        draw = random.Random(f"{SEED} {number}")
        async with httpx.AsyncClient(
            base_url=address, cookies={COOKIE: token}, timeout=LONGEST, verify=context
        ) as client:

            async def act(kind: str, method: str, path: str, **more: Any) -> Any:
                await asyncio.sleep(draw.expovariate(1 / THINKING))
                begin = time.monotonic()
                answer = await client.request(method, path, **more)
                times[kind].append(time.monotonic() - begin)
                if answer.status_code not in (200, 303):
                    sys.exit(f"{path}: {answer.status_code}: {answer.text}")
                return answer

            while time.monotonic() < end:
                answer = await act("next", "GET", "/projects/1/work")
                path = answer.headers["location"]
                if "/assignments/" not in path:
                    return  # everything is done
                await act("page", "GET", path)
                for act_number in range(ACTS + 1):
                    cell = [draw.randrange(3), draw.randrange(3)]
                    event: dict[str, Any] = {"kind": "done", "content": {}}
                    if act_number < ACTS:
                        content = {"cells": [cell], "label": "sure"}
                        event = {"kind": "link", "content": content}
                    body = event | {"key": f"{path} {act_number}"}
                    await act("event", "POST", f"{path}/events", json=body)

    await asyncio.gather(*(work(n, token) for n, token in enumerate(tokens)))
    return times | {"all": [each for own in times.values() for each in own]}


def summarise(values: Sequence[float], *, digits: int = 2) -> dict[str, float]:
    """Return the median, high percentiles and the largest of some times."""
    if len(values) < 2:
        return {"number": len(values)}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {
        "number": len(values),
        **{f"p{p}": round(cuts[p - 1], digits) for p in (50, 95, 99)},
        "largest": round(max(values), digits),
    }


if __name__ == "__main__":
    main()
