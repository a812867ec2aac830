"""Generate candidates with a model: prompts, decoding settings and engines.

A `Prompter` turns a request, a text and a style, into tokens. An encoder–decoder reads
``style: text`` and writes the rewrite. A causal model continues ``style: text`` and a
line break, which no text contains, as all white space in a text is normalised to
spaces. Without ``tagged`` there is no style prefix: such a model writes only one style,
like the paper's inverse paraphrasers.

`Decoding` has the settings of the search. An `Engine` runs it: `ctranslate2_engine`,
without torch, and `torch_engine` for training. Both take any number of requests in any
order, work in batches of similar length and bounded size, and give the same texts for
the same seed on one machine, whatever other requests are in the same call.
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
        """Return the model's input."""
        text = " ".join(request.text.split())
        style = f"{request.style}: " if self.tagged else ""
        tokens = self.tokenizer.encode(style + text)
        return [*tokens, *(_BREAKS[self.shape] or (self.end,))]

    def target(self, text: str) -> list[str]:
        """Return the model's target output."""
        return [*self.tokenizer.encode(" ".join(text.split())), self.end]

    def text(self, tokens: Sequence[str]) -> str:
        """Return the text of a model's output, up to its end token."""
        until = tokens.index(self.end) if self.end in tokens else len(tokens)
        return " ".join(self.tokenizer.decode(tokens[:until]).split())


MOST_CANDIDATES = 256


@dataclass(frozen=True)
class Decoding:
    """Settings of decoding.

    ``nucleus`` samples from the most probable tokens whose probabilities sum to
    ``top_p``. Beam search ends when ``patience`` times its width of outputs are
    finished: with 1, short bad outputs of a confident model finish before its good one.
    An output has at most ``longest`` tokens, and at most ``ratio`` times the tokens of
    its source plus ``slack``.
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
        """Refuse invalid settings."""
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
        """Return the maximum output length for a source length."""
        return max(1, min(self.longest, int(self.ratio * source) + self.slack))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model's output, its log-probability and number of tokens.

    It is not ``finished`` if it was truncated at the maximum length.
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
    """A model that generates candidates."""

    def candidates(
        self, requests: Sequence[Request], decoding: Decoding, *, seed: int = 1
    ) -> list[list[Candidate]]:
        """Return candidates of each request, the most probable first; at least one."""
        ...

    def score(self, requests: Sequence[Request], texts: Sequence[str]) -> list[float]:
        """Return the log-probability of each text as the answer to its request."""
        ...


def rank_candidates(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return distinct candidates by decreasing log-probability per token."""
    by_text: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.mean, c.text)):
        by_text.setdefault(candidate.text, candidate)
    return list(by_text.values())
