"""Admission control: limits on running and waiting requests."""

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

Result = TypeVar("Result")

MOST_THREADS = 256  # that wait for a batch, most of the time
RETRY_AFTER = 2  # seconds


class BusyError(Exception):
    """Too many requests are waiting; retry after ``retry_after`` s."""

    retry_after = RETRY_AFTER


class Admission:
    """Runs blocking functions on its own threads, separate from those of the pages."""

    def __init__(self, *, queue_length: int) -> None:
        """Admit ``queue_length`` requests at once, running or waiting."""
        self.queue_length = queue_length
        self.inside = 0
        self._threads: anyio.CapacityLimiter | None = None

    async def run(self, function: Callable[[], Result]) -> Result:
        """Run a function and return its result, or raise `BusyError`."""
        if self.inside >= self.queue_length:
            raise BusyError
        self.inside += 1
        try:
            if self._threads is None:  # which needs a running event loop
                self._threads = anyio.CapacityLimiter(MOST_THREADS)
            return await anyio.to_thread.run_sync(function, limiter=self._threads)
        finally:
            self.inside -= 1
