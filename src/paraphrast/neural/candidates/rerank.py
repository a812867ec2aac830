"""Choose among candidates: guards first, then style, meaning and fluency.

The `Guide` that scores them is passed as an argument. It is used in making the output,
so it must not evaluate it afterwards: a pack made with it names it. Without a guide,
the model's own probability decides among the candidates that pass the guards. The last
guard is a `Checker`, which scores all of them in one batch.

Of alternatives that differ in one word of a long sentence only the best is kept.

``strength`` shifts the choice between candidates close to the source and freer ones.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Protocol, TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates.guards import (
    CHANGED,
    Checks,
    Guard,
    Rejection,
    basic_guards,
    describe_rejections,
)
from paraphrast.neural.models.generation import Candidate
from paraphrast.neural.styles import BY_MARKS
from paraphrast.text.overlap import unigram_overlap, words

UNCHANGED = "the model found nothing to change"
NOTHING = "the model wrote nothing"
LEAST = 1e-6  # a probability below this counts as this
EVEN = 0.5
NEAR = 0.9  # share of common words from which two alternatives are one


class Guide(Protocol):
    """Scores the style, meaning and fluency of candidates, each from 0 to 1."""

    def style(self, texts: Sequence[str], style: str) -> Sequence[float]:
        """Return for each text the probability that it has the style."""
        ...

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> Sequence[float]:
        """Return for each text its similarity in meaning to its source."""
        ...

    def fluency(self, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text the probability that it is fluent."""
        ...


class Checker(Protocol):
    """Scores whether candidates keep their sources' meaning."""

    def score(
        self, sources: Sequence[str], candidates: Sequence[Candidate]
    ) -> Sequence[float]:
        """Return a score from 0 to 1 for each candidate."""
        ...


@dataclass(frozen=True, slots=True)
class MeaningCheck:
    """A checker, and the ``least`` score with which a candidate passes.

    The most probable candidates of each source are checked first, until ``enough`` have
    passed.
    """

    checker: Checker
    least: float = 0.0
    enough: int = sys.maxsize


