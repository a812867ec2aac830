"""Slow down whoever guesses passwords: only failures count, per name and address."""

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from paraphrast.web.problems import Problem

MINUTES = 15
PER_NAME_AND_ADDRESS, PER_ADDRESS, PER_NAME = 5, 30, 50


class Guesses:
    """Counts failures; kept in memory, so that a restart forgives."""

    def __init__(self) -> None:
        """Start with none."""
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, name: str, address: str) -> None:
        """Refuse to look at a password after too many failures."""
        for limit, key in _limits(name, address):
            if not self._limiter.test(limit, *key):
                raise Problem(
                    429,
                    f"too many attempts. Wait up to {MINUTES} minutes and try again.",
                    headers={"Retry-After": str(60 * MINUTES)},
                )

    def count(self, name: str, address: str) -> None:
        """Note a failure."""
        for limit, key in _limits(name, address):
            self._limiter.hit(limit, *key)


def _limits(
    name: str, address: str
) -> list[tuple[RateLimitItemPerMinute, tuple[str, ...]]]:
    key = name.casefold()
    return [
        (RateLimitItemPerMinute(PER_NAME_AND_ADDRESS, MINUTES), ("both", key, address)),
        (RateLimitItemPerMinute(PER_ADDRESS, MINUTES), ("address", address)),
        (RateLimitItemPerMinute(PER_NAME, MINUTES), ("name", key)),
    ]
