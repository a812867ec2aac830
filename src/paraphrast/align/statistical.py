"""Statistical aligners: IBM 1, 2, 4, HMM, fast_align, eflomal.

They are trained on any sentence pairs, whose links are ignored, in both directions,
which are then merged. For two texts in one language COHN08 §2 adds a lexicon that pairs
every word with itself, and takes the intersection; both are the defaults here. For two
languages use ``Settings(lexicon="none", symmetrisation="grow-diag-final-and")``.

Such models only know the words they were trained on. With the lexicon, an unseen word
that occurs on both sides is still linked to itself: some placeholder words are trained
with the lexicon and replace unseen words.

These models give links without probabilities: every link is sure and has probability 1.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from paraphrast import config
from paraphrast.align.base import (
    SAVED,
    AlignedPair,
    Link,
    WordPair,
    read_settings,
    refuse_long,
    seal,
)
from paraphrast.align.links import links_of
from paraphrast.align.symmetrisation import METHODS, symmetrise
from paraphrast.errors import ParaphrastError
from paraphrast.extras import require
from paraphrast.storage import sealed_folder

BLANK = "\N{OPEN BOX}"  # in place of a blank, which separates words in thot's files
STAND_INS = tuple(f"{BLANK}{number}" for number in range(32))


@dataclass(frozen=True)
class Settings:
    """Settings of training and of symmetrisation."""

    symmetrisation: str = "intersection"
    lexicon: Literal["identity", "none"] = "identity"
    case: Literal["lower", "mixed"] = "lower"
    iterations: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        if self.symmetrisation not in METHODS:
            methods = ", ".join(METHODS)
            raise ValueError(
                f"symmetrisation must be one of {methods}, not {self.symmetrisation!r}."
            )
        if self.iterations < 1:
            raise ValueError(f"iterations must be 1 or more, not {self.iterations}.")


@dataclass(frozen=True)
class StatisticalAligner:
    """A pair of directional models with their settings."""

    name: str
    settings: Settings
    forward: Any
    backward: Any

    @property
    def longest(self) -> int:
        """Return how many words per side there may be."""
        return int(self.forward.max_sentence_length)

    def __call__(self, pairs: Sequence[WordPair]) -> list[tuple[Link, ...]]:
        """Return the links of each pair."""
        refuse_long(pairs, longest=self.longest, aligner=self.name)
        prepared = [self._with_stand_ins(pair) for pair in pairs]
        sources = [source for source, _ in prepared]
        targets = [target for _, target in prepared]
        there = _thot().align(self.forward, sources, targets)
        back = _thot().align(self.backward, targets, sources)
        return [
            links_of(
                symmetrise(
                    forward, ((i, j) for j, i in backward), self.settings.symmetrisation
                )
            )
            for forward, backward in zip(there, back, strict=True)
        ]

    def save(self, folder: Path) -> None:
        """Write both models and a manifest to a new folder."""
        with sealed_folder.new(folder, SAVED) as filling:
            _thot().save(self.forward, filling / "forward")
            _thot().save(self.backward, filling / "backward")
            seal(filling, self.name, asdict(self.settings))

    def _with_stand_ins(self, pair: WordPair) -> WordPair:
        """Replace unseen words that are on both sides by placeholders."""
        source, target = _set_case(pair, self.settings)
        if self.settings.lexicon == "none":
            return source, target
        shared = [word for word in dict.fromkeys(source) if word in target]
        new = [word for word in shared if not self.forward.src_word_exists(word)]
        # Beyond the stand-ins there are, words stay as they are: unknown.
        stand_ins = dict(zip(new, STAND_INS, strict=False))
        if not stand_ins:
            return source, target
        return (
            tuple(stand_ins.get(word, word) for word in source),
            tuple(stand_ins.get(word, word) for word in target),
        )


@dataclass(frozen=True)
class Statistical:
    """A family of aligners; change its settings with `dataclasses.replace`."""

    name: str
    summary: str
    settings: Settings = field(default_factory=Settings)

    def train(self, pairs: Sequence[AlignedPair]) -> StatisticalAligner:
        """Train both directions; pairs with an empty side are ignored."""
        bitext = [
            _set_case((pair.source, pair.target), self.settings)
            for pair in pairs
            if pair.source and pair.target
        ]
        if not bitext:
            raise ParaphrastError(
                f"{self.name}: there are no sentence pairs to train on."
            )
        if self.settings.lexicon == "identity":
            words = sorted({word for pair in bitext for side in pair for word in side})
            bitext += [((word,), (word,)) for word in (*words, *STAND_INS)]
        forward, backward = (
            _thot().train(
                self.name,
                direction,
                iterations=self.settings.iterations,
                seed=self.settings.seed,
            )
            for direction in (bitext, [(target, source) for source, target in bitext])
        )
        return StatisticalAligner(self.name, self.settings, forward, backward)

    def load(self, folder: Path | None) -> StatisticalAligner:
        """Read a saved aligner; there is none built in."""
        if folder is None:
            raise ParaphrastError(
                f"{self.name} must be trained first: `paraphrast align train "
                f"{self.name} PAIRS -o FOLDER`, then give --model FOLDER."
            )
        table = read_settings(folder, self.name)
        settings = config.build(table, Settings, where=str(folder / SAVED.manifest))
        forward, backward = (
            _thot().load(self.name, folder / direction)
            for direction in ("forward", "backward")
        )
        return StatisticalAligner(self.name, settings, forward, backward)


def _set_case(pair: WordPair, settings: Settings) -> WordPair:
    if settings.case == "mixed":
        return pair
    source, target = pair
    return tuple(map(str.lower, source)), tuple(map(str.lower, target))


def _thot() -> Any:
    return require("paraphrast.align.thot_models")


ibm1 = Statistical("ibm1", "IBM Model 1: words without positions")
ibm2 = Statistical("ibm2", "IBM Model 2: words and their positions")
ibm4 = Statistical("ibm4", "IBM Model 4: words, positions and fertility")
hmm = Statistical("hmm", "hidden Markov model: words and jumps between positions")
fast_align = Statistical("fast-align", "fast_align: Model 2 that prefers the diagonal")
eflomal = Statistical(
    "eflomal", "eflomal: Bayesian, with sampling; the best statistical aligner"
)
