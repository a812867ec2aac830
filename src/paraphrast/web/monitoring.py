"""Metrics for Prometheus, and the log line of each request.

Requests are labelled by route, as ``/v1/jobs/{job_id}``, never by address, key or
contents: neither the counts nor the log have personal data.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger(__name__)

# Seconds, as upper bounds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
ELSEWHERE = "other"
UNANSWERED = 499  # the client went away


@dataclass
class Counts:
    """Request counts by route and status, and durations."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    buckets: dict[str, list[int]] = field(default_factory=dict)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self.requests[method, route, status] += 1
        self.seconds[route] = self.seconds.get(route, 0.0) + seconds
        buckets = self.buckets.setdefault(route, [0] * (len(BUCKETS) + 1))
        for index, bound in enumerate((*BUCKETS, float("inf"))):
            buckets[index] += seconds <= bound

    def write(self, gauges: Mapping[str, float]) -> Iterator[str]:
        """Yield the lines of Prometheus's text format; ``gauges`` are further values.

        The name of a counter among them ends in ``_total``.
        """
        name = "paraphrast_requests_total"
        yield f"# TYPE {name} counter"
        for (method, route, status), count in sorted(self.requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"{name}{{{labels}}} {count}"
        name = "paraphrast_request_seconds"
        yield f"# TYPE {name} histogram"
        for route, buckets in sorted(self.buckets.items()):
            for bound, count in zip((*BUCKETS, "+Inf"), buckets, strict=True):
                yield f'{name}_bucket{{route="{route}",le="{bound}"}} {count}'
            yield f'{name}_sum{{route="{route}"}} {self.seconds[route]:.6f}'
            yield f'{name}_count{{route="{route}"}} {buckets[-1]}'
        for name, value in gauges.items():
            kind = "counter" if name.partition("{")[0].endswith("_total") else "gauge"
            yield f"# TYPE {name.partition('{')[0]} {kind}"
            yield f"{name} {value:g}"


class Monitor:
    """Counts and logs every request."""

    def __init__(self, app: ASGIApp, *, counts: Counts) -> None:
        """Stand before ``app``."""
        self.app = app
        self.counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = UNANSWERED
        start = time.perf_counter()

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, note)
        finally:
            seconds = time.perf_counter() - start
            route = getattr(scope.get("route"), "path", ELSEWHERE)
            method = scope["method"] if route != ELSEWHERE else ELSEWHERE
            self.counts.add(method, route, status, seconds)
            request_id = scope.get("state", {}).get("request_id", "")
            _log.info(
                "request %s: %s %s %d %.3f s",
                request_id,
                method,
                route,
                status,
                seconds,
            )
