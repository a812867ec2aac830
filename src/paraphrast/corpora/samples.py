"""Samples of a new model on held-out sentences, for people to read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """A held-out sentence, our rewrite, and a human reference."""

    source: str
    rewrite: str
    target: str


def show_samples(samples: Sequence[Sample]) -> Iterator[str]:
    """Yield the lines of a report; none without samples."""
    if samples:
        yield "held-out sentences:"
    for sample in samples:
        yield f"  {sample.source}"
        yield f"    ours:   {sample.rewrite}"
        yield f"    theirs: {sample.target}"
