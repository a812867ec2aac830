"""Run the application with uvicorn, in one process."""

import socket
from collections.abc import Callable

import uvicorn

from paraphrast.errors import ParaphrastError
from paraphrast.web.app import create_app
from paraphrast.web.settings import Settings

SECONDS_TO_FINISH = 10  # what is running when the server is told to stop


def run(settings: Settings, *, started: Callable[[str], None]) -> None:
    """Serve until told to stop; ``started`` gets the address once it can be opened.

    Port 0 takes any that is free.
    """
    bound = _bind(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings),
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_FINISH,
        )
    )
    with bound:
        started(f"http://{host}:{bound.getsockname()[1]}")
        server.run([bound])


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
