"""Error pages for browsers; programs get `paraphrast.web.problems`.

A fragment requested by htmx gets a notice instead of a page.
"""

import json
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from paraphrast.web.pages.templates import templates


def install(app: FastAPI) -> None:
    """Show an application's problems as pages to whoever asks for a page."""
    for kind, handler in list(app.exception_handlers.items()):
        app.add_exception_handler(kind, _show(handler))


def _show(handler: Callable[[Request, Exception], Any]) -> Callable[..., Any]:
    async def show(request: Request, error: Exception) -> Response:
        response: Response = await handler(request, error)
        if "text/html" not in request.headers.get("accept", ""):
            return response
        problem = json.loads(bytes(response.body))
        name = "notice.html" if "hx-request" in request.headers else "error.html"
        return templates.TemplateResponse(
            request,
            name,
            {"title": problem["title"], "detail": problem["detail"]},
            status_code=response.status_code,
            headers={
                key: value
                for key, value in response.headers.items()
                if key not in ("content-length", "content-type")
            },
        )

    return show
