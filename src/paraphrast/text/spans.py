"""A stretch of a text, by character offsets."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters ``text[start:end]``, and what they are."""

    start: int
    end: int
    kind: str = ""

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether any character lies both here and in ``start:end``."""
        return self.start < end and start < self.end


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans and cut off whatever an earlier (then longer) one covers."""
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
