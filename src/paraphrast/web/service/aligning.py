"""The aligner of a server: read once for all, and used by one thread at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from paraphrast.align import choosing
from paraphrast.align.base import Aligner

_aligning = Lock()
_load = cache(choosing.load)


@contextmanager
def open_aligner() -> Iterator[Aligner]:
    """Yield the best aligner that is installed; others wait until it is done with."""
    with _aligning:
        yield _load()


def warm_up() -> None:
    """Read the model, so that the first who needs it does not wait for that."""
    with open_aligner() as align:
        align([(("a",), ("a",))])
