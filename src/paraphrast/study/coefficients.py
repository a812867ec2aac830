"""The coefficients of agreement, each as one function of codes and counts.

``codes`` (items, annotators) number the labels in order, -1 where an annotator skipped
an item. ``counts`` (rows, items) say how often an item counts: a row of ones gives the
coefficient itself, the rows of a bootstrap its resamples, all at once. Every function
returns one value a row; where chance alone would agree fully (one label only, or no
item judged by two) the coefficient is undefined and the value is NaN.

Cohen (1960, 1968), Scott (1955) and, as correlations, Pearson and Spearman compare two
annotators; Fleiss (1971) and Krippendorff (2004) any number.
"""

from typing import Literal, TypeAlias

import numpy as np

from paraphrast.metrics import correlation
from paraphrast.metrics.base import Matrix
from paraphrast.study.judgments import SKIPPED, Codes, Scale

Weights: TypeAlias = Literal["none", "linear", "quadratic"]


def cohen(
    codes: Codes, counts: Matrix, *, labels: int, weights: Weights = "none"
) -> Matrix:
    """Return Cohen's kappa of two annotators: each has own habits by chance.

    Weighted, a disagreement counts by the labels' distance in their order.
    """
    codes, counts = _shared(codes, counts)
    first, second = _shares(codes, counts, labels)
    distances = _distances(np.arange(labels), weights)
    observed = _mean(distances[codes[:, 0], codes[:, 1]], counts)
    expected = ((first @ distances) * second).sum(axis=1)
    return _corrected(observed, expected)


def scott(codes: Codes, counts: Matrix, *, labels: int) -> Matrix:
    """Return Scott's pi of two annotators: both have the same habits by chance."""
    codes, counts = _shared(codes, counts)
    first, second = _shares(codes, counts, labels)
    observed = _mean((codes[:, 0] != codes[:, 1]).astype(np.float64), counts)
    expected = 1 - (((first + second) / 2) ** 2).sum(axis=1)
    return _corrected(observed, expected)


def fleiss(codes: Codes, counts: Matrix, *, labels: int) -> Matrix:
    """Return Fleiss's kappa of any number of annotators, by item not the same people.

    Items need not have equally many judgments: each item with at least two counts the
    same, by the share of its agreeing pairs of judgments.
    """
    table, counts = _table(codes, counts, labels)
    judged = table.sum(axis=1)
    agreeing = ((table**2).sum(axis=1) - judged) / (judged * (judged - 1))
    shares = _mean(table / judged[:, None], counts)
    return _corrected(_mean(1 - agreeing, counts), 1 - (shares**2).sum(axis=1))


def krippendorff(
    codes: Codes, counts: Matrix, *, numbers: Matrix, scale: Scale
) -> Matrix:
    """Return Krippendorff's alpha; ``numbers`` are the labels' values, in order.

    Skipped items are part of the definition: an item counts by its judgments.
    """
    table, counts = _table(codes, counts, len(numbers))
    judged = table.sum(axis=1)
    drawn = counts @ table
    if scale == "nominal":
        apart = (judged**2 - (table**2).sum(axis=1)) / (judged - 1)
        expected = drawn.sum(axis=1) ** 2 - (drawn**2).sum(axis=1)
        return _alpha(counts @ apart, expected, drawn)
    values = numbers[None] if scale == "interval" else _middle_ranks(drawn)
    sums, squares = values @ table.T, values**2 @ table.T
    apart = 2 * (judged * squares - sums**2) / (judged - 1)
    total = drawn.sum(axis=1)
    mean = (values * drawn).sum(axis=1) / np.maximum(total, 1.0)
    spread = ((values - mean[:, None]) ** 2 * drawn).sum(axis=1)
    return _alpha((counts * apart).sum(axis=1), 2 * total * spread, drawn)


def correlated(
    codes: Codes, counts: Matrix, *, numbers: Matrix, kind: correlation.Kind
) -> Matrix:
    """Return the correlation of two annotators' numbers."""
    codes, counts = _shared(codes, counts)
    found = np.full(len(counts), np.nan)
    drawn = counts.any(axis=1)
    if len(codes) and not (codes == codes[0]).all(axis=0).any():
        first, second = numbers[codes[:, 0]], numbers[codes[:, 1]]
        found[drawn] = correlation.resampled(kind, first, second, counts[drawn])
    return found


def _shared(codes: Codes, counts: Matrix) -> tuple[Codes, Matrix]:
    """Keep the items that both annotators judged."""
    both = (codes != SKIPPED).all(axis=1)
    return codes[both], counts[:, both]


def _shares(codes: Codes, counts: Matrix, labels: int) -> list[Matrix]:
    """Return how often each annotator gave each label, as shares: (rows, labels)."""
    return [_mean(np.eye(labels)[column], counts) for column in codes.T]


def _table(codes: Codes, counts: Matrix, labels: int) -> tuple[Matrix, Matrix]:
    """Count each item's labels, (items, labels); items judged once are left out."""
    table = (codes[:, :, None] == np.arange(labels)).sum(axis=1).astype(np.float64)
    kept = table.sum(axis=1) >= 2
    return table[kept], counts[:, kept]


def _distances(places: Codes, weights: Weights) -> Matrix:
    apart: Matrix = np.abs(places[:, None] - places).astype(np.float64)
    if weights == "none":
        apart = np.minimum(apart, 1.0)
    elif weights == "quadratic":
        apart = np.square(apart)
    return apart


def _mean(values: Matrix, counts: Matrix) -> Matrix:
    """Return each row's mean of the items' values; NaN for a row without items."""
    drawn = counts.sum(axis=1)
    sums = counts @ values
    drawn = drawn.reshape(-1, *(1,) * (sums.ndim - 1))
    means = np.full(sums.shape, np.nan)
    np.divide(sums, drawn, out=means, where=drawn > 0)
    return means


def _corrected(observed: Matrix, expected: Matrix) -> Matrix:
    """Return one less the ratio of the observed disagreement to that by chance."""
    ratio = np.full(len(observed), np.nan)
    # Rounding can leave a tiny chance of disagreement where there is none.
    np.divide(observed, expected, out=ratio, where=expected > 1e-12)
    corrected: Matrix = 1 - ratio
    return corrected


def _alpha(apart: Matrix, expected: Matrix, drawn: Matrix) -> Matrix:
    """Scale alpha's two sums over ordered pairs of judgments, and compare them."""
    total = np.maximum(drawn.sum(axis=1), 2.0)
    return _corrected(apart / total, expected / (total * (total - 1)))


def _middle_ranks(drawn: Matrix) -> Matrix:
    # Krippendorff's ordinal distance of c and k counts the judgments from c to k,
    # those at either end by half: that is the difference of the middles of their ranks.
    middles: Matrix = np.cumsum(drawn, axis=1) - drawn / 2
    return middles
