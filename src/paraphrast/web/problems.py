"""Errors as RFC 9457 problem details, ``application/problem+json``.

Every message says what was wrong and what to do; none shows a stack trace or repeats
the text that was sent.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as StarletteHTTPException

from paraphrast.errors import ParaphrastError

MEDIA_TYPE = "application/problem+json"


class ProblemDetails(BaseModel):
    """What went wrong, as RFC 9457 spells it."""

    type: str = "about:blank"
    title: str = Field(examples=["Bad Request"])
    status: int = Field(examples=[400])
    detail: str = Field(examples=["unknown style 'formel'. Did you mean 'formal'?"])
    did_you_mean: str | None = Field(default=None, examples=["formal"])


class Problem(HTTPException):
    """An answer other than success: a status and a sentence that says what to do."""


def answer(
    status: int,
    detail: str,
    *,
    did_you_mean: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return a problem as a response."""
    details = ProblemDetails(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        did_you_mean=did_you_mean,
    )
    return JSONResponse(
        details.model_dump(exclude_none=True),
        status,
        headers=dict(headers or {}),
        media_type=MEDIA_TYPE,
    )


def install(app: FastAPI) -> None:
    """Make every failure of an application a problem."""
    app.add_exception_handler(ParaphrastError, _user_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(StarletteHTTPException, _http_error)
    app.add_exception_handler(Exception, _bug)


async def _user_error(_: Request, error: Exception) -> JSONResponse:
    near = getattr(error, "did_you_mean", "") or None
    return answer(400, str(error), did_you_mean=near)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, StarletteHTTPException):
        raise error
    return answer(error.status_code, error.detail, headers=error.headers)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    return answer(422, "; ".join(map(_describe, error.errors()[:3])) + ".")


def _describe(complaint: Mapping[str, Any]) -> str:
    """Say which field is wrong, and how; never what was in it."""
    where = ".".join(str(part) for part in complaint["loc"] if part != "body")
    message = str(complaint["msg"]).rstrip(".")
    return f"{where}: {message}" if where else message


async def _bug(_: Request, error: Exception) -> JSONResponse:
    return answer(
        500,
        "the server failed, which is a bug. Its log has the details under the "
        "request's X-Request-ID.",
    )
