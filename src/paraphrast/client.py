"""A client for a server's rewriters, with the interface of the local API.

One line switches code from local to remote rewriting::

    import paraphrast
    paraphrast = paraphrast.Client("http://127.0.0.1:8765")

and the rest is unchanged: ``paraphrast.rewrite(…)``, ``paraphrast.load(…)``,
``paraphrast.styles()``. Only the standard library is used, without proxies or
redirects.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import sleep
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import urlsplit

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change, Kept, Rewrite
from paraphrast.rewriting.interface import (
    AS_IT_IS,
    Reading,
    TextRewriter,
    refuse_wrong,
)

if TYPE_CHECKING:
    from paraphrast.rewriting.offers import Style

TIMEOUT = 300.0  # seconds
RETRIES = 4
LONGEST_WAIT = 60.0  # seconds between two tries


@dataclass(frozen=True)
class Client:
    """A client of the server at ``url``, with the functions of the local API.

    ``key`` is an API key, which a server with accounts requires. ``timeout`` is the
    limit of one request in seconds. A request that the server answers with status 429
    is retried after the stated delay, four times at most.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        """Refuse an invalid address."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParaphrastError(
                f"{self.url!r} is not an address. Give one such as "
                "http://127.0.0.1:8765."
            )

    @overload
    def rewrite(  # type: ignore[overload-overlap]
        self,
        texts: str,
        *,
        to: str,
        using: str | None = ...,
        n: None = None,
        strength: float | None = ...,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> Rewrite: ...

    @overload
    def rewrite(  # type: ignore[overload-overlap]
        self,
        texts: str,
        *,
        to: str,
        using: str | None = ...,
        n: int,
        strength: float | None = ...,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> list[Rewrite]: ...

    @overload
    def rewrite(
        self,
        texts: Iterable[str],
        *,
        to: str,
        using: str | None = ...,
        n: None = None,
        strength: float | None = ...,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> list[Rewrite]: ...

    @overload
    def rewrite(
        self,
        texts: Iterable[str],
        *,
        to: str,
        using: str | None = ...,
        n: int,
        strength: float | None = ...,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> list[list[Rewrite]]: ...

    def rewrite(
        self,
        texts: str | Iterable[str],
        *,
        to: str,
        using: str | None = None,
        n: int | None = None,
        strength: float | None = None,
        seed: int = 1,
        protect: str | Iterable[str] = (),
        markdown: bool = False,
        headings: bool = False,
    ) -> Rewrite | list[Rewrite] | list[list[Rewrite]]:
        """Rewrite a text, or several texts, on the server.

        Arguments and results are those of `paraphrast.rewrite`.
        """
        return self.load(to, using=using, strength=strength).rewrite(
            texts,
            n=n,
            seed=seed,
            protect=protect,
            markdown=markdown,
            headings=headings,
        )

    def load(
        self, to: str, *, using: str | None = None, strength: float | None = None
    ) -> "ServedRewriter":
        """Return a rewriter into the style ``to`` that runs on the server."""
        return ServedRewriter(self, to, using, strength)

    def styles(self) -> "list[Style]":
        """List the styles of the server, with a summary and the rewriters of each."""
        from paraphrast.rewriting.offers import Style

        return [
            Style(record["name"], record["summary"], tuple(record["rewriters"]))
            for record in self.ask("GET", "/v1/styles")["styles"]
        ]

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send one request and return the server's answer, decoded from JSON."""
        status, retry_after, answer = self._send(method, path, body)
        for _ in range(RETRIES):
            if status != 429:
                break
            sleep(min(LONGEST_WAIT, retry_after))
            status, retry_after, answer = self._send(method, path, body)
        if status != 200:
            raise _explain(self.url, status, answer)
        return answer

    def _send(self, method: str, path: str, body: object) -> tuple[int, float, Any]:
        """Return the status, the delay before a retry, and the answer."""
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        sent = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, parts.path.rstrip("/") + path, sent, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, HTTPException) as error:
            raise ParaphrastError(
                f"cannot reach {self.url}: {error or type(error).__name__}. Start it "
                "with `paraphrast serve`, or check the address."
            ) from error
        finally:
            connection.close()
        wait = response.headers.get("Retry-After", "1")
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        return response.status, float(wait) if wait.isdecimal() else 1.0, answer


def _explain(url: str, status: int, answer: Any) -> ParaphrastError:
    """Return the error for an answer other than success."""
    table = answer if isinstance(answer, dict) else {}
    error = ParaphrastError(
        str(table.get("detail") or f"{url} answered with status {status}.")
    )
    error.did_you_mean = str(table.get("did_you_mean") or "")
    return error


@dataclass(frozen=True)
class ServedRewriter(TextRewriter):
    """Rewrites texts of any structure in one style, on a server; see `Client.load`."""

    client: Client
    style: str
    using: str | None = None
    strength: float | None = None

    def adjusted(self, *, strength: float) -> "ServedRewriter":
        """Return this rewriter with another strength, from light (0) to free (1)."""
        return ServedRewriter(self.client, self.style, self.using, strength)

    def alternatives(
        self,
        texts: Sequence[str],
        number: int,
        *,
        seed: int = 1,
        reading: Reading = AS_IT_IS,
    ) -> list[list[Rewrite]]:
        """Return 1 to ``number`` distinct rewrites of each text, best first."""
        refuse_wrong(number, seed)
        if reading.kept:
            raise ParaphrastError(
                "a server keeps terms, not stretches of a text. Name them as terms."
            )
        options = {
            "style": self.style,
            "rewriter": self.using,
            "strength": self.strength,
            "alternatives": number - 1,
            "seed": seed,
            "protect": list(reading.protect),
            "format": "markdown" if reading.markdown else "text",
            "headings": reading.headings,
        }
        return [
            _read_rewrites(record)
            for batch in self._cut(texts)
            for record in self.client.ask(
                "POST", "/v1/rewrite", {"text": batch, **options}
            )["rewrites"]
        ]

    def _cut(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield batches of as many texts as the server accepts."""
        if len(texts) <= 1:
            yield texts
            return
        most = self.client.ask("GET", "/v1/limits")["texts_per_request"]
        for start in range(0, len(texts), most):
            yield texts[start : start + most]


def _read_rewrites(record: dict[str, Any]) -> list[Rewrite]:
    """Return the best rewrite of a record and the others, as they are locally."""
    return [
        Rewrite(
            text=option["text"],
            score=option["score"],
            changes=tuple(Change(**change) for change in option["changes"]),
            why=option["why"],
            steps=tuple(option["steps"]),
            guards=tuple(option["guards"]),
            kept=tuple(Kept(**kept) for kept in option["kept"]),
        )
        for option in (record, *record["alternatives"])
    ]
