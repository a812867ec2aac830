"""Correlations against scipy's, their intervals, ties and constants."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.correlation import (
    correlate,
    kendall,
    pearson,
    spearman,
)

OURS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
THEIRS = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
KINDS = list(OURS)

# Few whole numbers tie often; quarters do not lose digits.
VALUES = st.one_of(st.integers(-3, 3), st.integers(-4000, 4000).map(lambda n: n / 4))
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=40)


def varying(pairs):
    x, y = (list(column) for column in zip(*pairs, strict=True))
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    return x, y


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(pairs=PAIRS)
def test_coefficients_equal_those_of_scipy(kind, pairs):
    x, y = varying(pairs)
    assert OURS[kind](x, y) == pytest.approx(THEIRS[kind](x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(pairs=PAIRS, seed=st.integers(0, 99))
def test_bootstrap_is_that_of_explicit_resamples(kind, pairs, seed):
    x, y = (np.array(column) for column in varying(pairs))
    chosen = np.random.default_rng(seed).choice(len(x), size=(25, len(x)))
    drawn = [
        THEIRS[kind](x[rows], y[rows]).statistic
        for rows in chosen
        if len(set(x[rows])) > 1 and len(set(y[rows])) > 1
    ]
    value = OURS[kind](x, y)
    found = correlate(x, y, kind=kind, resamples=25, seed=seed)
    # 25 resamples are too few to cut a tail from.
    assert found.bootstrap_low == pytest.approx(min([*drawn, value]), abs=1e-9)
    assert found.bootstrap_high == pytest.approx(max([*drawn, value]), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(pairs=PAIRS)
def test_intervals_hold_the_value_and_the_columns_may_change_places(kind, pairs):
    x, y = varying(pairs)
    there = correlate(x, y, kind=kind, resamples=50)
    back = correlate(y, x, kind=kind, resamples=50)
    assert -1 <= there.low <= there.value + 1e-12
    assert there.value <= there.high + 1e-12 <= 1 + 1e-11
    assert there.bootstrap_low <= there.value <= there.bootstrap_high
    assert there.value == pytest.approx(back.value, abs=1e-12)


def test_fisher_interval_of_pearson_equals_that_of_scipy():
    x, y = [1, 2, 3, 4, 5, 6, 7], [2, 1, 4, 3, 7, 8, 5]
    found = correlate(x, y)
    expected = scipy.stats.pearsonr(x, y).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_interval_coverage_is_close_to_nominal(kind):
    draw = np.random.default_rng(3)
    truth = {  # of a bivariate normal with correlation 0.5
        "pearson": 0.5,
        "spearman": 6 / math.pi * math.asin(0.25),
        "kendall": 2 / math.pi * math.asin(0.5),
    }[kind]
    fisher = bootstrap = 0
    for _ in range(150):
        x = draw.normal(size=60)
        y = 0.5 * x + math.sqrt(0.75) * draw.normal(size=60)
        found = correlate(x, y, kind=kind, resamples=200)
        fisher += found.low <= truth <= found.high
        bootstrap += found.bootstrap_low <= truth <= found.bootstrap_high
    assert 135 <= fisher <= 149  # 142.5 expected, 2.7 standard deviation
    assert 132 <= bootstrap <= 149


@pytest.mark.parametrize("kind", KINDS)
def test_huge_and_tiny_values_do_not_overflow(kind):
    for scale in (1e300, 1e-300):
        x = [scale, 2 * scale, 3 * scale, 4 * scale]
        assert OURS[kind](x, [1, 2, 4, 3]) == pytest.approx(
            OURS[kind]([1, 2, 3, 4], [1, 2, 4, 3])
        )


@pytest.mark.parametrize("kind", KINDS)
def test_two_pairs_correlate_fully_with_the_widest_interval(kind):
    found = correlate([1, 2], [5, 9], kind=kind)
    assert found.value == pytest.approx(1.0)
    assert (found.low, found.high) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("x", "y", "complaint"),
    [
        ([1, 1, 1], [1, 2, 3], "first column has fewer than two different values"),
        ([1, 2, 3], [4, 4, 4], "second column has fewer than two different values"),
        ([], [], "first column"),
        ([1], [2], "first column"),
        ([1, 2], [1, 2, 3], "not 2 and 3 values"),
        ([1, 2, 3], [1, math.nan, 3], "second column's value 2 is not a number"),
        ([1, math.inf, 3], [1, 2, 3], "first column's value 2 is not a number"),
    ],
)
def test_columns_that_have_no_correlation_are_refused(x, y, complaint):
    with pytest.raises(ParaphrastError, match=complaint):
        pearson(x, y)


def test_unknown_kind_gets_a_hint():
    with pytest.raises(ParaphrastError, match="Did you mean 'kendall'"):
        correlate([1, 2], [3, 4], kind="kendal")
