"""Significance tests: does a system's score differ from the baseline's?

Two paired tests (Koehn 2004; Riezler and Maxwell 2005) of many systems against one
baseline, both two-sided. For the same seed and number of resamples they give the
p-values of sacrebleu's ``PairedTest``; the resamples are shared by all systems and
summed as one matrix product, which takes most of the time.

They differ from sacrebleu in one case. A resample whose difference ties with the
observed one counts against the system here, since chance did as well as the system; in
sacrebleu it does not count, and a system equal to the baseline gets the smallest
possible p-value. ``ties="ignored"`` gives that value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.bootstrap import bootstrap_sums, coin_sums, percentiles
from paraphrast.metrics.base import Matrix, Metric
from paraphrast.metrics.defaults import RESAMPLES, SEED, TRIALS

Ties: TypeAlias = Literal["counted", "ignored"]

_ROUNDING = 1e-10  # differences closer than this, relative to the scores, are equal


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a system and the baseline: system minus baseline.

    ``low`` and ``high`` are the bounds of its 95% bootstrap interval.
    """

    value: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    metric: Metric,
    baseline: Matrix,
    systems: Sequence[Matrix],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    ties: Ties = "counted",
) -> list[Difference]:
    """Test each system's statistics against the baseline's by resampling segments."""
    everyone = _side_by_side(metric, baseline, systems)
    sums = bootstrap_sums(everyone, resamples=resamples, seed=seed)
    drawn = metric.total(_apart(sums, len(systems) + 1))
    scores = _scores(metric, baseline, systems)
    results = []
    for score, samples in zip(scores[1:], drawn[1:], strict=True):
        differences = samples - drawn[0]
        # Koehn's test asks about the baseline's own distribution of differences,
        # which is the sampled one moved to where chance would have it.
        centred = np.abs(differences) - np.abs(differences).mean()
        value = float(score - scores[0])
        scale = float(max(abs(score), abs(scores[0])))
        p = _p_value(centred, abs(value), scale=scale, ties=ties)
        low, high = percentiles(differences)
        results.append(Difference(value, min(low, value), max(high, value), p))
    return results


def approximate_randomisation(
    metric: Metric,
    baseline: Matrix,
    systems: Sequence[Matrix],
    *,
    trials: int = TRIALS,
    seed: int = SEED,
    ties: Ties = "counted",
) -> list[float]:
    """Return each system's p-value against the baseline by swapping their segments.

    In every trial a coin toss per segment decides whether the two outputs are swapped;
    under the null hypothesis this makes no difference.
    """
    everyone = _side_by_side(metric, baseline, systems)
    heads = _apart(coin_sums(everyone, trials=trials, seed=seed), len(systems) + 1)
    tails = _apart(everyone.sum(axis=0)[None], len(systems) + 1) - heads
    scores = _scores(metric, baseline, systems)
    results = []
    for index, score in enumerate(scores[1:], start=1):
        there = metric.total(heads[0] + tails[index])
        back = metric.total(tails[0] + heads[index])
        scale = float(max(abs(score), abs(scores[0])))
        observed = float(abs(score - scores[0]))
        results.append(_p_value(np.abs(there - back), observed, scale=scale, ties=ties))
    return results


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple comparisons, by the family-wise error rate."""
    order = np.argsort(p_values, kind="stable")
    left = np.arange(len(p_values), 0, -1)
    stepped = np.maximum.accumulate(np.asarray(p_values, float)[order] * left)
    return _restore_order(stepped, order)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple comparisons, by the false discovery rate."""
    order = np.argsort(p_values, kind="stable")[::-1]
    left = np.arange(len(p_values), 0, -1)
    stepped = np.asarray(p_values, float)[order] * (len(p_values) / left)
    return _restore_order(np.minimum.accumulate(stepped), order)


def _restore_order(stepped: Matrix, order: NDArray[np.intp]) -> list[float]:
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(p) for p in adjusted]


def _p_value(samples: Matrix, observed: float, *, scale: float, ties: Ties) -> float:
    if ties == "ignored":
        extreme = samples > observed
    else:
        # Sums of real numbers come out of a matrix product in any order, so equal
        # differences are equal but for the last digits.
        extreme = samples >= observed - _ROUNDING * scale
    # The observed arrangement is one of those that chance could have made: 1 more.
    return (int(extreme.sum()) + 1) / (len(samples) + 1)


def _scores(metric: Metric, baseline: Matrix, systems: Sequence[Matrix]) -> Matrix:
    return metric.total(np.stack([rows.sum(axis=0) for rows in (baseline, *systems)]))


def _side_by_side(
    metric: Metric, baseline: Matrix, systems: Sequence[Matrix]
) -> Matrix:
    """Join the statistics of all: (segments, systems * columns)."""
    for number, rows in enumerate(systems, start=1):
        if rows.shape != baseline.shape:
            raise ParaphrastError(
                f"{metric.name}: system {number} has {len(rows)} segments but the "
                f"baseline {len(baseline)}. A paired test needs the same segments."
            )
    return np.concatenate([baseline, *systems], axis=1)


def _apart(sums: Matrix, systems: int) -> Matrix:
    """Separate the columns again: (resamples, systems * columns) -> (systems, …)."""
    return sums.reshape(len(sums), systems, -1).transpose(1, 0, 2)
