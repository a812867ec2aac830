"""The stages of STRAP's filter (appendix A.1), in the order of its Table 8.

Each stage is a frozen dataclass whose fields are its thresholds; the defaults are the
paper's, but for the similarity, where the paper's 0.5 belongs to another model. A pair
exactly at a threshold is kept ("more than 50%" is dropped, "at least 50%" is kept), as
in the paper; the authors' code drops it. The paper gives 50% and 70% for trigrams
(section 2.3 and appendix A.1); 70% is the default.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from paraphrast import config
from paraphrast.errors import unknown
from paraphrast.text import overlap
from paraphrast.text.language_identification import (
    identify_language,
    list_languages,
)

Similarity: TypeAlias = Callable[
    [Sequence[str], Sequence[str]], Sequence[float] | NDArray[np.float64]
]


class Candidate:
    """A pair being filtered, with what the stages computed for it."""

    __slots__ = ("_words", "similarity", "source", "target")

    def __init__(self, source: str, target: str, similarity: float) -> None:
        """Take a pair with its similarity."""
        self.source = source
        self.target = target
        self.similarity = similarity
        self._words: tuple[list[str], list[str]] | None = None

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Return the normalised words of both sides, computed once."""
        if self._words is None:
            self._words = overlap.words(self.source), overlap.words(self.target)
        return self._words


class Stage(Protocol):
    """One reason to drop a pair."""

    title: ClassVar[str]

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether the pair passes."""
        ...


@dataclass(frozen=True)
class Content:
    """Keep pairs that mean much the same."""

    title: ClassVar[str] = "content similarity"

    minimum: float = 0.4

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether the similarity is high enough."""
        return candidate.similarity >= self.minimum


@dataclass(frozen=True)
class Trigrams:
    """Keep pairs that share few sequences of three words."""

    title: ClassVar[str] = "trigram diversity"

    maximum: float = 0.7

    def __post_init__(self) -> None:
        """Check the threshold."""
        _check_share("maximum", self.maximum)

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether the trigrams differ enough."""
        return overlap.ngram_overlap(*candidate.words) <= self.maximum


@dataclass(frozen=True)
class Unigrams:
    """Keep pairs whose target has enough words that are not in the source."""

    title: ClassVar[str] = "unigram diversity"

    maximum: float = 0.5

    def __post_init__(self) -> None:
        """Check the threshold."""
        _check_share("maximum", self.maximum)

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether the words differ enough."""
        return overlap.unigram_overlap(*candidate.words).precision <= self.maximum


@dataclass(frozen=True)
class Order:
    """Keep pairs whose shared words are reordered: 0 same order, 1 reversed."""

    title: ClassVar[str] = "Kendall tau diversity"

    minimum: float = 0.5

    def __post_init__(self) -> None:
        """Check the threshold."""
        _check_share("minimum", self.minimum)

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether the order differs enough."""
        return overlap.share_shuffled(*candidate.words) >= self.minimum


@dataclass(frozen=True)
class Length:
    """Keep pairs of similar length, neither very short nor very long.

    Lengths are in words separated by spaces; ``shortest`` and ``longest`` limit the
    mean of the two sides.
    """

    title: ClassVar[str] = "length difference"

    difference: int = 5
    shortest: float = 7.0
    longest: float = 25.0

    def __post_init__(self) -> None:
        """Check the thresholds."""
        if self.difference < 0:
            raise ValueError(f"difference must not be negative, not {self.difference}.")
        if self.shortest > self.longest:
            raise ValueError(
                f"shortest ({self.shortest}) must not exceed longest ({self.longest})."
            )

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether both lengths fit."""
        source, target = len(candidate.source.split()), len(candidate.target.split())
        return (
            abs(source - target) <= self.difference
            and self.shortest <= (source + target) / 2 <= self.longest
        )


@dataclass(frozen=True)
class Language:
    """Keep pairs in one language, by py3langid (the paper used langdetect).

    The paper drops a pair only if both sides are in another language (``sides =
    "either"``); ``"both"`` requires the language on both sides.
    """

    title: ClassVar[str] = "language"

    code: str = "en"
    sides: Literal["either", "both"] = "either"

    def __post_init__(self) -> None:
        """Check that the language can be identified."""
        if self.code != "en":  # saves loading the model for the usual case
            languages = list_languages()
            if self.code not in languages:
                raise ValueError(str(unknown("language", self.code, languages)))

    def keeps(self, candidate: Candidate) -> bool:
        """Say whether enough sides are in the language."""
        enough = any if self.sides == "either" else all
        return enough(
            identify_language(text) == self.code
            for text in (candidate.target, candidate.source)
        )


@dataclass(frozen=True)
class Pipeline:
    """Every stage with its thresholds, and the stages to skip."""

    content: Content = field(default_factory=Content)
    trigrams: Trigrams = field(default_factory=Trigrams)
    unigrams: Unigrams = field(default_factory=Unigrams)
    order: Order = field(default_factory=Order)
    length: Length = field(default_factory=Length)
    language: Language = field(default_factory=Language)
    skip: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the names of skipped stages."""
        for name in self.skip:
            if name not in STAGES:
                raise ValueError(str(unknown("stage", name, STAGES)))

    @property
    def stages(self) -> dict[str, Stage]:
        """Return the stages to run by name, in order."""
        return {
            name: cast(Stage, getattr(self, name))
            for name in STAGES
            if name not in self.skip
        }


STAGES = tuple(field.name for field in fields(Pipeline) if field.name != "skip")


def change_thresholds(
    pipeline: Pipeline,
    changes: Mapping[str, Mapping[str, object]],
    *,
    skip: Sequence[str] = (),
) -> Pipeline:
    """Return a pipeline with other thresholds; changes to ``None`` are ignored."""
    table: dict[str, Any] = asdict(pipeline)
    for stage, settings in changes.items():
        table[stage] |= {k: v for k, v in settings.items() if v is not None}
    table["skip"] = [*pipeline.skip, *skip]
    return config.build(table, Pipeline, where="filter")


def judge(
    pairs: Sequence[tuple[str, str]],
    *,
    pipeline: Pipeline,
    similarity: Similarity,
) -> list[str]:
    """Return for each pair the name of the stage that drops it, or ``""``."""
    stages = list(pipeline.stages.items())
    scores: Sequence[float] | NDArray[np.float64] = [0.0] * len(pairs)
    if "content" not in pipeline.skip and pairs:
        sources, targets = zip(*pairs, strict=True)
        scores = similarity(sources, targets)
    return [
        _verdict(Candidate(*pair, float(score)), stages)
        for pair, score in zip(pairs, scores, strict=True)
    ]


def _verdict(candidate: Candidate, stages: Sequence[tuple[str, Stage]]) -> str:
    for name, stage in stages:
        if not stage.keeps(candidate):
            return name
    return ""


def _check_share(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1, not {value}.")
