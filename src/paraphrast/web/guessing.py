"""Throttle password guessing: failures are counted per name and address."""

from paraphrast.web.problems import Problem
from paraphrast.web.sliding_window import SlidingWindow

MINUTES = 15
PER_NAME_AND_ADDRESS, PER_ADDRESS, PER_NAME = 5, 30, 50


class Guesses:
    """Counts failures, in memory only."""

    def __init__(self) -> None:
        """Start with none."""
        most = PER_NAME_AND_ADDRESS, PER_ADDRESS, PER_NAME
        self._windows = [SlidingWindow(number, 60 * MINUTES) for number in most]

    def check(self, name: str, address: str) -> None:
        """Refuse to look at a password after too many failures."""
        keys = _name_keys(name, address)
        for window, key in zip(self._windows, keys, strict=True):
            if not window.left(key):
                raise Problem(
                    429,
                    f"too many attempts. Wait up to {MINUTES} minutes and try again.",
                    headers={"Retry-After": str(60 * MINUTES)},
                )

    def count(self, name: str, address: str) -> None:
        """Note a failure."""
        keys = _name_keys(name, address)
        for window, key in zip(self._windows, keys, strict=True):
            window.add(key)


def _name_keys(name: str, address: str) -> tuple[str, str, str]:
    key = name.casefold()
    return f"{address} {key}", address, key
