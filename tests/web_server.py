"""The application on a free port of loopback, for clients that speak real HTTP."""

import socket
import threading

import uvicorn

from paraphrast.web.app import create_app


class Server:
    """A server that a thread runs; ``address`` is its URL."""

    def __init__(self, settings):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.app = create_app(settings)
        config = uvicorn.Config(
            self.app, log_level="warning", timeout_graceful_shutdown=1
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()
