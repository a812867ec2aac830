"""A sentence and its paraphrase."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its paraphrase in the other style."""

    source: str
    target: str
