"""Resampling in blocks, paired tests on any metric, corrections for many tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from paraphrast.comparison.significance import (
    approximate_randomisation,
    benjamini_hochberg,
    holm,
    paired_bootstrap,
)
from paraphrast.errors import ParaphrastError
from paraphrast.estimators import bootstrap
from paraphrast.estimators.bootstrap import (
    bootstrap_sums,
    coin_sums,
    mean_interval,
    percentiles,
)
from paraphrast.metrics.base import Segment, mean_statistics, rows
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.diversity import LengthRatio
from paraphrast.metrics.pinc import Pinc
from paraphrast.metrics.scoring import interval

MEAN = Pinc()  # its statistics are (value, 1), its total the mean


@settings(max_examples=30, deadline=None)
@given(size=st.integers(1, 70), seed=st.integers(0, 99), block=st.integers(1, 900))
def test_blocks_give_the_resamples_of_one_draw(size, seed, block):
    statistics = np.arange(2.0 * size).reshape(size, 2)
    chosen = np.random.default_rng(seed).choice(size, size=(40, size), replace=True)
    coins = np.random.default_rng(seed).integers(2, size=(40, size), dtype=bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "_BLOCK", block)
        sums = bootstrap_sums(statistics, resamples=40, seed=seed)
        heads = coin_sums(statistics, trials=40, seed=seed)
    assert np.array_equal(sums, statistics[chosen].sum(axis=1))
    assert np.array_equal(heads, coins @ statistics)


def test_an_interval_leaves_out_a_fortieth_at_either_end():
    assert percentiles(np.arange(1000.0)) == (25.0, 974.0)
    assert percentiles(np.array([3.0])) == (3.0, 3.0)


@pytest.mark.parametrize("resamples", [-1, -1000])
def test_a_negative_number_of_resamples_is_refused(resamples):
    with pytest.raises(ParaphrastError, match="resamples must be at least 1"):
        interval(MEAN, mean_statistics([1.0, 2.0]), resamples=resamples)


def test_a_negative_seed_is_refused():
    with pytest.raises(ParaphrastError, match="seed must not be negative"):
        interval(MEAN, mean_statistics([1.0, 2.0]), seed=-1)


def test_the_interval_of_a_mean_is_that_of_the_normal_approximation():
    values = np.random.default_rng(2).normal(50, 10, size=400)
    low, high = interval(MEAN, mean_statistics(values), resamples=4000)
    reach = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx(
        (values.mean() - reach, values.mean() + reach), abs=0.15
    )


def judged(seed, shift, size=200):
    """Per-sentence products of three judges, as J is made of, and a shifted copy."""
    draw = np.random.default_rng(seed)
    first = draw.random(size) * draw.random(size) * draw.integers(0, 2, size)
    second = first + draw.normal(shift, 0.2, size)
    return mean_statistics(first), mean_statistics(second)


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.03, 0.1])
def test_randomisation_of_a_mean_is_the_sign_test_of_its_differences(shift):
    first, second = judged(4, shift)
    differences = second[:, 0] - first[:, 0]
    draw = np.random.default_rng(99)
    signs = draw.choice([-1, 1], size=(20_000, len(differences)))
    at_least = np.abs(signs @ differences) >= abs(differences.sum())
    (p,) = approximate_randomisation(MEAN, first, [second], trials=20_000)
    assert p == pytest.approx(at_least.mean(), abs=0.015)


def test_a_real_difference_is_found_and_chance_is_not():
    first, better = judged(5, 0.1)
    _, same = judged(5, 0.0)
    found = paired_bootstrap(MEAN, first, [better, same])
    assert found[0].p < 0.01
    assert found[0].low > 0
    assert found[1].p > 0.05
    assert found[1].low <= found[1].value <= found[1].high
    randomised = approximate_randomisation(MEAN, first, [better, same], trials=1000)
    assert randomised[0] < 0.01 < 0.05 < randomised[1]


def test_the_false_positive_rate_is_close_to_nominal():
    draw = np.random.default_rng(6)
    alarms = 0
    for seed in range(200):
        first, second = draw.normal(50, 10, size=(2, 40))
        (p,) = approximate_randomisation(
            MEAN,
            mean_statistics(first),
            [mean_statistics(second)],
            trials=199,
            seed=seed,
        )
        alarms += p <= 0.05
    assert 2 <= alarms <= 20  # 10 expected, 3.1 standard deviation


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-9])
def test_systems_that_are_equal_up_to_rounding_are_not_different(value):
    first = mean_statistics([value * k for k in range(50)])
    (p,) = approximate_randomisation(MEAN, first, [first], trials=100)
    (found,) = paired_bootstrap(MEAN, first, [first], resamples=100)
    assert p == found.p == 1.0
    assert found.value == 0


def test_one_changed_sentence_is_never_significant():
    first = mean_statistics([10.0, 20.0, 30.0, 40.0])
    second = mean_statistics([10.0, 20.0, 30.0, 90.0])
    (p,) = approximate_randomisation(MEAN, first, [second], trials=500)
    assert p == 1.0  # swapping it or not, the difference is as large
    (strict,) = approximate_randomisation(
        MEAN, first, [second], trials=500, ties="ignored"
    )
    assert strict == pytest.approx(1 / 501)  # which is what sacrebleu would say


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_results_do_not_depend_on_the_other_systems_or_their_order(test):
    segments = [
        [Segment(f"{'a b c d e '[: 2 * (n + k) % 10]} {n}", "a", ("a b c d",))]
        for n in range(9)
        for k in range(3)
    ]
    first, second, third = (
        rows(Bleu(), [s for (s,) in segments[k::3]]) for k in range(3)
    )
    together = test(Bleu(), first, [second, third])
    assert together[::-1] == test(Bleu(), first, [third, second])
    assert together[:1] == test(Bleu(), first, [second])


def test_an_empty_list_of_systems_gives_no_results():
    first = mean_statistics([1.0, 2.0])
    assert paired_bootstrap(MEAN, first, []) == []
    assert approximate_randomisation(MEAN, first, []) == []


def test_systems_of_unequal_length_are_refused_with_both_counts():
    with pytest.raises(ParaphrastError, match="system 2 has 3 segments but .* 2"):
        paired_bootstrap(
            LengthRatio(), np.ones((2, 2)), [np.ones((2, 2)), np.ones((3, 2))]
        )


# By hand: sorted .01 .02 .03 .04; Holm times 4 3 2 1, then never falling;
# Benjamini-Hochberg times 4/1 4/2 4/3 4/4, then never falling.
@pytest.mark.parametrize(
    ("p_values", "by_holm", "by_hochberg"),
    [
        ([0.01, 0.04, 0.03, 0.02], [0.04, 0.06, 0.06, 0.06], [0.04] * 4),
        ([0.001, 0.5], [0.002, 0.5], [0.002, 0.5]),
        ([0.9, 0.8], [1.0, 1.0], [0.9, 0.9]),
        ([0.02, 0.02, 0.5], [0.06, 0.06, 0.5], [0.03, 0.03, 0.5]),
        ([0.3], [0.3], [0.3]),
        ([], [], []),
        # The example of Benjamini and Hochberg (1995, section 3.2), rejected to .0095.
        (
            [0.0001, 0.0004, 0.0019, 0.0095, 0.0201],
            [0.0005, 0.0016, 0.0057, 0.0190, 0.0201],
            [0.0005, 0.0010, 0.0019 * 5 / 3, 0.0095 * 5 / 4, 0.0201],
        ),
    ],
)
def test_corrections_by_hand(p_values, by_holm, by_hochberg):
    assert holm(p_values) == pytest.approx(by_holm)
    assert benjamini_hochberg(p_values) == pytest.approx(by_hochberg)


@given(p_values=st.lists(st.floats(0, 1), max_size=12))
def test_corrections_never_help_and_keep_the_order(p_values):
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p_values)
        assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
        ranked = [q for _, q in sorted(zip(p_values, adjusted, strict=True))]
        assert ranked == sorted(ranked)


@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_false_discoveries_are_corrected_as_scipy_corrects_them(p_values):
    expected = false_discovery_control(p_values).tolist()
    assert benjamini_hochberg(p_values) == pytest.approx(expected)


def test_the_interval_of_a_mean_is_that_of_its_resampled_sums():
    values = np.random.default_rng(2).random(30)
    value, low, high = mean_interval(values, resamples=200, seed=5)
    sums = bootstrap_sums(mean_statistics(values), resamples=200, seed=5)
    drawn = np.append(sums[:, 0] / sums[:, 1], value)
    assert value == values.mean()
    assert (low, high) == pytest.approx(percentiles(drawn))
    assert low < value < high


def test_without_resamples_the_interval_of_a_mean_is_the_mean():
    assert mean_interval(np.array([1.0, 2.0]), resamples=0, seed=1) == (1.5, 1.5, 1.5)
