"""Bootstrap over segments, computed as sums of their statistics.

A resample is determined by how often it contains each segment, so all of them are one
product, counts (resamples, segments) times statistics (segments, columns). The counts
are computed in blocks, so that memory is bounded for corpora of any length.

The random numbers are drawn exactly as sacrebleu draws them from the same seed:
the same resamples, hence the same intervals and p-values.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import Matrix

_BLOCK = 4_000_000  # counts held at once: 32 megabytes
_WORD = 32  # coins that the generator tosses with one draw


def bootstrap_sums(statistics: Matrix, *, resamples: int, seed: int) -> Matrix:
    """Sum each bootstrap resample's rows: (resamples, columns).

    A resample has as many segments as the corpus, sampled with replacement.
    """
    _check(resamples, seed)
    blocks = [
        counts @ statistics
        for counts in bootstrap_counts(len(statistics), resamples=resamples, seed=seed)
    ]
    return np.concatenate(blocks)


def bootstrap_counts(size: int, *, resamples: int, seed: int) -> Iterator[Matrix]:
    """Yield how often each resample contains each segment, in blocks of resamples."""
    draw = np.random.default_rng(seed)
    step = max(1, _BLOCK // size)
    for start in range(0, resamples, step):
        height = min(step, resamples - start)
        chosen = draw.integers(0, size, size=(height, size))
        chosen += np.arange(height)[:, None] * size
        counts = np.bincount(chosen.ravel(), minlength=height * size)
        yield counts.reshape(height, size).astype(np.float64)


def coin_sums(statistics: Matrix, *, trials: int, seed: int) -> Matrix:
    """Sum the rows whose coin fell on heads, for each trial: (trials, columns)."""
    _check(trials, seed)
    blocks = [
        coins.astype(np.float64) @ statistics
        for coins in _coins(len(statistics), trials=trials, seed=seed)
    ]
    return np.concatenate(blocks)


def mean_interval(
    values: Matrix, *, resamples: int, seed: int
) -> tuple[float, float, float]:
    """Return the mean of values and the bounds of its 95% bootstrap interval.

    Without resamples the bounds are the mean itself.
    """
    value = float(values.mean())
    samples = [
        counts @ values / len(values)
        for counts in bootstrap_counts(len(values), resamples=resamples, seed=seed)
    ]
    low, high = percentiles(np.concatenate([*samples, [value]]))
    return value, min(low, value), max(high, value)


def percentiles(samples: Matrix) -> tuple[float, float]:
    """Return the 2.5% and 97.5% percentiles of the samples."""
    ordered = np.sort(samples)
    tail = len(ordered) // 40
    return float(ordered[tail]), float(ordered[-1 - tail])


def _coins(size: int, *, trials: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    draw = np.random.default_rng(seed)
    # The generator throws away what is left of a word after each call, so blocks
    # give the stream of one single call only when they end with a word.
    step = max(1, _BLOCK // size // _WORD) * _WORD
    for start in range(0, trials, step):
        height = min(step, trials - start)
        yield draw.integers(2, size=(height, size), dtype=np.bool_)


def _check(resamples: int, seed: int) -> None:
    if resamples < 1:
        raise ParaphrastError(f"resamples must be at least 1, not {resamples}.")
    if seed < 0:
        raise ParaphrastError(f"seed must not be negative, and {seed} is.")
