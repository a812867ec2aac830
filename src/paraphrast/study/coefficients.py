"""The coefficients of agreement, each as one function of codes and counts.

``codes`` (items, annotators) are label indices, -1 for a skipped item. ``counts``
(rows, items) are weights of items: a row of ones gives the coefficient itself,
bootstrap counts its resamples, all at once. Every function returns one value per row;
if chance agreement is 1 (a single label, or no item judged by two) the coefficient is
undefined and the value is NaN.

Cohen (1960, 1968), Scott (1955) and, as correlations, Pearson and Spearman compare two
annotators; Fleiss (1971) and Krippendorff (2004) any number.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics import correlation
from paraphrast.metrics.base import Matrix
from paraphrast.study.judgments import SKIPPED, Codes, Scale

Array: TypeAlias = NDArray[Any]
Weights: TypeAlias = Literal["none", "linear", "quadratic"]


def cohen(
    codes: Codes, counts: Matrix, *, labels: int, weights: Weights = "none"
) -> Matrix:
    """Return Cohen's kappa of two annotators, each with their own label distribution.

    If weighted, a disagreement is weighted by the labels' distance in their order.
    """
    codes, counts = _keep_shared(codes, counts)
    first, second = _shares(codes, counts, labels)
    if weights == "none":
        observed = _mean(codes[:, 0] != codes[:, 1], counts)
        return _correct_for_chance(observed, 1 - (first * second).sum(axis=1))
    power = 1 if weights == "linear" else 2
    codes_of_labels = np.arange(labels)
    distances = np.abs(codes_of_labels[:, None] - codes_of_labels) ** power
    observed = _mean(distances[codes[:, 0], codes[:, 1]], counts)
    return _correct_for_chance(observed, ((first @ distances) * second).sum(axis=1))


def scott(codes: Codes, counts: Matrix, *, labels: int) -> Matrix:
    """Return Scott's pi of two annotators, who share one label distribution."""
    codes, counts = _keep_shared(codes, counts)
    first, second = _shares(codes, counts, labels)
    observed = _mean(codes[:, 0] != codes[:, 1], counts)
    expected = 1 - (((first + second) / 2) ** 2).sum(axis=1)
    return _correct_for_chance(observed, expected)


def fleiss(codes: Codes, counts: Matrix, *, labels: int) -> Matrix:
    """Return Fleiss's kappa of any number of annotators, who may differ between items.

    Items may have different numbers of judgments: each item with at least two has the
    same weight, through the share of its agreeing pairs of judgments.
    """
    codes, counts = _judged_twice(codes, counts)
    judged = (codes != SKIPPED).sum(axis=1)
    apart = _apart(codes) / judged
    shares = _by_label(codes, counts / judged, labels)
    shares /= np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return _correct_for_chance(_mean(apart, counts), 1 - (shares**2).sum(axis=1))


def krippendorff(
    codes: Codes, counts: Matrix, *, numbers: Matrix, scale: Scale
) -> Matrix:
    """Return Krippendorff's alpha; ``numbers`` are the labels' values, in order.

    Skipped items are part of the definition: an item is weighted by its judgments.
    """
    codes, counts = _judged_twice(codes, counts)
    drawn = _by_label(codes, counts, len(numbers))
    total = drawn.sum(axis=1)
    if scale == "nominal":
        observed = counts @ _apart(codes)
        expected = total**2 - (drawn**2).sum(axis=1)
    else:
        values = numbers[None] if scale == "interval" else _middle_ranks(drawn)
        observed = 2 * (counts * _spread(codes, values)).sum(axis=1)
        mean = (values * drawn).sum(axis=1) / np.maximum(total, 1.0)
        around = ((values - mean[:, None]) ** 2 * drawn).sum(axis=1)
        expected = 2 * total * around
    total = np.maximum(total, 2.0)
    return _correct_for_chance(observed / total, expected / (total * (total - 1)))


