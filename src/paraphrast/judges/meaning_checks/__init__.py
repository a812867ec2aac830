"""Checks that a cosine misses: names, numbers, negation, roles, opposites, mood.

Two sentences that differ in one small word can mean the opposite, and a model of
similarity finds them nearly the same. Each check compares two texts and reports a
`Finding` where it has evidence that the meaning changed. `VALUES` says how much of the
similarity is left after each kind where the rest of the two texts is the same; the less
the rest has in common, the less a finding says (names change with everything else), and
the nearer its value is to 1. `CheckedSimilarity` multiplies another model's similarity
by all of them. Without evidence the factor is 1: the checks are made to leave good
rewriting alone, and docs/judges.md says how often they do not. They are symmetric, know
English only, and see no further than words.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from paraphrast.errors import unknown
from paraphrast.judges.evaluator import SimilarityModel
from paraphrast.judges.meaning_checks.negation import negation
from paraphrast.judges.meaning_checks.roles import roles
from paraphrast.judges.meaning_checks.words import (
    Finding,
    mood,
    names,
    numbers,
    opposites,
)
from paraphrast.language.sentence import Sentence, read
from paraphrast.metrics.base import Matrix
from paraphrast.text.similarity import HashedSimilarity

FORMAT = 1  # changes with the rules, so that signatures do

Check: TypeAlias = Callable[[Sentence, Sentence], Iterator[Finding]]

# How much similarity is left after each kind of finding; chosen on STS-B's training
# part and on minimal pairs made from Twelfth Night, see docs/judges.md.
VALUES: Mapping[str, float] = MappingProxyType(
    {
        "name exchanged": 0.7,
        "name lost": 0.95,
        "number exchanged": 0.6,
        "number lost": 0.95,
        "negation": 0.5,
        "prefix": 0.6,
        "polarity": 0.75,
        "roles exchanged": 0.5,
        "opposite": 0.6,
        "question": 0.9,
        "modality": 0.9,
    }
)


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "names": names,
        "numbers": numbers,
        "negation": negation,
        "roles": roles,
        "opposites": opposites,
        "mood": mood,
    }
)


def findings(
    first: str, second: str, *, checks: Sequence[str] = tuple(CHECKS)
) -> tuple[Finding, ...]:
    """Return every sign that two texts differ in meaning; a text equals itself."""
    for name in checks:
        if name not in CHECKS:
            raise unknown("check", name, CHECKS)
    if first == second:
        return ()
    here, there = read(first), read(second)
    return tuple(finding for name in checks for finding in CHECKS[name](here, there))


@dataclass(frozen=True, eq=False)
class CheckedSimilarity:
    """A model's similarity times the values of what the checks found."""

    model: SimilarityModel
    checks: tuple[str, ...] = tuple(CHECKS)
    values: Mapping[str, float] = field(default_factory=lambda: VALUES)

    @cached_property
    def signature(self) -> str:
        """Return the model's signature with the checks and their values."""
        settings = json.dumps([FORMAT, self.checks, sorted(self.values.items())])
        digest = hashlib.sha256(settings.encode()).hexdigest()[:12]
        return f"checked-{digest}-{self.model.signature}"

    def __call__(self, sources: Sequence[str], targets: Sequence[str]) -> Matrix:
        """Return the checked similarity of each pair, 0 to 1: (pairs,)."""
        similar = np.asarray(self.model(sources, targets), dtype=np.float64)
        return similar * self.factors(sources, targets)

    def factors(self, sources: Sequence[str], targets: Sequence[str]) -> Matrix:
        """Return what the checks leave of each pair's similarity, 0 to 1: (pairs,)."""
        pairs = zip(sources, targets, strict=True)
        return np.array([self.factor(*pair) for pair in pairs], dtype=np.float64)

    def factor(self, source: str, target: str) -> float:
        """Return the product of the values of one pair's findings."""
        return prod(value for _, value in self.explain(source, target))

    def explain(self, source: str, target: str) -> tuple[tuple[Finding, float], ...]:
        """Return what was found on one pair, and what each finding leaves, 0 to 1."""
        results = findings(source, target, checks=self.checks)
        alike = read(source).overlap(read(target)) if results else 0.0
        return tuple(
            (finding, 1 - (1 - self.values[finding.kind]) * alike)
            for finding in results
        )


def add_checks(model: SimilarityModel) -> CheckedSimilarity:
    """Add the checks that a model needs.

    A lexical one needs all of them. A model that was taught on pairs with a name, a
    number or a negation changed falls by itself on these, and counting them twice would
    lower its agreement with people; what it still misses is who did what to whom.
    """
    lexical = isinstance(model, HashedSimilarity)
    return CheckedSimilarity(model, tuple(CHECKS) if lexical else ("roles",))
