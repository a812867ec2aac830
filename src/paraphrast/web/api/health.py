"""``/healthz``: does the process answer? ``/readyz``: are the models loaded?"""

from dataclasses import asdict
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from paraphrast.web.service.rewriting import Service

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """How many styles are loaded, of how many."""

    ready: bool
    loaded: int
    styles: int
    why: str


@router.get("/healthz")
async def healthz() -> Health:
    """Say that the process answers."""
    return Health()


@router.get("/readyz", responses={503: {"model": Readiness}})
async def readyz(request: Request, response: Response) -> Readiness:
    """Say whether the models are loaded, by 503 as long as they are not."""
    service: Service = request.app.state.service
    progress = Readiness(**asdict(service.progress))
    response.status_code = 200 if progress.ready else 503
    return progress
