"""Choose among candidates: by style, meaning and fluency, and by what must be kept.

The `Guide` that judges them arrives as an argument. It takes part in making the output,
so it must not score it afterwards: a pack made with it names it. Without a guide the
model's own probability decides among the candidates that pass the checks.

``strength`` moves the choice between candidates near to the source and free ones.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates.checks import Checks, is_copy, objection
from paraphrast.neural.models.generation import Candidate
from paraphrast.text.overlap import unigram_overlap, words

UNCHANGED = "the model would not change it"
LEAST = 1e-6  # a probability below this counts as this
EVEN = 0.5


class Guide(Protocol):
    """Says how probable it is that texts are as they should be, each from 0 to 1."""

    def style(self, texts: Sequence[str], style: str) -> Sequence[float]:
        """Return for each text how probably it is in the style."""
        ...

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> Sequence[float]:
        """Return for each text how far it means what its source does."""
        ...

    def fluency(self, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text how probably it is good English."""
        ...


@dataclass(frozen=True)
class Settings:
    """How to choose: exponents of the guide's three, thresholds, and checks.

    ``likelihood`` is the weight of the model's log-probability a piece, and
    ``closeness`` says how much `strength` may move the choice.
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
        """Refuse thresholds that are no probabilities."""
        for name in ("least_style", "least_meaning", "least_fluency"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie from 0 to 1.")


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate that may be shown; higher scores are better."""

    text: str
    score: float
    style: float = math.nan
    meaning: float = math.nan
    fluency: float = math.nan


@dataclass(frozen=True, slots=True)
class Chosen:
    """What may be shown, best first; if there is nothing, why."""

    choices: tuple[Choice, ...]
    why: str = ""


def choose(
    sources: Sequence[str],
    candidates: Sequence[Sequence[Candidate]],
    style: str,
    *,
    guide: Guide | None = None,
    settings: Settings | None = None,
    strength: float = EVEN,
) -> list[Chosen]:
    """Return for each source its acceptable candidates, best first, or why not."""
    chosen = settings or Settings()
    if not 0 <= strength <= 1:
        raise ParaphrastError(f"strength must lie from 0 to 1, not {strength:g}.")
    rows, objections = _accepted(sources, candidates, chosen)
    rated = _rated(sources, rows, style, guide, chosen, strength)
    found: list[list[Choice]] = [[] for _ in sources]
    for place, choice in rated:
        why = _below(choice, chosen)
        if why:
            objections[place][why] += 1
        else:
            found[place].append(choice)
    return [
        Chosen(
            tuple(sorted(choices, key=lambda choice: (-choice.score, choice.text))),
            "" if choices else _why(objected),
        )
        for choices, objected in zip(found, objections, strict=True)
    ]


def _accepted(
    sources: Sequence[str],
    candidates: Sequence[Sequence[Candidate]],
    settings: Settings,
) -> tuple[list[tuple[int, Candidate]], list[Counter[str]]]:
    """Return the candidates that pass the checks, and what speaks against others."""
    rows: list[tuple[int, Candidate]] = []
    objections: list[Counter[str]] = []
    for place, (source, answers) in enumerate(zip(sources, candidates, strict=True)):
        against: Counter[str] = Counter()
        for candidate in answers:
            wrong = objection(source, candidate.text, settings.checks)
            if wrong:
                against[f"every rewrite would {wrong}"] += 1
            elif is_copy(source, candidate.text):
                against[UNCHANGED] += 1
            else:
                rows.append((place, candidate))
        objections.append(against)
    return rows, objections


def _rated(
    sources: Sequence[str],
    rows: Sequence[tuple[int, Candidate]],
    style: str,
    guide: Guide | None,
    settings: Settings,
    strength: float,
) -> list[tuple[int, Choice]]:
    texts = [candidate.text for _, candidate in rows]
    given = [sources[place] for place, _ in rows]
    missing = [math.nan] * len(rows)
    styles = meanings = fluencies = missing
    if guide is not None and rows:
        styles = list(guide.style(texts, style))
        meanings = list(guide.meaning(given, texts))
        fluencies = list(guide.fluency(texts))
    found = []
    for index, (place, candidate) in enumerate(rows):
        values = styles[index], meanings[index], fluencies[index]
        score = settings.likelihood * candidate.mean
        weights = settings.style, settings.meaning, settings.fluency
        if guide is not None:
            score += sum(
                weight * math.log(max(LEAST, value))
                for weight, value in zip(weights, values, strict=True)
            )
        if strength != EVEN:
            near = unigram_overlap(words(given[index]), words(candidate.text)).f1
            lean = 1 - 2 * strength
            score += settings.closeness * lean * abs(lean) * near
        found.append((place, Choice(candidate.text, score, *values)))
    return found


def _below(choice: Choice, settings: Settings) -> str:
    """Return which threshold a choice misses, or nothing; without a guide none."""
    if choice.style < settings.least_style:
        return "no rewrite came near enough to the style"
    if choice.meaning < settings.least_meaning:
        return "every rewrite would have changed the meaning"
    if choice.fluency < settings.least_fluency:
        return "no rewrite was fluent enough"
    return ""


def _why(objections: Counter[str]) -> str:
    if not objections:
        return "the model found nothing"
    return objections.most_common(1)[0][0]