def correlate_codes(
    codes: Codes, counts: Matrix, *, numbers: Matrix, kind: correlation.Kind
) -> Matrix:
    """Return the correlation of two annotators' numbers."""
    codes, counts = _keep_shared(codes, counts)
    result = np.full(len(counts), np.nan)
    drawn = counts.any(axis=1)
    if len(codes) and not (codes == codes[0]).all(axis=0).any():
        first, second = numbers[codes[:, 0]], numbers[codes[:, 1]]
        result[drawn] = correlation.correlate_resamples(
            kind, first, second, counts[drawn]
        )
    return result


def _keep_shared(codes: Codes, counts: Matrix) -> tuple[Codes, Matrix]:
    """Keep the items that both annotators judged."""
    both = (codes != SKIPPED).all(axis=1)
    return codes[both], counts[:, both]


def _judged_twice(codes: Codes, counts: Matrix) -> tuple[Codes, Matrix]:
    """Keep the items that at least two annotators judged."""
    kept = (codes != SKIPPED).sum(axis=1) >= 2
    return codes[kept], counts[:, kept]


def _shares(codes: Codes, counts: Matrix, labels: int) -> list[Matrix]:
    """Return each annotator's label distribution: (rows, labels)."""
    drawn = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return [_by_label(column[:, None], counts, labels) / drawn for column in codes.T]


def _by_label(codes: Codes, weights: Matrix, labels: int) -> Matrix:
    """Sum the weights of the items by label."""
    items, annotators = np.nonzero(codes != SKIPPED)
    given = codes[items, annotators]
    order = np.argsort(given, kind="stable")
    given = given[order]
    sums = np.zeros((len(weights), labels))
    if len(given):
        starts = np.flatnonzero(np.diff(given, prepend=-1))
        sums[:, given[starts]] = np.add.reduceat(
            weights[:, items[order]], starts, axis=1
        )
    return sums


def _apart(codes: Codes) -> Matrix:
    """Count each item's ordered pairs of different labels, per other judgment."""
    judged = (codes != SKIPPED).sum(axis=1)
    alike = np.zeros(len(codes))
    for column in codes.T:
        same = (codes == column[:, None]).sum(axis=1)
        alike += np.where(column != SKIPPED, same, 0)
    apart: Matrix = (judged**2 - alike) / (judged - 1)
    return apart


def _spread(codes: Codes, values: Matrix) -> Matrix:
    """Sum each item's squared distances from its mean, per other judgment.

    Twice the judgments times that sum is the sum of the squares of all differences.
    """
    judged = codes != SKIPPED
    number = judged.sum(axis=1)
    given = [
        np.where(judged[:, k], values[:, codes[:, k]], 0) for k in range(codes.shape[1])
    ]
    mean = sum(given) / number
    around = sum(
        np.where(judged[:, k], (column - mean) ** 2, 0)
        for k, column in enumerate(given)
    )
    spread: Matrix = around * number / (number - 1)
    return spread


def _mean(values: Array, counts: Matrix) -> Matrix:
    """Return the mean of the items' values per row; NaN for a row without items."""
    drawn = counts.sum(axis=1)
    means = np.full(len(counts), np.nan)
    np.divide(counts @ values, drawn, out=means, where=drawn > 0)
    return means


def _correct_for_chance(observed: Matrix, expected: Matrix) -> Matrix:
    """Return one minus the ratio of observed to expected disagreement."""
    ratio = np.full(len(observed), np.nan)
    # Rounding can leave a tiny chance of disagreement where there is none.
    np.divide(observed, expected, out=ratio, where=expected > 1e-12)
    corrected: Matrix = 1 - ratio
    return corrected


def _middle_ranks(drawn: Matrix) -> Matrix:
    # Krippendorff's ordinal distance of c and k counts the judgments from c to k,
    # those at either end by half: that is the difference of the middles of their ranks.
    middles: Matrix = np.cumsum(drawn, axis=1) - drawn / 2
    return middles
