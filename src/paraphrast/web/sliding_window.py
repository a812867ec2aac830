"""Count recent events by name: requests of callers, wrong passwords.

The clock is monotonic: setting the machine's clock back locks nobody out.
"""

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

MANY_NAMES = 10_000  # after which those of whom nothing was heard lately are forgotten


class SlidingWindow:
    """Allows ``most`` events of a name in any ``seconds``; kept in memory."""

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
        """Count an event if it is within the limit; say whether it was."""
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
        """Return the number of further allowed events."""
        with self._lock:
            return self.most - len(self._find(name))

    def wait(self, name: str) -> float:
        """Return the seconds until the oldest event expires."""
        with self._lock:
            events = self._find(name)
            return events[0] + self.seconds - self._clock() if events else 0.0

    def _find(self, name: str) -> deque[float]:
        """Return the unexpired events of a name."""
        events = self._events.get(name, deque())
        oldest = self._clock() - self.seconds
        while events and events[0] <= oldest:
            events.popleft()
        return events

    def _forget(self) -> None:
        self._events = {n: events for n in self._events if (events := self._find(n))}
        self._forget_at = max(MANY_NAMES, 2 * len(self._events))
