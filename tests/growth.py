"""How the work grows with the input: a ratio, so that no machine is too slow for it."""

import gc
import time
from collections.abc import Callable

TIMES = 8
# Linear work takes 8 times as long for 8 times the input, quadratic work 64 times;
# caches and memory make the larger input dearer by up to 3 times that.
LINEAR = 5 * TIMES


def growth(work: Callable[[int], object], size: int) -> float:
    """Return the CPU time of ``work(8 * size)`` over that of ``work(size)``."""
    return _least(work, TIMES * size) / _least(work, size)


def _least(work: Callable[[int], object], size: int) -> float:
    seconds = []
    for _ in range(3):
        gc.collect()
        gc.disable()  # its share grows faster than the input
        start = time.process_time()
        work(size)
        seconds.append(time.process_time() - start)
        gc.enable()
    return max(min(seconds), 1e-4)
