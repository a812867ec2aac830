"""The commands ``studio`` and ``serve``: the local studio, and the service."""

import os
import secrets
from collections.abc import Mapping
from typing import Any

from paraphrast.cli import options
from paraphrast.cli.help import describe
from paraphrast.errors import ParaphrastError
from paraphrast.web.settings import PORT, REQUESTS_PER_MINUTE, Limits, Settings

SECRET = "PARAPHRAST_SECRET"


@describe
def studio(
    port: options.Port = PORT,
    no_browser: bool = False,
    data: options.Data = None,
    packs: options.Packs = None,
) -> None:
    """Rewrite, align, judge and compare in the browser, on this machine only.

    Example: paraphrast studio --no-browser

    Options:
        no_browser: Only print the link.
    """
    import webbrowser

    from paraphrast.web.server import run

    token = secrets.token_urlsafe(24)
    settings = _make_settings(port=port, data=data, packs=packs, start_token=token)

    def started(address: str, _first: str) -> None:
        link = f"{address}/start?token={token}"
        print(f"Paraphrast is at {link}\nStop it with Ctrl-C.", flush=True)
        if not no_browser:
            webbrowser.open(link)

    run(settings, started=started)


@describe
def serve(
    database: str = "",
    accounts: bool = False,
    host: str = "127.0.0.1",
    port: options.Port = PORT,
    compat: bool = False,
    requests_per_minute: int = REQUESTS_PER_MINUTE,
    data: options.Data = None,
    packs: options.Packs = None,
) -> None:
    """Serve the HTTP API and the studio's pages to others; see docs/service.md.

    With --accounts, the environment variable PARAPHRAST_SECRET holds the key for
    signing sessions.

    Example: paraphrast serve --accounts --database postgresql://localhost/paraphrast

    Options:
        database URL: SQLite or PostgreSQL database. [default: a file in the data
            folder]
        accounts: Require an account or an API key.
        host ADDRESS: Address of the server; any address but loopback requires
            --accounts.
        compat: Also offer APIs compatible with OpenAI and LanguageTool.
        requests_per_minute: Rate limit in requests per minute, for each API key or
            account (without accounts, for each address); 0 means no limit.
    """
    from paraphrast.web.server import run

    settings = _make_settings(
        limits={"requests_per_minute": requests_per_minute},
        database=database,
        accounts=accounts,
        secret=os.environ.get(SECRET, ""),
        host=host,
        port=port,
        compat=compat,
        data=data,
        packs=packs,
    )

    def started(address: str, first: str) -> None:
        print(f"Paraphrast is at {address}", flush=True)
        if first:
            print(
                f"Create the first account, an administrator's, at {first}", flush=True
            )

    run(settings, started=started)


def _make_settings(
    *, limits: Mapping[str, int] | None = None, **given: Any
) -> Settings:
    try:
        return Settings(limits=Limits(**limits or {}), **options.drop_missing(**given))
    except ValueError as error:
        raise ParaphrastError(str(error)) from error
