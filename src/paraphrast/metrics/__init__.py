"""Every automatic score, its signature, intervals and paired tests.

The names below are imported when they are first used, so that the command line can
show its help without numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paraphrast.metrics.base import Metric as Metric
    from paraphrast.metrics.base import Segment as Segment
    from paraphrast.metrics.choosing import choose as choose
    from paraphrast.metrics.correlation import correlate as correlate
    from paraphrast.metrics.scoring import Score as Score
    from paraphrast.metrics.scoring import score as score

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
