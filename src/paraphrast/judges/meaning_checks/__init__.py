"""Meaning checks beyond a cosine: names, numbers, negation, roles, antonyms, mood.

Two sentences that differ in one function word can have opposite meanings, yet a
similarity model rates them nearly the same. Each check compares two texts and reports a
`Finding` if it has evidence that the meaning changed. `VALUES` gives the factor for
each kind if the rest of the two texts is the same; the less the rest has in common, the
less informative a finding is (names change with everything else), and the closer its
value is to 1. `CheckedSimilarity` multiplies another model's similarity by all of them.
Without evidence the factor is 1: the checks are designed not to penalise good rewrites,
and docs/judges.md says how often they do. They are symmetric, for English only, and
word-based.
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
    """Return all findings on two texts; none for identical texts."""
    for name in checks:
        if name not in CHECKS:
            raise unknown("check", name, CHECKS)
    if first == second:
        return ()
    here, there = read(first), read(second)
    return tuple(finding for name in checks for finding in CHECKS[name](here, there))


@dataclass(frozen=True, eq=False)
class CheckedSimilarity:
    """A model's similarity multiplied by the values of the checks' findings."""

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
        """Return the checks' factor for each pair, 0 to 1: (pairs,)."""
        pairs = zip(sources, targets, strict=True)
        return np.array([self.factor(*pair) for pair in pairs], dtype=np.float64)

    def factor(self, source: str, target: str) -> float:
        """Return the product of the values of one pair's findings."""
        return prod(value for _, value in self.explain(source, target))

    def explain(self, source: str, target: str) -> tuple[tuple[Finding, float], ...]:
        """Return the findings on one pair with their values, 0 to 1."""
        results = findings(source, target, checks=self.checks)
        alike = read(source).overlap(read(target)) if results else 0.0
        return tuple(
            (finding, 1 - (1 - self.values[finding.kind]) * alike)
            for finding in results
        )


def add_checks(model: SimilarityModel) -> CheckedSimilarity:
    """Add the checks that a model needs.

    A lexical model needs all of them. A model that was trained on pairs with a changed
    name, number or negation already lowers its score on these, and counting them twice
    would lower its agreement with people; what it still misses is who did what to whom.
    """
    lexical = isinstance(model, HashedSimilarity)
    return CheckedSimilarity(model, tuple(CHECKS) if lexical else ("roles",))
