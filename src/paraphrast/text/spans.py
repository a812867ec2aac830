"""A span of a text, by character offsets."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters ``text[start:end]``, and their kind."""

    start: int
    end: int
    kind: str = ""

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether the span shares any character with ``start:end``."""
        return self.start < end and start < self.end


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans and trim what an earlier one (or longer at equal start) covers."""
    kept: list[Span] = []
    end = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if span.start >= end:
            kept.append(span)
        elif span.end > end:
            kept.append(Span(end, span.end, span.kind))
        else:
            continue
        end = span.end
    return kept
