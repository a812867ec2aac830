"""Run batches side by side, one thread per core, with BLAS on one thread in each.

BLAS's own threads wait for each other at each of the decoder's small products: they
double the CPU time without any gain. Only threadpoolctl (extra ``research``) can hold
BLAS to one thread; without it batches run one after another, with the same results.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from paraphrast.config import count_threads

MOST_THREADS = 8

_Batch = TypeVar("_Batch")
_Result = TypeVar("_Result")


def map_batches(
    function: Callable[[_Batch], _Result], batches: Sequence[_Batch]
) -> list[_Result]:
    """Return the function's result for every batch, in order."""
    try:
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError:
        return [function(batch) for batch in batches]
    threads = max(1, min(MOST_THREADS, count_threads(), len(batches)))
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, batches))
