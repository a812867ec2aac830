"""Ask a model for candidates: what to ask, and what comes back.

A `Prompter` turns a request, a text and a style, into tokens. An encoder–decoder reads
``style: text`` and writes the rewrite. A causal model goes on from ``style: text`` and
a line break, which no text contains, as all white space in a text is one space to a
model. Without ``tagged`` there is no style in front: such a model writes one style
only, as the paper's inverse paraphrasers do.

`Decoding` says how to search. An `Engine` answers: `ctranslate2_engine`, without torch,
and `torch_engine` for training's own needs. Both take requests in any order and number,
work in batches of like length and bounded size, and give the same texts for the same
seed on one machine, whatever else is asked in the same call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from paraphrast.text.subwords import Tokenizer

Shape: TypeAlias = Literal["encoder-decoder", "causal"]
# The style that a paraphraser writes: the plain middle between two styles.
NEUTRAL = "neutral"
_BREAKS = {"encoder-decoder": (), "causal": ("Ċ",)}


@dataclass(frozen=True, slots=True)
class Request:
    """A text to be written in a style."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Prompter:
    """Turns requests into tokens and tokens into texts."""

    tokenizer: Tokenizer
    shape: Shape
    end: str
    tagged: bool = False

    def source(self, request: Request) -> list[str]:
        """Return what a model is given to read."""
        text = " ".join(request.text.split())
        style = f"{request.style}: " if self.tagged else ""
        tokens = self.tokenizer.encode(style + text)
        return [*tokens, *(_BREAKS[self.shape] or (self.end,))]

    def target(self, text: str) -> list[str]:
        """Return what a model is to write."""
        return [*self.tokenizer.encode(" ".join(text.split())), self.end]

    def text(self, tokens: Sequence[str]) -> str:
        """Return the text that a model wrote, up to its end."""
        until = tokens.index(self.end) if self.end in tokens else len(tokens)
        return " ".join(self.tokenizer.decode(tokens[:until]).split())


MOST_CANDIDATES = 256


@dataclass(frozen=True)
class Decoding:
    """How to search for outputs.

    ``nucleus`` samples from the likeliest words whose probabilities add up to
    ``top_p``. A beam ends when ``patience`` times its width of outputs have ended: with
    1, short bad outputs of a sure model end before its good one. An output has at most
    ``longest`` tokens, and at most ``ratio`` times the tokens of its source and
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
            raise ValueError("greedy search gives one candidate. Use beam or nucleus.")
        if self.method == "beam" and self.candidates > self.beam:
            raise ValueError(f"a beam of {self.beam} has {self.beam} candidates.")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}.")
        if min(self.temperature, self.patience, self.longest, self.beam) <= 0:
            raise ValueError("temperature, patience, longest and beam must be above 0.")

    def most_tokens(self, source: int) -> int:
        """Return how long the output of a source of so many tokens may become."""
        return max(1, min(self.longest, int(self.ratio * source) + self.slack))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text a model wrote, its log-probability, and in how many tokens.

    One that is not ``finished`` was cut off at the longest that was allowed.
    """

    text: str
    log_probability: float
    tokens: int
    finished: bool = True

    @property
    def mean(self) -> float:
        """Return the log-probability per token."""
        return self.log_probability / max(1, self.tokens)


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


def rank_candidates(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return distinct candidates by falling log-probability per token."""
    by_text: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.mean, c.text)):
        by_text.setdefault(candidate.text, candidate)
    return list(by_text.values())
