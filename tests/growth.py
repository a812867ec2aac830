"""How the work grows with the input: a ratio, so that no machine is too slow for it."""

import time
from collections.abc import Callable

TIMES = 8
# Linear work takes 8 times as long for 8 times the input, quadratic work 64 times.
LINEAR = 3 * TIMES


def growth(work: Callable[[int], object], size: int) -> float:
    """Return the CPU time of ``work(8 * size)`` over that of ``work(size)``."""
    return _least(work, TIMES * size) / _least(work, size)


def _least(work: Callable[[int], object], size: int) -> float:
    seconds = []
    for _ in range(3):
        start = time.process_time()
        work(size)
        seconds.append(time.process_time() - start)
    return max(min(seconds), 1e-4)
