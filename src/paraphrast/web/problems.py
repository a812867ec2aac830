"""Errors as RFC 9457 problem details, ``application/problem+json``.

Every message says what was wrong and what to do; none shows a stack trace or quotes the
submitted text.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as StarletteHTTPException

from paraphrast.errors import ParaphrastError
from paraphrast.web.service.admission import BusyError

MEDIA_TYPE = "application/problem+json"
MOST_COMPLAINTS = 3  # about one request
BUG = (
    "the server failed, which is a bug. Its log has the details under this request's "
    "X-Request-ID."
)


# The exceptions that `explain` describes; any other is a bug.
FORESEEN = (ParaphrastError, BusyError, RequestValidationError, StarletteHTTPException)
NO_SUCH_PAGE = "there is no such page here. Check the address."


class ProblemDetails(BaseModel):
    """The problem details of RFC 9457."""

    type: str = "about:blank"
    title: str = Field(examples=["Bad Request"])
    status: int = Field(examples=[400])
    detail: str = Field(examples=["unknown style 'formel'. Did you mean 'formal'?"])
    did_you_mean: str | None = Field(default=None, examples=["formal"])


class Problem(HTTPException):
    """An error response: a status and a sentence that says what to do."""


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
    return _respond(details, headers)


def explain(error: Exception) -> ProblemDetails:
    """Return the message for an error; for a bug, only that it is one."""
    status, detail, near = 500, BUG, None
    if isinstance(error, ParaphrastError):
        status, detail, near = 400, str(error), error.did_you_mean or None
    elif isinstance(error, BusyError):
        status, detail = 429, f"the server is busy. Try again in {error.retry_after} s."
    elif isinstance(error, RequestValidationError):
        status, detail = 422, _describe_all(error)
        if any(complaint["loc"][0] == "path" for complaint in error.errors()):
            status, detail = 404, NO_SUCH_PAGE
    elif isinstance(error, StarletteHTTPException):
        status, detail = error.status_code, _describe_refusal(error)
    title = HTTPStatus(status).phrase
    return ProblemDetails(title=title, status=status, detail=detail, did_you_mean=near)


def install(app: FastAPI) -> None:
    """Turn every expected failure of an application into a problem.

    Bugs are passed to `middleware.AnswerHeaders`, which logs them.
    """
    for kind in FORESEEN:
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, RequestValidationError) and _is_unread(request, error):
        return answer(415, "send JSON, and say so: `Content-Type: application/json`.")
    return _respond(explain(error), find_headers(error))


def find_headers(error: Exception) -> dict[str, str]:
    """Return the headers that go with what is said of an error."""
    headers = dict(getattr(error, "headers", None) or {})
    if isinstance(error, BusyError):
        headers["Retry-After"] = str(error.retry_after)
    return headers


def _is_unread(request: Request, error: RequestValidationError) -> bool:
    """Say whether the body was not looked into, as it does not say that it is JSON."""
    is_whole = any(complaint["loc"] == ("body",) for complaint in error.errors())
    return is_whole and "json" not in request.headers.get("content-type", "")


def respond_to_bug(error: Exception) -> JSONResponse:
    """Return what is said of a bug."""
    return _respond(explain(error), None)


def _respond(
    details: ProblemDetails, headers: Mapping[str, str] | None
) -> JSONResponse:
    return JSONResponse(
        details.model_dump(exclude_none=True),
        details.status,
        headers=dict(headers or {}),
        media_type=MEDIA_TYPE,
    )


def _describe_refusal(error: StarletteHTTPException) -> str:
    """Return a sentence where the framework has no more than the status's name."""
    if error.detail != HTTPStatus(error.status_code).phrase:
        return error.detail
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (error.headers or {}).get("Allow", "another method")
        return f"this address accepts only {allowed}."
    return NO_SUCH_PAGE if error.status_code == HTTPStatus.NOT_FOUND else error.detail


def _describe_all(error: RequestValidationError) -> str:
    complaints = dict.fromkeys(map(_describe, error.errors()))
    return "; ".join(list(complaints)[:MOST_COMPLAINTS]) + "."


def _describe(complaint: Mapping[str, Any]) -> str:
    """Say which field is wrong, and how; never what was in it."""
    parts = [str(part) for part in complaint["loc"][1:]]
    # Which kind of value was tried is among the parts, too, as `list[str]`.
    field = ".".join(part for part in parts if re.fullmatch(r"[\w-]+", part))
    if complaint["type"] == "missing" and field:
        return f"`{field}` is required"
    if complaint["type"] == "json_invalid":
        return f"the body is not valid JSON, from character {field} on"
    if complaint["type"] == "extra_forbidden":
        return f"unknown field `{field}`: GET /openapi.json lists the fields"
    message = str(complaint["msg"]).rstrip(".")
    return f"`{field}`: {message[:1].lower()}{message[1:]}" if field else message
