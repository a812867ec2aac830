"""Which part of which shard is tried next, and what happens to one that kills workers.

A shard is tried as a whole `TRIES` times, since a worker may die for another reason,
such as a lack of memory or a lost machine. After that it is halved, and a half that
kills its worker is halved again, down to a single record, which is tried `TRIES` times
and then given up. Halving is harmless, as a record's result does not depend on other
records.

Nothing here knows of files or processes; benchmarks/batch_simulation.py runs the same
code with an engine whose clock is simulated.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from paraphrast.batch.work import DIED, TOO_SLOW, Part
from paraphrast.errors import ParaphrastError

TRIES = 3
MOST_DEATHS = 50  # in a row, with nothing done between them
_TICK = 1.0  # seconds between two looks at the clock

Result: TypeAlias = Literal["done", "died"]


@dataclass(frozen=True, slots=True)
class Ended:
    """A part that a worker finished, or died on."""

    part: Part
    result: Result


class Engine(Protocol):
    """Runs parts on workers, wherever they are; a context manager closes it."""

    @property
    def idle(self) -> int:
        """Return how many more parts can be started."""
        ...

    def start(self, part: Part) -> None:
        """Start a part on an idle worker."""
        ...

    def wait(self, seconds: float) -> list[Ended]:
        """Return the parts that ended, as soon as one did or after a timeout.

        A `ParaphrastError` of a worker is raised here.
        """
        ...

    def kill(self, part: Part) -> None:
        """Kill the worker that is processing a part; `wait` reports its death."""
        ...

    def now(self) -> float:
        """Return the time in seconds."""
        ...


@dataclass(frozen=True)
class Actions:
    """What a schedule calls when parts end."""

    finish: Callable[[int, list[Part]], None]  # a shard, and its parts if it was cut
    give_up: Callable[[Part, str], object]
    is_done: Callable[[int], bool] = lambda shard: False  # by another run meanwhile


@dataclass
class Counts:
    """What a schedule did so far."""

    deaths: int = 0
    halved: int = 0
    given_up: int = 0


@dataclass
class Schedule:
    """The waiting and the running parts, from shards and their sizes."""

    shards: Iterable[tuple[int, int]]
    actions: Actions
    time_limit: float | None = None
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        """Queue every shard as a whole."""
        self._sizes = dict(self.shards)
        self._waiting = deque(Part(n, 0, size) for n, size in self._sizes.items())
        self._running: dict[Part, float] = {}
        self._deaths: dict[Part, int] = {}
        self._slow: set[Part] = set()
        self._parts: dict[int, list[Part]] = {}  # done, of shards that were cut
        self._in_a_row = 0

    def run(self, engine: Engine, tell: Callable[[], None] = lambda: None) -> None:
        """Process everything on an engine; ``tell`` is called from time to time."""
        while self._waiting or self._running:
            while engine.idle and (part := self._next()):
                self._slow.discard(part)
                self._running[part] = engine.now()
                engine.start(part)
            if self._running:
                for ended in engine.wait(_TICK):
                    self._end(ended)
                self._kill_slow(engine)
            tell()

    @property
    def running(self) -> list[Part]:
        """Return the parts at work."""
        return sorted(self._running)

    def _next(self) -> Part | None:
        while self._waiting:
            part = self._waiting.popleft()
            if not self.actions.is_done(part.shard):
                return part
        return None

    def _end(self, ended: Ended) -> None:
        part = ended.part
        del self._running[part]
        if ended.result == "done":
            self._in_a_row = 0
            self._complete(part)
        else:
            self._die(part)

    def _complete(self, part: Part) -> None:
        self._deaths.pop(part, None)
        if len(part) == self._sizes[part.shard]:
            self.actions.finish(part.shard, [])
            return
        parts = self._parts.setdefault(part.shard, [])
        parts.append(part)
        if sum(map(len, parts)) == self._sizes[part.shard]:
            self.actions.finish(part.shard, sorted(self._parts.pop(part.shard)))

    def _die(self, part: Part) -> None:
        self.counts.deaths += 1
        self._in_a_row += 1
        self._deaths[part] = deaths = self._deaths.get(part, 0) + 1
        if self._in_a_row >= MOST_DEATHS:
            raise ParaphrastError(
                f"workers died {self._in_a_row} times in a row, most recently on shard "
                f"{part.shard}, perhaps for lack of memory. Run it again with fewer "
                "--workers, or with a smaller model."
            )
        whole = len(part) == self._sizes[part.shard]
        if deaths < TRIES and (whole or len(part) == 1):
            self._waiting.appendleft(part)  # at the end it would be waited for alone
        elif len(part) > 1:
            self.counts.halved += 1
            self._waiting.extendleft(reversed(part.halves()))
        else:
            self.counts.given_up += 1
            self.actions.give_up(part, TOO_SLOW if part in self._slow else DIED)
            self._complete(part)

    def _kill_slow(self, engine: Engine) -> None:
        if self.time_limit is None:
            return
        for part, since in self._running.items():
            if engine.now() - since > self.time_limit and part not in self._slow:
                self._slow.add(part)
                engine.kill(part)
