"""What a check reports: which check, what kind of doubt, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A sign that two texts do not mean the same.

    ``kind`` is a key of `VALUES`, which says how much of the similarity is left.
    """

    check: str
    kind: str
    reason: str
