"""The rows that need no system: COPY, REFERENCE and NAIVE.

They say what a figure is worth: what doing nothing earns, what a person earns, and
what STRAP's naive system (§3.2) earns by copying or retrieving at random.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from paraphrast.metrics.base import Segment

COPY, REFERENCE, NAIVE = "COPY", "REFERENCE", "NAIVE"
CONTROLS = (COPY, REFERENCE, NAIVE)


@dataclass(frozen=True, slots=True)
class Controls:
    """The rows that could be made, how they were, and why others were not."""

    rows: Mapping[str, Sequence[Segment]]
    notes: Mapping[str, str]
    missing: Mapping[str, str]


def controls(
    segments: Sequence[Segment],
    target_corpus: Mapping[str, Sequence[str]],
    *,
    seed: int,
) -> Controls:
    """Make the three rows from any system's segments; its outputs do not matter."""
    made: dict[str, Sequence[Segment]] = {
        COPY: [replace(s, output=s.source) for s in segments]
    }
    notes, missing = {COPY: "the sources, unchanged."}, {}
    if all(segment.references for segment in segments):
        made[REFERENCE], notes[REFERENCE] = _reference(segments)
    else:
        missing[REFERENCE] = "no references were given."
    return Controls(made, notes, missing)


def _reference(segments: Sequence[Segment]) -> tuple[Sequence[Segment], str]:
    several = all(len(segment.references) > 1 for segment in segments)
    if not several:
        row = [replace(s, output=s.references[0]) for s in segments]
        return row, "the reference against itself."
    row = [
        replace(s, output=s.references[0], references=s.references[1:])
        for s in segments
    ]
    return row, (
        "the first reference against the others; systems are scored against all."
    )