@dataclass(frozen=True)
class Settings:
    """Settings of the choice: exponents of the guide's scores, thresholds, checks.

    ``likelihood`` is the weight of the model's log-probability per token, and
    ``closeness`` the range over which `strength` may shift the choice.
    """

    style: float = 1.0
    meaning: float = 1.0
    fluency: float = 1.0
    likelihood: float = 0.5
    closeness: float = 4.0
    least_style: float = 0.0
    least_meaning: float = 0.0
    least_fluency: float = 0.0
    checks: Checks = field(default_factory=Checks)

    def __post_init__(self) -> None:
        """Refuse thresholds outside 0 to 1."""
        for name in ("least_style", "least_meaning", "least_fluency"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie from 0 to 1.")


@dataclass(frozen=True, slots=True)
class Choice:
    """An accepted candidate; higher scores are better."""

    text: str
    score: float
    style: float = math.nan
    meaning: float = math.nan
    fluency: float = math.nan


@dataclass(frozen=True, slots=True)
class Chosen:
    """The accepted candidates, best first, and the rejections of the others."""

    choices: tuple[Choice, ...]
    rejections: tuple[Rejection, ...] = ()
    copy: str = ""  # a candidate with its source's words

    @property
    def why(self) -> str:
        """Return why there is no choice; empty if there is one."""
        if self.choices:
            return ""
        if self.rejections:
            return describe_rejections(self.rejections)
        return UNCHANGED if self.copy else NOTHING


def check_strength(strength: float) -> None:
    """Refuse a strength outside 0 (closest) to 1 (freest)."""
    if not 0 <= strength <= 1:
        raise ParaphrastError(f"strength must lie from 0 to 1, not {strength:g}.")


def choose(
    sources: Sequence[str],
    candidates: Sequence[Sequence[Candidate]],
    style: str,
    *,
    guards: Sequence[Guard] | None = None,
    meaning: MeaningCheck | None = None,
    guide: Guide | None = None,
    settings: Settings | None = None,
    strength: float = EVEN,
) -> list[Chosen]:
    """Return for each source its acceptable candidates, best first, or why not.

    Without ``guards``, the basic guards of the settings are used. A candidate must also
    pass the check of ``meaning``.
    """
    chosen = settings or Settings()
    check_strength(strength)
    wanted = basic_guards(chosen.checks) if guards is None else guards
    screened = [
        _screen(source, answers, wanted, marks=style in BY_MARKS)
        for source, answers in zip(sources, candidates, strict=True)
    ]
    if meaning is not None:
        screened = _check_meaning(sources, screened, meaning)
    rows = [
        (source, candidate)
        for source, (accepted, _, _) in zip(sources, screened, strict=True)
        for candidate in accepted
    ]
    rated = iter(_rate(rows, style, guide, chosen, strength))
    return [
        _settle([next(rated) for _ in accepted], rejections, copy, chosen)
        for accepted, rejections, copy in screened
    ]


# Candidates that pass, why others do not, and the first copy, or an empty text.
Screened: TypeAlias = tuple[list[Candidate], list[Rejection], str]


def _check_meaning(
    sources: Sequence[str], screened: Sequence[Screened], check: MeaningCheck
) -> list[Screened]:
    """Remove the candidates that change the meaning, and those that are not checked."""
    waiting = [
        sorted(accepted, key=lambda candidate: -candidate.mean)
        for accepted, _, _ in screened
    ]
    passed: list[list[Candidate]] = [[] for _ in screened]
    has_failed = [False] * len(screened)
    while True:
        # All that are still wanted of each source go into one batch.
        rows = [
            (index, candidate)
            for index, (left, own) in enumerate(zip(waiting, passed, strict=True))
            for candidate in left[: max(0, check.enough - len(own))]
        ]
        if not rows:
            break
        scores = check.checker.score(
            [sources[index] for index, _ in rows], [c for _, c in rows]
        )
        for (index, candidate), score in zip(rows, scores, strict=True):
            waiting[index].remove(candidate)
            if score >= check.least:
                passed[index].append(candidate)
            else:
                has_failed[index] = True
    return [
        (own, [*rejections, *([CHANGED] if failed else [])], copy)
        for own, failed, (_, rejections, copy) in zip(
            passed, has_failed, screened, strict=True
        )
    ]


def _screen(
    source: str,
    candidates: Sequence[Candidate],
    guards: Sequence[Guard],
    *,
    marks: bool,
) -> Screened:
    """Return the candidates that pass, the rejections of others, and the first copy.

    A copy has its source's words; if ``marks`` are part of the style, its punctuation
    as well.
    """
    own = words(source)
    accepted: dict[str, Candidate] = {}
    rejections = []
    copy = ""
    for candidate in candidates:
        reasons = (
            (guard.name, guard.check(source, candidate.text)) for guard in guards
        )
        rejection = next((Rejection(*own) for own in reasons if own[1]), None)
        new = words(candidate.text)
        if rejection:
            rejections.append(rejection)
        elif new == own and not (marks and candidate.text != source):
            copy = copy or candidate.text
        else:
            # What differs in marks and capitals only is no other way to say it.
            accepted.setdefault(" ".join(new), candidate)
    return list(accepted.values()), rejections, copy


def _rate(
    rows: Sequence[tuple[str, Candidate]],
    style: str,
    guide: Guide | None,
    settings: Settings,
    strength: float,
) -> Iterator[Choice]:
    texts = [candidate.text for _, candidate in rows]
    styles = meanings = fluencies = [math.nan] * len(rows)
    if guide is not None and rows:
        styles = list(guide.style(texts, style))
        meanings = list(guide.meaning([source for source, _ in rows], texts))
        fluencies = list(guide.fluency(texts))
    weights = settings.style, settings.meaning, settings.fluency
    for index, (source, candidate) in enumerate(rows):
        values = styles[index], meanings[index], fluencies[index]
        score = settings.likelihood * candidate.mean
        if guide is not None:
            score += sum(
                weight * math.log(max(LEAST, value))
                for weight, value in zip(weights, values, strict=True)
            )
        if strength != EVEN:
            near = unigram_overlap(words(source), words(candidate.text)).f1
            lean = 1 - 2 * strength
            score += settings.closeness * lean * abs(lean) * near
        yield Choice(candidate.text, score, *values)


def _settle(
    choices: Sequence[Choice],
    rejections: Sequence[Rejection],
    copy: str,
    settings: Settings,
) -> Chosen:
    """Rank the choices that reach the thresholds."""
    missed = [(choice, _find_missed(choice, settings)) for choice in choices]
    good = [choice for choice, rejection in missed if rejection is None]
    good.sort(key=lambda choice: (-choice.score, choice.text))
    good = _drop_near_duplicates(good)
    below = [rejection for _, rejection in missed if rejection is not None]
    return Chosen(tuple(good), (*rejections, *below), copy)


def _drop_near_duplicates(choices: Sequence[Choice]) -> list[Choice]:
    """Keep the best of choices with nearly the same words in the same order."""
    kept: list[Choice] = []
    for choice in choices:
        own = words(choice.text)
        if all(_compare_words(words(other.text), own) < NEAR for other in kept):
            kept.append(choice)
    return kept


def _compare_words(first: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of words that two texts have in common, in the same order."""
    return SequenceMatcher(None, first, other, autojunk=False).ratio()


def _find_missed(choice: Choice, settings: Settings) -> Rejection | None:
    """Return which threshold a choice misses; none without a guide."""
    if choice.style < settings.least_style:
        return Rejection("least-style", "missed the style")
    if choice.meaning < settings.least_meaning:
        return Rejection("least-meaning", "changed the meaning")
    if choice.fluency < settings.least_fluency:
        return Rejection("least-fluency", "were not fluent")
    return None
