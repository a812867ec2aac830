"""Worker processes that leave Ctrl-C to their parent and end with it."""

import multiprocessing
import os
import signal
import threading


def start_worker() -> None:
    """Make this process leave Ctrl-C to its parent, and end with it.

    Ctrl-C reaches every process of a terminal, but only the parent handles it. A killed
    parent gives no notice, so a thread watches it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
