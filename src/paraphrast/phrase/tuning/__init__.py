"""Tuning: feature weights optimised on held-out sentences.

A round decodes the tuning sentences into n-best lists, merges them with those of
earlier rounds (`pool`), and searches for weights that rank them better: by exact line
search (`mert`), by hope and fear (`mira`) or by pairwise ranking (`pro`). The
`objective` is a metric given by the caller. Rounds end when the lists contain nothing
new or the decoder's best outputs no longer improve; the weights with the best outputs
are kept.

    objective = Objective(Bleu(tokenize="none", smoothing="none"), sources, references)
    tuned = tune(decode, objective, start, method=Mert(), seed=1)

``decode(weights)`` gives `Candidates`. The same seed gives the same weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.phrase.candidates import Candidates
from paraphrast.phrase.tuning.mert import Mert
from paraphrast.phrase.tuning.mira import Mira
from paraphrast.phrase.tuning.objective import LengthGuard, Objective, Problem
from paraphrast.phrase.tuning.pool import Decode, Mask, Pool, Vector
from paraphrast.phrase.tuning.pro import Pro

__all__ = [
    "Candidates",
    "LengthGuard",
    "Mert",
    "Mira",
    "Objective",
    "Pro",
    "Round",
    "Tuned",
    "method",
    "tune",
]


class Method(Protocol):
    """A way to choose weights for a pool of candidates."""

    def weights(self, problem: Problem) -> Vector:
        """Return weights that choose well from the pool."""
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """What a round found.

    ``value`` is the metric of the decoder's own choices, ``objective`` the same with
    the guard's charge and higher when better, ``length_ratio`` their words divided by
    the references'. ``merged`` is the objective that ``weights`` had on the lists
    they were chosen on, which is what decoding then made true or not.
    """

    number: int
    value: float
    objective: float
    length_ratio: float
    weights: tuple[float, ...]
    merged: float | None
    added: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best weights, their round, all rounds, and why there were no more."""

    weights: tuple[float, ...]
    best: Round
    rounds: tuple[Round, ...]
    stopped: str

    def summary(self) -> str:
        """Say in a line what came of it."""
        first, best = self.rounds[0], self.best
        return (
            f"{first.value:.2f} -> {best.value:.2f} in round {best.number} of "
            f"{len(self.rounds)} ({self.stopped}), length ratio "
            f"{best.length_ratio:.3f}, {self.rounds[-1].candidates:,} candidates"
        )


def method(name: str) -> Method:
    """Return the method of a name, with its usual settings."""
    methods: dict[str, Callable[[], Method]] = {"mert": Mert, "mira": Mira, "pro": Pro}
    if name not in methods:
        raise unknown("method of tuning", name, methods)
    return methods[name]()


def tune(
    decode: Decode,
    objective: Objective,
    start: Vector,
    *,
    method: Method | None = None,
    fixed: Sequence[int] = (),
    rounds: int = 12,
    patience: int = 3,
    least_gain: float = 0.0,
    seed: int = 1,
    progress: Callable[[Round], None] | None = None,
) -> Tuned:
    """Tune from ``start``; the weights of the features in ``fixed`` are not tuned.

    Weights matter only up to a factor. First all are divided by the sum of the absolute
    values of those to be tuned; from then on these add up to 1, and the fixed ones
    stay. Rounds end after ``patience`` of them without a better choice, and after
    ``rounds`` at the latest.
    """
    method = Mert() if method is None else method
    weights, free = _check_start(start, fixed, rounds)
    draw = np.random.default_rng(seed)
    pool, done, merged = Pool(objective), list[Round](), None
    stopped = f"{rounds} rounds done"
    for number in range(1, rounds + 1):
        candidates = _decode(decode, weights)
        added = pool.add(candidates)
        sums = objective.statistics(candidates.first()).sum(axis=0)
        done.append(
            Round(
                number,
                value=objective.value(sums),
                objective=float(objective.total(sums)),
                length_ratio=float(objective.ratio(sums)),
                weights=tuple(weights.tolist()),
                merged=merged,
                added=added,
                candidates=len(pool),
            )
        )
        if progress is not None:
            progress(done[-1])
        best = _best(done)
        if added == 0:
            stopped = "the n-best lists contain nothing new"
            break
        if number - best.number >= patience:
            stopped = f"no improvement in {patience} rounds"
            break
        if number > 1 and 0 <= _gain(done) < least_gain:
            stopped = f"a round improved by less than {least_gain:g}"
            break
        starts = [np.array(best.weights), weights]
        chosen = method.weights(Problem(pool, objective, starts, free, draw))
        merged = float(objective.total(pool.totals(chosen)))
        if np.array_equal(chosen, weights):
            stopped = "no better weights for these n-best lists"
            break
        weights = chosen
    return Tuned(best.weights, best, tuple(done), stopped)


def _check_start(
    start: Vector, fixed: Sequence[int], rounds: int
) -> tuple[Vector, Mask]:
    weights = np.asarray(start, np.float64)
    if weights.ndim != 1 or not np.isfinite(weights).all():
        raise ParaphrastError("tuning: the first weights must be finite numbers.")
    if rounds < 1:
        raise ParaphrastError(f"tuning: rounds must be at least 1, not {rounds}.")
    free = np.ones(len(weights), bool)
    free[list(fixed)] = False
    if not free.any():
        raise ParaphrastError(
            "tuning: every feature is fixed. Leave at least one free."
        )
    size = np.abs(weights[free]).sum()
    return weights / (size if size > 0 else 1.0), free


def _decode(decode: Decode, weights: Vector) -> Candidates:
    candidates = decode(weights)
    features = candidates.features.shape[1]
    if features != len(weights):
        raise ParaphrastError(
            f"tuning: {len(weights)} first weights for {features} feature"
            f"{'s' * (features != 1)} of the decoder. Give one for each."
        )
    return candidates


def _best(rounds: Sequence[Round]) -> Round:
    # The earlier of equals: it is nearer to where we started.
    return max(rounds, key=lambda round_: (round_.objective, -round_.number))


def _gain(rounds: Sequence[Round]) -> float:
    """Return how much better the last round is than the best before it."""
    return rounds[-1].objective - _best(rounds[:-1]).objective
