"""Run the application with uvicorn, in one process."""

import logging
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from paraphrast.errors import ParaphrastError
from paraphrast.web.accounts import has_accounts, invite
from paraphrast.web.app import create_app
from paraphrast.web.database import Database
from paraphrast.web.settings import Settings

LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"
SECONDS_TO_FINISH = 10  # what is running when the server is told to stop


def run(settings: Settings, *, started: Callable[[str, str], None]) -> None:
    """Serve until stopped; ``started`` is called with the address once it is ready.

    Its second argument is the link for creating the first account, if there should be
    accounts but are none. Port 0 chooses any free one.
    """
    logging.basicConfig(level=logging.WARNING, format=LOG_FORMAT)
    if not settings.start_token:  # the studio's link must stay in sight
        logging.getLogger("paraphrast").setLevel(logging.INFO)
    bound = _bind(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    app = create_app(settings)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,  # ours has no addresses and no query strings
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_FINISH,
        )
    )
    with bound:
        address = f"http://{host}:{bound.getsockname()[1]}"
        started(address, _invite_first(app, address) if settings.accounts else "")
        server.run([bound])


def _invite_first(app: FastAPI, address: str) -> str:
    database: Database = app.state.database
    with database.write() as session:
        if has_accounts(session):
            return ""
        _, token = invite(session, None, "lead")
    return f"{address}/invitations/{token}"


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host.strip("[]"), port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise ParaphrastError(
            f"cannot listen on {host}:{port}: {error.strerror or error}. Choose "
            "another with --port, or 0 for any that is free."
        ) from error
    return bound
