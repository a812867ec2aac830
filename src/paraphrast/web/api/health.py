"""``/healthz``: whether the process answers."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


@router.get("/healthz")
async def healthz() -> Health:
    """Say that the process answers."""
    return Health()
