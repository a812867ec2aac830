"""Access to ``/v1``, and its rate limit.

Without accounts everybody on this machine has access; with accounts an API key is
required, ``Authorization: Bearer KEY``. Requests are counted per key, those of a
person's own pages per account, and without accounts per address.
"""

import math
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from paraphrast.web.authorisation import Person
from paraphrast.web.problems import Problem
from paraphrast.web.settings import Settings
from paraphrast.web.sliding_window import SlidingWindow

LOCAL = "local"  # whoever calls a server without accounts


@dataclass(frozen=True)
class Caller:
    """The sender of a request: ``name`` owns its jobs."""

    name: str


class RateLimit:
    """Counts the requests of each caller over the last minute, in memory."""

    def __init__(self, per_minute: int) -> None:
        """Set the limit; 0 means no limit."""
        self.per_minute = per_minute
        self._window = SlidingWindow(per_minute, 60)

    def count(self, name: str) -> dict[str, str]:
        """Count one request; return the rate-limit headers."""
        if not self.per_minute:
            return {}
        allowed = self._window.add(name)
        seconds = max(1, math.ceil(self._window.wait(name)))
        headers = {
            "RateLimit": f'"minute";r={self._window.left(name)};t={seconds}',
            "RateLimit-Policy": f'"minute";q={self.per_minute};w=60',
        }
        if not allowed:
            raise Problem(
                429,
                f"more than {self.per_minute} requests per minute. Try again in "
                f"{seconds} s.",
                headers | {"Retry-After": str(seconds)},
            )
        return headers


async def identify(request: Request) -> Caller:
    """Return the caller, after checking access and the rate limit."""
    settings = cast(Settings, request.app.state.settings)
    person = cast(Person, request.state.person)
    if not settings.accounts:
        name, counted = LOCAL, request.client.host if request.client else ""
    else:
        name = counted = f"account {person.id}"
        if person.key is not None:  # one runaway program stops no other
            counted = f"key {person.key}"
    limit = cast(RateLimit, request.app.state.rate_limit)
    request.state.headers.update(limit.count(counted))
    return Caller(name)


Identified = Annotated[Caller, Depends(identify)]
