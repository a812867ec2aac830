"""``/healthz``: does the process answer? ``/readyz``: are the models loaded?"""

from dataclasses import asdict
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from paraphrast.web.service.rewriting import Service

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process is alive."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """The number of loaded styles, and of all."""

    ready: bool
    loaded: int
    styles: int
    why: str


@router.get("/healthz")
async def healthz() -> Health:
    """Report that the process is alive."""
    return Health()


@router.get("/readyz", responses={503: {"model": Readiness}})
async def readyz(request: Request, response: Response) -> Readiness:
    """Report whether the models are loaded; the status is 503 until then."""
    service: Service = request.app.state.service
    progress = Readiness(**asdict(service.progress))
    response.status_code = 200 if progress.ready else 503
    return progress
