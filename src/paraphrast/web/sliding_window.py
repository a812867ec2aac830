"""Count what happened lately, by name: requests of callers, wrong passwords.

Time is that of a clock that only goes forward: when somebody sets the machine's clock
back, nobody is shut out until it catches up.
"""

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

MANY_NAMES = 10_000  # after which those of whom nothing was heard lately are forgotten


class SlidingWindow:
    """Lets ``most`` events of a name happen in any ``seconds``; kept in memory."""

    def __init__(
        self, most: int, seconds: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with no events."""
        self.most = most
        self.seconds = seconds
        self._clock = clock
        self._events: dict[str, deque[float]] = {}
        self._forget_at = MANY_NAMES
        self._lock = Lock()

    def add(self, name: str) -> bool:
        """Count an event if there is room for it; say whether there was."""
        with self._lock:
            events = self._find(name)
            if len(events) >= self.most:
                return False
            events.append(self._clock())
            self._events[name] = events
            if len(self._events) > self._forget_at:
                self._forget()
            return True

    def left(self, name: str) -> int:
        """Return for how many more events there is room."""
        with self._lock:
            return self.most - len(self._find(name))

    def wait(self, name: str) -> float:
        """Return in how many seconds the oldest event will be forgotten."""
        with self._lock:
            events = self._find(name)
            return events[0] + self.seconds - self._clock() if events else 0.0

    def _find(self, name: str) -> deque[float]:
        """Return the events of a name that are not forgotten."""
        events = self._events.get(name, deque())
        oldest = self._clock() - self.seconds
        while events and events[0] <= oldest:
            events.popleft()
        return events

    def _forget(self) -> None:
        self._events = {n: events for n in self._events if (events := self._find(n))}
        self._forget_at = max(MANY_NAMES, 2 * len(self._events))
