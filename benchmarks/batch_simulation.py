"""What do deaths cost a job of 10,000 shards on 500 workers?

Run    python -m benchmarks.batch_simulation > benchmarks/results/batch_simulation.json
Backs  docs/scale.md, where a plan for a billion sentences rests on it.

The schedule is the one that real jobs use (`paraphrast.batch.schedule`); only the
engine is simulated, with a clock that jumps from event to event. Shards take an hour on
average, log-normal with a standard deviation of a fifth; a new worker takes a minute to
load its model. Workers die at random, machines of 16 workers die as a whole, some
records kill every worker that touches them, and the driver is killed and restarted:
the work in progress is then lost. Each setting is simulated with several seeds. The
makespan is compared with the time of the same shards on workers that never die or wait.
"""

import heapq
import math
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from benchmarks.report import report
from paraphrast.batch.schedule import Actions, Counts, Ended, Schedule
from paraphrast.batch.work import Part

SHARDS, RECORDS, WORKERS, PER_MACHINE = 10_000, 100_000, 500, 16
HOURS, SPREAD, START = 1.0, 0.2, 1 / 60  # for a shard, and to start a worker
REPEATS = 5


@dataclass(frozen=True)
class Setting:
    """Mean hours between the deaths of a worker, a machine, the driver; 0 for never."""

    worker: float = 0.0
    machine: float = 0.0
    driver: float = 0.0
    poison: int = 0  # records that kill their workers


SETTINGS = {
    "no deaths": Setting(),
    "a worker dies every 100 h of its work": Setting(worker=100),
    "a worker dies every 10 h of its work": Setting(worker=10),
    "a machine dies every 100 h": Setting(machine=100),
    "20 records kill their workers": Setting(poison=20),
    "the driver is killed every 4 h": Setting(driver=4),
    "all of these": Setting(worker=100, machine=100, driver=4, poison=20),
}


class DriverKilled(Exception):  # noqa: N818 - an event, not an error
    """The driver is gone, and with it all work in progress."""


class Simulated:
    """An engine with simulated workers and a simulated clock; see `schedule.Engine`."""

    def __init__(self, setting: Setting, draw: random.Random) -> None:
        """Draw how long each shard takes, and which records kill."""
        self._setting, self._draw = setting, draw
        self._clock = 0.0
        scale = math.log(HOURS) - SPREAD**2 / 2
        self.hours = [draw.lognormvariate(scale, SPREAD) for _ in range(SHARDS)]
        self._poison = {
            (draw.randrange(SHARDS), draw.randrange(RECORDS))
            for _ in range(setting.poison)
        }
        self._events: list[tuple[float, int, str, Part | None]] = []
        self._order = count()
        self._running: dict[Part, tuple[int, float]] = {}  # event and start
        self._fresh = WORKERS  # workers that must be started first
        self.worked = self.lost = 0.0
        self._plan_death("machine", setting.machine / (WORKERS / PER_MACHINE))
        self._plan_death("driver", setting.driver)

    @property
    def idle(self) -> int:
        """Return how many more parts can be started."""
        return WORKERS - len(self._running)

    def start(self, part: Part) -> None:
        """Draw when a part will be done, or when its worker will die."""
        begin = self._clock
        if self._fresh:
            self._fresh -= 1
            begin += START
        hours = self.hours[part.shard] * len(part) / RECORDS
        kind = "done"
        for shard, record in self._poison:
            if shard == part.shard and part.start <= record < part.stop:
                share = (record - part.start) / len(part)
                hours, kind = hours * share, "died"
        if self._setting.worker:
            death = self._draw.expovariate(1 / self._setting.worker)
            if death < hours:
                hours, kind = death, "died"
        self._running[part] = self._add(begin + hours, kind, part), self._clock

    def wait(self, seconds: float) -> list[Ended]:
        """Jump to the next event."""
        while self._events:
            self._clock, number, kind, part = heapq.heappop(self._events)
            if kind == "driver":
                self._plan_death("driver", self._setting.driver)
                raise DriverKilled
            if kind == "machine":
                return self._kill_machine()
            if part in self._running and self._running[part][0] == number:
                return [self._end(part, "done" if kind == "done" else "died")]
        raise RuntimeError("nothing is at work")

    def kill(self, part: Part) -> None:
        """Do nothing: no part is too slow here."""

    def now(self) -> float:
        """Return the hours since the start."""
        return self._clock

    def forget(self) -> None:
        """Lose all work in progress, and the workers."""
        for part in list(self._running):
            self._end(part, "died")
        self._fresh = WORKERS

    def _end(self, part: Part, result: str) -> Ended:
        _, since = self._running.pop(part)
        hours = self._clock - since
        self.worked += hours
        if result == "died":
            self.lost += hours
            self._fresh += 1
            return Ended(part, "died")
        return Ended(part, "done")

    def _kill_machine(self) -> list[Ended]:
        mean = self._setting.machine / (WORKERS / PER_MACHINE)
        self._plan_death("machine", mean)
        victims = self._draw.sample(
            sorted(self._running), min(PER_MACHINE, len(self._running))
        )
        return [self._end(part, "died") for part in victims]

    def _plan_death(self, kind: str, mean: float) -> None:
        if mean:
            self._add(self._clock + self._draw.expovariate(1 / mean), kind, None)

    def _add(self, time: float, kind: str, part: Part | None) -> int:
        number = next(self._order)
        heapq.heappush(self._events, (time, number, kind, part))
        return number


