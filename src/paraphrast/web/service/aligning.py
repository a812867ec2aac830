"""A server's aligner: loaded once, and used by one thread at a time.

BLAS gets one thread, too: its own threads wait for each other at each of the network's
small products, and spin meanwhile on the cores that other requests need.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import threadpool_limits

from paraphrast.align import choosing
from paraphrast.align.base import Adjustable, Aligner, Preference

_aligning = Lock()


@contextmanager
def open_aligner(prefer: Preference = "precision") -> Iterator[Aligner]:
    """Yield the best installed aligner; others wait until it is released.

    One with several operating points is at the preferred one.
    """
    with _aligning:
        yield _load(prefer)


@cache
def _load(prefer: Preference) -> Aligner:
    aligner = choosing.load()
    threadpool_limits(1, user_api="blas")  # of the whole process, once it is loaded
    return aligner.preferring(prefer) if isinstance(aligner, Adjustable) else aligner


def warm_up() -> None:
    """Load the model, so that the first request does not wait for it."""
    with open_aligner() as align:
        align([(("a",), ("a",))])
