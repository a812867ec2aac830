"""How the work grows with the input: a ratio, so that no machine is too slow for it."""

import gc
import time
from collections.abc import Callable

TIMES = 8
# Linear work takes 8 times as long for 8 times the input, quadratic work 64 times;
# caches and memory make the larger input dearer by up to 3 times that.
LINEAR = 5 * TIMES
ROUNDS = 20


def growth(work: Callable[[int], object], size: int) -> float:
    """Return the CPU time of ``work(8 * size)`` over that of ``work(size)``.

    Each is the least of several rounds, as a busy machine makes work dearer and never
    cheaper. There are 3 rounds, and more as long as the ratio is not that of linear
    work: a single quiet moment for the larger input is enough.
    """
    small = large = float("inf")
    for done in range(1, ROUNDS + 1):
        small = min(small, _seconds(work, size))
        large = min(large, _seconds(work, TIMES * size))
        if done >= 3 and large / small < LINEAR:
            break
    return large / small


def _seconds(work: Callable[[int], object], size: int) -> float:
    gc.disable()  # its share grows faster than the input
    start = time.process_time()
    work(size)
    seconds = time.process_time() - start
    gc.enable()
    return max(seconds, 1e-4)
