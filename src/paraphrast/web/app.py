"""Assemble the application: middleware, errors, the HTTP API, the pages.

``create_app(settings)`` creates everything that handlers need and stores it in
``app.state``:

- ``settings``: the `Settings`
- ``service``: the models (`service.rewriting.Service`)
- ``comparisons``: those that were made last
- ``admission``: runs what uses them, on threads (`service.admission.Admission`)
- ``jobs``: files that are rewritten in the background (`service.jobs.Jobs`)
- ``counts``: what ``/metrics`` tells (`monitoring.Counts`)
- ``rate_limit``: counts the requests of each caller
- ``database``: projects and people (`database.Database`)
- ``guesses``: counts wrong passwords (`guessing.Guesses`)

`identity.require_person` runs before every handler except those of ``health``.

The models are loaded by the lifespan, in the background: ``/healthz`` answers
immediately, ``/readyz`` once they are loaded.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

from paraphrast import __version__
from paraphrast.web import problems
from paraphrast.web.api import health, jobs, metrics, rewriting
from paraphrast.web.api.access import RateLimit
from paraphrast.web.api.compat import ROUTERS as COMPATIBLE
from paraphrast.web.database import Database, open_database
from paraphrast.web.guessing import Guesses
from paraphrast.web.identity import require_person
from paraphrast.web.middleware import (
    AnswerHeaders,
    HeadAsGet,
    LimitedBody,
    SameOrigin,
)
from paraphrast.web.monitoring import Counts, Monitor
from paraphrast.web.pages import (
    account,
    annotate,
    compare,
    errors,
    home,
    projects,
    rewrite,
    sign_in,
)
from paraphrast.web.service.admission import Admission
from paraphrast.web.service.comparing import Comparisons
from paraphrast.web.service.jobs import Jobs
from paraphrast.web.service.rewriting import Service
from paraphrast.web.settings import Settings

STATIC = Path(__file__).parent / "static"
SUMMARY = "Rewrite English text in another style, and keep its meaning."


def create_app(settings: Settings) -> FastAPI:
    """Return the application that a server runs."""
    counts = Counts()
    app = FastAPI(
        title="Paraphrast",
        version=__version__,
        summary=SUMMARY,
        lifespan=_lifespan,
        docs_url=None,  # the viewer comes from a CDN
        redoc_url=None,
        middleware=[
            Middleware(HeadAsGet),
            Middleware(Monitor, counts=counts),
            Middleware(AnswerHeaders),
            Middleware(SameOrigin, loopback_only=not settings.accounts),
            Middleware(LimitedBody, limits=settings.limits),
        ],
    )
    app.state.settings = settings
    app.state.counts = counts
    app.state.service = service = Service(settings)
    app.state.jobs = Jobs(
        settings.folder / "jobs",
        service,
        most=settings.limits.jobs,
        days=settings.limits.job_days,
    )
    app.state.comparisons = Comparisons()
    app.state.admission = Admission(queue_length=settings.limits.queue_length)
    app.state.rate_limit = RateLimit(settings.limits.requests_per_minute)
    app.state.database = open_database(settings.database_url)
    app.state.guesses = Guesses()
    problems.install(app)
    errors.install(app)
    app.include_router(health.router)
    guard = [Depends(require_person)]
    for router in (metrics.router, rewriting.router, jobs.router):
        app.include_router(router, dependencies=guard)
    for router in COMPATIBLE if settings.compat else ():
        app.include_router(router, dependencies=guard)
    for page in (home, rewrite, compare, annotate, projects, account, sign_in):
        app.include_router(page.router, dependencies=guard, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    queue: Jobs = app.state.jobs
    database: Database = app.state.database
    service.start()
    queue.start()
    yield
    queue.close()
    service.close()
    database.close()
