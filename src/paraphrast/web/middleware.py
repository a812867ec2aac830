"""Middleware: request ids, security headers, same origin, limited bodies.

It is plain ASGI, so that streamed responses remain streams.
"""

import asyncio
import logging
import secrets
import traceback
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paraphrast.web import problems
from paraphrast.web.settings import Limits, is_loopback

_log = logging.getLogger(__name__)

REQUEST_ID = "X-Request-ID"
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; "
    "form-action 'self'; base-uri 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class HeadAsGet:
    """Handles HEAD, which monitors send, as GET; the server omits the body."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = dict(scope) | {"method": "GET"}
        await self.app(scope, receive, send)


class AnswerHeaders:
    """Gives each request an id, and each response the id and the security headers.

    A handler may add headers in ``request.state.headers``. A bug is logged with the id,
    without the request's contents, and answered without details.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        more: dict[str, str] = {}
        scope.setdefault("state", {}).update(request_id=request_id, headers=more)
        started = False

        async def send_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = request_id
                for name, value in (SECURITY_HEADERS | more).items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, send_headers)
        except Exception as error:  # noqa: BLE001
            _log.error("request %s: %s", request_id, describe_bug(error))
            if not started:
                await problems.respond_to_bug(error)(scope, receive, send_headers)


def describe_bug(error: Exception) -> str:
    """Say where an exception was raised; its message may quote the request."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{f.filename}:{f.lineno} in {f.name}" for f in frames]
    return "\n  ".join([type(error).__name__, *lines])


class SameOrigin:
    """Refuses cross-site requests.

    Browsers give the origin of a request in ``Sec-Fetch-Site``, older ones in
    ``Origin``; other clients send neither and cannot be misused by a site. Without
    accounts the host must be this machine's, or a name that another site points at
    loopback (DNS rebinding) would count as the same origin.
    """

    def __init__(self, app: ASGIApp, *, loopback_only: bool) -> None:
        """Stand before ``app``."""
        self.app = app
        self.loopback_only = loopback_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and (refusal := self._refuse(scope)):
            await problems.answer(403, refusal)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _refuse(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.loopback_only and not is_loopback(_hostname(host)):
            return "this server answers only to the names 127.0.0.1 and localhost."
        if scope["method"] in SAFE_METHODS:
            return ""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            is_own = site in ("same-origin", "none")
        else:
            is_own = origin is None or urlsplit(origin).netloc == host
        return (
            ""
            if is_own
            else "this request came from another site. Use the pages of this server."
        )


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


class _TooLargeError(Exception):
    pass  # a body, for this server


class LimitedBody:
    """Refuses bodies that are too large or arrive too slowly.

    A body is read completely, within the limits, before the request is handled.
    """

    def __init__(self, app: ASGIApp, *, limits: Limits) -> None:
        """Stand before ``app``."""
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            await self.app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                body = await self._read(Headers(scope=scope), receive)
        except _TooLargeError:
            detail = (
                f"the body is larger than {self.limits.body_bytes:,} bytes. Send less "
                "at a time."
            )
            await problems.answer(413, detail, headers=_CLOSE)(scope, receive, send)
        except TimeoutError:
            detail = f"the body took more than {self.limits.body_seconds} s to arrive."
            await problems.answer(408, detail, headers=_CLOSE)(scope, receive, send)
        else:
            await self.app(scope, _replay(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > self.limits.body_bytes:
            raise _TooLargeError
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.body_bytes:
                raise _TooLargeError
            if not message.get("more_body"):
                return b"".join(parts)


_CLOSE = {"Connection": "close"}


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a channel that replays the body, and then continues."""
    waiting: list[Message] = [
        {"type": "http.request", "body": body, "more_body": False}
    ]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
