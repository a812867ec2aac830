"""Workers that are actors of a Ray cluster, on this machine or on many.

Ray is only the executor: it starts workers, hands them parts and notices their deaths.
The state of the job is in its folder, which all machines must share under the same
path. Without an address a cluster of this machine is started for the run. Ray listens
on all interfaces regardless of its settings, and anybody who can reach its ports can
run programs: use it only in a trusted network.
"""

import os
import time
from pathlib import Path
from typing import Any, Self

from paraphrast.batch.schedule import Ended
from paraphrast.batch.work import Part
from paraphrast.errors import ParaphrastError
from paraphrast.extras import require

# No data goes through Ray's object store; it refuses to start with less than this.
_STORE = 100 << 20
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would phone home
    "RAY_worker_niceness": "0",  # it is 15, behind every other program's
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # silences a warning
}


class Ray:
    """An engine with a number of actors; see `schedule.Engine`."""

    def __init__(self, folder: Path, workers: int, address: str | None = None) -> None:
        """Take the folder of a job, and the address of a cluster."""
        self._folder, self._workers = folder.absolute(), workers
        self._address = address
        self._ray = require("ray")
        self._free: list[Any] = []
        self._busy: dict[Any, tuple[Part, Any]] = {}  # by the reference of the answer

    def __enter__(self) -> Self:
        """Connect to the cluster, or start one."""
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self._address is None:
            options |= {
                "num_cpus": self._workers,
                "object_store_memory": _STORE,
                "include_dashboard": False,
            }
        try:
            self._ray.init(self._address, **options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            line = str(error).strip().partition("\n")[0].rstrip(".")
            raise ParaphrastError(
                f"cannot reach Ray at {self._address or 'this machine'}: {line}. Check "
                "--address, or leave it out."
            ) from error
        # An actor too many would wait for ever for a core, and its part with it.
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        self._workers = max(1, min(self._workers, cores))
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0)(_Actor)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Leave the cluster, which ends our actors; one that we started is stopped."""
        self._ray.shutdown()

    @property
    def idle(self) -> int:
        """Return how many more parts can be started."""
        return self._workers - len(self._busy)

    def start(self, part: Part) -> None:
        """Give a part to an idle actor, or to a new one."""
        actor = self._free.pop() if self._free else self._actor.remote(self._folder)
        self._busy[actor.work.remote(part)] = (part, actor)

    def wait(self, seconds: float) -> list[Ended]:
        """Return the parts whose actors answered or died."""
        ready, _ = self._ray.wait(list(self._busy), timeout=seconds)
        ended = []
        for reference in ready:
            part, actor = self._busy.pop(reference)
            try:
                refusal = self._ray.get(reference)
            except self._ray.exceptions.RayActorError:
                ended.append(Ended(part, "died"))
                continue
            if refusal:
                raise ParaphrastError(refusal)
            self._free.append(actor)
            ended.append(Ended(part, "done"))
        return ended

    def kill(self, part: Part) -> None:
        """Kill the actor that is at work on a part."""
        for own, actor in self._busy.values():
            if own == part:
                self._ray.kill(actor)

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()


class _Actor:
    """A worker in a Ray process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._worker: Any = None

    def work(self, part: Part) -> str:
        """Process a part; return the user's error, if there is one."""
        from paraphrast.batch.work import Worker

        try:
            self._worker = self._worker or Worker(self._folder)
            self._worker(part)
        except ParaphrastError as error:
            return str(error)
        return ""
