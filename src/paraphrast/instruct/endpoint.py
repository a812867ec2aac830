"""Request chat completions from an OpenAI-compatible endpoint, with retries.

A problem with one text is a `NoRewriteError`: the text is left unchanged, with the
reason. A problem with all of them (no answer, a wrong key, an unknown model, a
permanent limit) is the user's error: the job stops and can be resumed.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from paraphrast.errors import ParaphrastError
from paraphrast.extras import require
from paraphrast.preferences import LlmSettings

TRIES = 4
LONGEST_WAIT = 30.0  # seconds that an endpoint may ask us to wait
MOST_BYTES = 1 << 20  # of an answer
SHOWN = 120  # characters of an endpoint's own words

sleep = time.sleep


class NoRewriteError(Exception):
    """No rewrite of this text; the message completes "unchanged: …"."""


class Endpoint:
    """A server, the model to request, and the API key."""

    def __init__(self, settings: LlmSettings) -> None:
        """Check the settings; nothing is sent yet."""
        if not settings.url or not settings.model:
            raise ParaphrastError(
                "llm needs an endpoint and a model: add --url URL and --model NAME, or "
                "set them under [llm] in ~/.config/paraphrast/config.toml."
            )
        parts = urlsplit(settings.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParaphrastError(
                f"--url must be an http or https address, not {settings.url!r}."
            )
        if "@" in parts.netloc:
            raise ParaphrastError(
                "--url must not contain a password. Put the key into the environment "
                f"variable {settings.key_variable}."
            )
        self.settings, self.host = settings, parts.hostname
        self.is_encrypted = parts.scheme == "https"
        base = settings.url.rstrip("/")
        path = "/chat/completions"
        self.address = base if base.endswith(path) else base + path
        self._key = os.environ.get(settings.key_variable, "").strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise ParaphrastError(
                f"{settings.key_variable} contains characters that cannot be in a key. "
                "Set it again."
            )

    @property
    def is_local(self) -> bool:
        """Say whether the endpoint is on this machine."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def complete(
        self, messages: Sequence[Mapping[str, str]], **options: object
    ) -> tuple[str, bool]:
        """Return the model's answer, and whether it is complete."""
        request = {"model": self.settings.model, "messages": messages, **options}
        body = self._post(request)
        try:
            choice = body["choices"][0]
            content = choice["message"]["content"]
        except (KeyError, IndexError, TypeError) as error:
            raise NoRewriteError(
                "the endpoint did not answer with a chat completion"
            ) from error
        if not isinstance(content, str):
            raise NoRewriteError("the endpoint answered without a text")
        return content, choice.get("finish_reason") != "length"

    @cached_property
    def _httpx(self) -> Any:
        return require("httpx")

    @cached_property
    def _client(self) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # Nothing for this machine goes through a proxy, and nothing is redirected.
        return self._httpx.Client(
            headers=headers,
            timeout=self.settings.timeout,
            trust_env=not self.is_local,
            follow_redirects=False,
        )

    def _post(self, request: Mapping[str, object]) -> Any:
        """Send a request, with retries where they may help."""
        problem = ""
        for wait in (*_waits(), None):
            try:
                status, headers, body = self._send(request)
            except self._httpx.TimeoutException as error:
                seconds = f"{self.settings.timeout:g} s"
                raise NoRewriteError(
                    f"the endpoint took more than {seconds}"
                ) from error
            except (self._httpx.HTTPError, self._httpx.InvalidURL) as error:
                status, headers, body = 0, {}, b""
                problem = str(error) or type(error).__name__
            if status == 200:
                return _parse(body)
            if status:
                problem = self._explain(status, body)
            if wait is None or not (status in (0, 408, 429) or status >= 500):
                break
            sleep(_read_wait(headers) or wait)
        if status in (400, 413, 422):
            raise NoRewriteError(f"the endpoint refused the request ({problem})")
        raise ParaphrastError(
            f"{self._redact(self.address)} cannot be used: {problem}. Check --url, "
            f"--model and {self.settings.key_variable}; a job with -o continues with "
            "--resume."
        )

    def _send(self, request: Mapping[str, object]) -> tuple[int, Any, bytes]:
        """Return a whole answer, within the limits of time and size."""
        deadline = time.monotonic() + self.settings.timeout
        body = b""
        with self._client.stream("POST", self.address, json=request) as answer:
            for chunk in answer.iter_bytes():
                body += chunk
                if time.monotonic() > deadline:
                    raise self._httpx.ReadTimeout("too slow")
                if len(body) > MOST_BYTES:
                    raise NoRewriteError("the endpoint's answer was too long")
        return answer.status_code, answer.headers, body

    def _explain(self, status: int, body: bytes) -> str:
        """Return an endpoint's own error message in one line, without the key."""
        text = body.decode("utf-8", errors="replace")
        try:
            error = json.loads(text)["error"]
            text = error["message"] if isinstance(error, dict) else error
        except (ValueError, KeyError, TypeError):
            pass
        text = self._redact(" ".join(str(text).split()))
        shown = f"{text[: SHOWN - 1]}…" if len(text) > SHOWN else text
        return f"status {status}{f': {shown}' if shown else ''}"

    def _redact(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text


def _waits() -> Iterator[float]:
    return (2.0**number for number in range(TRIES - 1))


def _read_wait(headers: Mapping[str, str]) -> float:
    """Return the delay that an endpoint requests, if any."""
    try:
        return min(LONGEST_WAIT, max(0.0, float(headers.get("retry-after", 0))))
    except ValueError:  # a date
        return LONGEST_WAIT


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise NoRewriteError("the endpoint's answer was not JSON") from error
