"""How many cores this process may use, and worker processes that end with their parent.

``OMP_NUM_THREADS`` is what schedulers and Ray set for a process that has neighbours.
"""

import multiprocessing
import os
import signal
import threading


def count_cores() -> int:
    """Return how many cores to use: ``OMP_NUM_THREADS``, or all that are allowed."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


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
