"""Workers that are processes of this machine, the default.

A worker is a fresh process (spawned, not forked: forking is unsafe beside threads) with
a pipe of its own. It receives a part, processes it, and answers; a pipe that closes
without an answer means that the worker died. Several workers share the cores, so each
uses one thread.
"""

import multiprocessing
import os
import time
import traceback
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Self

from paraphrast.batch.schedule import Ended
from paraphrast.batch.work import Part
from paraphrast.errors import ParaphrastError
from paraphrast.processes import start_worker

_SPAWN = multiprocessing.get_context("spawn")
_GRACE = 5.0  # seconds that an idle worker has to end by itself


class Processes:
    """An engine with a number of worker processes; see `schedule.Engine`."""

    def __init__(self, folder: Path, workers: int) -> None:
        """Take the folder of a job; workers start when there is a part for them."""
        self._folder, self._workers = folder, workers
        self._free: list[_Process] = []
        self._busy: dict[Part, _Process] = {}

    def __enter__(self) -> Self:
        """Return the engine."""
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """End all workers: idle ones by asking, the others at once."""
        for process in self._busy.values():
            process.kill()
        for process in self._free:
            process.end()

    @property
    def idle(self) -> int:
        """Return how many more parts can be started."""
        return self._workers - len(self._busy)

    def start(self, part: Part) -> None:
        """Give a part to an idle worker, or to a new one."""
        process = self._free.pop() if self._free else None
        if process is None or not process.send(part):
            process = _Process(self._folder, alone=self._workers == 1)
            process.send(part)
        self._busy[part] = process

    def wait(self, seconds: float) -> list[Ended]:
        """Return the parts whose workers answered or died."""
        parts = {process.pipe: part for part, process in self._busy.items()}
        ended = []
        for pipe in wait(list(parts), timeout=seconds):
            part = parts[pipe]  # type: ignore[index]
            process = self._busy.pop(part)
            answer = process.receive()
            if answer is None:
                ended.append(Ended(part, "died"))
                continue
            self._free.append(process)
            kind, message = answer
            if kind == "refused":
                raise ParaphrastError(message)
            if kind == "broken":
                raise RuntimeError(f"a worker failed on {part}:\n{message}")
            ended.append(Ended(part, "done"))
        return ended

    def kill(self, part: Part) -> None:
        """Kill the worker that is at work on a part."""
        self._busy[part].process.kill()

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()


class _Process:
    """One worker process, and our end of its pipe."""

    def __init__(self, folder: Path, *, alone: bool) -> None:
        self.pipe, theirs = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(theirs, folder, alone))
        self.process.start()
        theirs.close()  # so that the worker's death closes the pipe

    def send(self, part: Part) -> bool:
        """Send a part; return False if the worker is gone."""
        try:
            self.pipe.send(part)
        except OSError:
            self.kill()
            return False
        return True

    def receive(self) -> tuple[str, str] | None:
        """Return the answer, or nothing if the worker died without one."""
        try:
            answer: tuple[str, str] = self.pipe.recv()
        except (EOFError, OSError):
            self.kill()
            return None
        return answer

    def end(self) -> None:
        """Close the pipe, at which an idle worker ends."""
        self.pipe.close()
        self.process.join(_GRACE)
        self.kill()

    def kill(self) -> None:
        """End the worker, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(pipe: "Connection[Any, Any]", folder: Path, alone: bool) -> None:
    """Do parts until the other end of the pipe is closed."""
    start_worker()
    if not alone:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    from paraphrast.batch.work import Worker

    worker: Worker | None = None
    while True:
        try:
            part = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            worker = worker or Worker(folder)
            worker(part)
            answer = ("done", "")
        except ParaphrastError as error:
            answer = ("refused", str(error))
        except Exception:  # noqa: BLE001 - the driver shows it
            answer = ("broken", traceback.format_exc())
        pipe.send(answer)
