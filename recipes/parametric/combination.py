"""One table from several: a logistic regression weights the evidence of each.

A candidate is a phrase and a paraphrase that at least one table has; its features are
described in `combination_features`. The regression learns the probability that the
other translation uses the paraphrase: the share of a phrase's occurrences at which
people's links license it. The tables to learn from must not have been made from those
sentences, or they would be trusted too much: make them from one part of the text and
learn from another (`train` takes several such divisions).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import Words
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.logistic_regression import logistic, newton
from paraphrast.estimators.matrix import Matrix
from paraphrast.paraphrases.building import from_rows
from paraphrast.paraphrases.parametric import LEAST, LONGEST, Group, spans
from paraphrast.paraphrases.table import Paraphrase, Table

from .combination_features import Candidates, candidates, names

Counts = NDArray[np.int64]
Features = NDArray[np.float32]

_ROWS = 100_000  # examples processed at once, so that memory is bounded


@dataclass(frozen=True, eq=False)
class Regression:
    """A weight for each feature, and the intercept: p = logistic(x · w + b)."""

    weights: Matrix
    intercept: float

    def probabilities(self, features: Features) -> Matrix:
        """Return the probability that each row is right."""
        return logistic(features @ self.weights + self.intercept)


@dataclass(frozen=True)
class Combination:
    """How far to trust the tables of some methods; made by `train`."""

    methods: tuple[str, ...]
    regression: Regression

    def __call__(
        self,
        tables: Mapping[str, Table],
        phrases: Sequence[Words],
        *,
        least: float = LEAST,
    ) -> Table:
        """Return one table of the phrases' paraphrases from all the tables.

        Candidates below ``least`` in all tables are left out.
        """
        if tuple(tables) != self.methods:
            raise ParaphrastError(
                f"the combination was learnt for {', '.join(self.methods)}, but the "
                f"tables are {', '.join(tables)}. Give the same methods in this order."
            )
        result = candidates(tables, phrases, least=least)
        chances = self.regression.probabilities(result.features).tolist()
        triples = zip(result.phrases, result.paraphrases, chances, strict=True)
        rows = [
            Paraphrase(" ".join(a), " ".join(b), chance) for a, b, chance in triples
        ]
        about = {"method": "combined", "case": "lower", "parts": list(tables)}
        return from_rows(rows, about=about)

    def weights(self) -> dict[str, float]:
        """Return the weight of each feature by its name."""
        pairs = zip(names(self.methods), self.regression.weights, strict=True)
        return {name: float(weight) for name, weight in pairs}


def train(
    divisions: Sequence[tuple[Mapping[str, Table], Sequence[Group]]],
    *,
    least: float = LEAST,
    penalty: float = 1.0,
) -> Combination:
    """Learn from groups that the tables given with them have not seen."""
    methods = {tuple(tables) for tables, _ in divisions}
    if len(methods) != 1:
        raise ParaphrastError(
            "every division must have tables of the same methods in one order."
        )
    features, right, times = [], [], []
    for tables, groups in divisions:
        places = phrases_of(groups)
        result = candidates(tables, list(places), least=least)
        features.append(result.features)
        counted = _count_candidates(result, groups, places)
        right.append(counted[0])
        times.append(counted[1])
    regression = fit(
        np.concatenate(features),
        np.concatenate(right),
        np.concatenate(times),
        penalty=penalty,
    )
    return Combination(next(iter(methods)), regression)


def phrases_of(groups: Sequence[Group], *, longest: int = LONGEST) -> Counter[Words]:
    """Count the occurrences of each phrase of the groups."""
    return Counter(
        group.words[start:end]
        for group in groups
        for start, end in spans(len(group.words), longest)
    )


def _count_candidates(
    result: Candidates, groups: Sequence[Group], places: Counter[Words]
) -> tuple[Counts, Counts]:
    """Return how often each candidate is right, and how often its phrase occurs."""
    said = Counter(
        (group.words[start:end], other)
        for group in groups
        for (start, end), others in group.reference.items()
        for other in others
    )
    both = list(zip(result.phrases, result.paraphrases, strict=True))
    right = np.array([said[two] for two in both], np.int64)
    times = np.array([places[phrase] for phrase, _ in both], np.int64)
    return right, times


def fit(
    features: Features, right: Counts, times: Counts, *, penalty: float = 1.0
) -> Regression:
    """Learn from feature rows, each seen ``times`` times and correct ``right`` times.

    It minimises the sum of log losses plus ``penalty * |w|**2 / 2`` over weights of
    features scaled to mean 0 and deviation 1; the intercept is free.
    """
    mean = np.average(features, axis=0, weights=times)
    deviation = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=times))
    scale = np.where(deviation > 1e-9, deviation, 1.0)
    pull = np.append(np.full(features.shape[1], penalty), 1e-9)

    def derivatives(point: Matrix) -> tuple[Matrix, Matrix]:
        gradient, curvature = pull * point, np.diag(pull)
        for start in range(0, len(features), _ROWS):
            rows = slice(start, start + _ROWS)
            scaled = (features[rows] - mean) / scale
            scaled = np.column_stack([scaled, np.ones(len(scaled))])
            chance = logistic(scaled @ point)
            gradient = gradient + scaled.T @ (times[rows] * chance - right[rows])
            spread = times[rows] * chance * (1 - chance)
            curvature = curvature + scaled.T @ (spread[:, None] * scaled)
        return gradient, curvature

    point = newton(derivatives, np.zeros(len(pull)), tolerance=1e-6)
    weights = point[:-1] / scale
    return Regression(weights, float(point[-1] - weights @ mean))
