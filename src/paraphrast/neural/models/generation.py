"""Ask a model for candidates: what to ask, and what comes back.

`Decoding` says how to search. An `Engine` answers: `int8` with CTranslate2, without
torch, and `torch_engine` for training's own needs. Both take requests in any order and
number, work in batches of like length and bounded size, and give the same texts for the
same seed on one machine, whatever else is asked in the same call.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from paraphrast.neural.models.prompts import Request

MOST_CANDIDATES = 256


@dataclass(frozen=True)
class Decoding:
    """How to search for outputs.

    ``nucleus`` samples from the likeliest words whose probabilities add up to
    ``top_p``. A beam ends when ``patience`` times its width of outputs have ended: with
    1, short bad outputs of a sure model end before its good one. An output has at most
    ``longest`` pieces, and at most ``ratio`` times the pieces of its source and
    ``slack`` more.
    """

    method: Literal["greedy", "beam", "nucleus"] = "greedy"
    candidates: int = 1
    beam: int = 5
    top_p: float = 0.9
    temperature: float = 1.0
    longest: int = 160
    ratio: float = 2.0
    slack: int = 12
    patience: float = 3.0

    def __post_init__(self) -> None:
        """Refuse what no search can do."""
        if not 1 <= self.candidates <= MOST_CANDIDATES:
            raise ValueError(
                f"candidates must be 1 to {MOST_CANDIDATES}, not {self.candidates}."
            )
        if self.method == "greedy" and self.candidates > 1:
            raise ValueError("greedy search has one candidate. Take beam or nucleus.")
        if self.method == "beam" and self.candidates > self.beam:
            raise ValueError(f"a beam of {self.beam} has {self.beam} candidates.")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}.")
        if min(self.temperature, self.patience, self.longest, self.beam) <= 0:
            raise ValueError("temperature, patience, longest and beam must be above 0.")

    def most_pieces(self, source: int) -> int:
        """Return how long the output of a source of so many pieces may become."""
        return max(1, min(self.longest, int(self.ratio * source) + self.slack))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text a model wrote, its log-probability, and in how many pieces.

    One that is not ``finished`` was cut off at the longest that was allowed.
    """

    text: str
    log_probability: float
    pieces: int
    finished: bool = True

    @property
    def mean(self) -> float:
        """Return the log-probability a piece."""
        return self.log_probability / max(1, self.pieces)


class Engine(Protocol):
    """A model that can be asked."""

    def candidates(
        self, requests: Sequence[Request], decoding: Decoding, *, seed: int = 1
    ) -> list[list[Candidate]]:
        """Return candidates of each request, the likeliest first; at least one."""
        ...

    def score(self, requests: Sequence[Request], texts: Sequence[str]) -> list[float]:
        """Return the log-probability of each text as the answer to its request."""
        ...


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the places of texts of like length, longest first.

    A batch has at most ``most`` pieces, padding included, and at least one text.
    """
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    batch: list[int] = []
    for place in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return distinct candidates, those likeliest a piece first."""
    by_text: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.mean, c.text)):
        by_text.setdefault(candidate.text, candidate)
    return list(by_text.values())
