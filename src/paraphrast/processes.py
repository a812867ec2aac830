"""Worker processes that leave Ctrl-C to their parent and end with it."""

import multiprocessing
import os
import signal
import threading


def start_worker() -> None:
    """Make this process one that leaves Ctrl-C to its parent and ends with it.

    Ctrl-C reaches every process of a terminal, and the parent alone decides. A parent
    that is killed tells nobody, so a thread watches it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
