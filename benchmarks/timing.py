"""Processor time of this process, little affected by other work on the machine."""

import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds that one call takes."""
    began = time.process_time()
    work()
    return time.process_time() - began
