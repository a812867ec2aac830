"""Every automatic score, its signature, intervals and paired tests.

The names below are imported when they are first used, so that the command line can
show its help without numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paraphrast.metrics.base import Metric, Segment
    from paraphrast.metrics.choosing import choose
    from paraphrast.metrics.correlation import correlate
    from paraphrast.metrics.scoring import Score, score

__all__ = [
    "Metric",
    "Score",
    "Segment",
    "choose",
    "correlate",
    "score",
]

_HOMES = {
    "Metric": "base",
    "Score": "scoring",
    "Segment": "base",
    "choose": "choosing",
    "correlate": "correlation",
    "score": "scoring",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