@dataclass(frozen=True)
class Outcome:
    """One simulated job."""

    hours: float
    ideal: float
    lost: float
    drivers: int
    counts: Counts


def simulate(setting: Setting, seed: int) -> Outcome:
    """Run a job to completion, however often its driver is killed."""
    engine = Simulated(setting, random.Random(seed))
    done: set[int] = set()
    total, drivers = Counts(), 0
    actions = Actions(lambda shard, _: done.add(shard), lambda part, why: None)
    while len(done) < SHARDS:
        waiting = [(n, RECORDS) for n in range(SHARDS) if n not in done]
        schedule = Schedule(waiting, actions)
        try:
            schedule.run(engine)
        except DriverKilled:
            drivers += 1
            engine.forget()
        total.deaths += schedule.counts.deaths
        total.halved += schedule.counts.halved
        total.given_up += schedule.counts.given_up
    ideal = sum(engine.hours) / WORKERS
    return Outcome(engine.now(), ideal, engine.lost / engine.worked, drivers, total)


def main() -> None:
    report(
        claim="time of a job of 10,000 shards on 500 workers, with deaths, divided by "
        "its time on workers that never die or wait",
        settings=dict(rows()),
        setting={
            "shards": SHARDS,
            "records per shard": RECORDS,
            "workers": WORKERS,
            "workers per machine": PER_MACHINE,
            "hours per shard": HOURS,
            "spread of a shard's hours": SPREAD,
            "hours to start a worker": round(START, 4),
            "repeats": REPEATS,
        },
    )


def rows() -> Iterator[tuple[str, dict[str, object]]]:
    for name, setting in SETTINGS.items():
        jobs = [simulate(setting, seed) for seed in range(REPEATS)]
        ratios = [job.hours / job.ideal for job in jobs]
        yield (
            name,
            {
                "hours": round(statistics.median(job.hours for job in jobs), 2),
                "median": round(statistics.median(ratios), 3),
                "range": [round(min(ratios), 3), round(max(ratios), 3)],
                "work lost": round(statistics.median(job.lost for job in jobs), 4),
                "drivers killed": [job.drivers for job in jobs],
                "deaths": [job.counts.deaths for job in jobs],
                "halved": [job.counts.halved for job in jobs],
                "given up": [job.counts.given_up for job in jobs],
            },
        )


if __name__ == "__main__":
    main()
