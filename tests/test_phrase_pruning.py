"""Pruning: Fisher's test in whole numbers and by hand, what stays and what goes."""

from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import from_options
from paraphrast.phrase.coded_corpus import encode_pairs
from paraphrast.phrase.pruning import fisher, limit_options, significance, significant
from paraphrast.phrase.table import Option

CORPUS = encode_pairs(
    [
        (tuple(one.split()), tuple(two.split()))
        for one, two in [
            ("you go", "thou goest"),
            ("you", "thou"),
            ("go you", "go thou"),
            ("go", "go"),
            ("you you", "thee"),
        ]
    ]
)


def table(*pairs):
    return from_options(
        [Option(tuple(a.split()), tuple(b.split()), (p,)) for a, b, p in pairs],
        scores=["phrase"],
    )


def one(number):
    return np.array([number], np.int64)


@settings(deadline=None)
@given(st.data())
def test_fishers_test_agrees_with_exact_integers(data):
    total = data.draw(st.integers(1, 200))
    source = data.draw(st.integers(1, total))
    target = data.draw(st.integers(1, total))
    both = data.draw(st.integers(max(0, source + target - total), min(source, target)))
    ways = sum(
        comb(source, k) * comb(total - source, target - k)
        for k in range(both, min(source, target) + 1)
    )
    expected = log(comb(total, target)) - log(ways)
    result = fisher(one(both), one(source), one(target), total=total)
    assert result[0] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_two_phrases_seen_once_and_together_get_alpha():
    assert fisher(one(1), one(1), one(1), total=5000)[0] == pytest.approx(np.log(5000))


def test_extreme_counts_give_finite_scores():
    apart = fisher(one(1), one(40_000), one(40_000), total=100_000)
    assert apart[0] == 0
    together = fisher(one(40_000), one(40_000), one(40_000), total=100_000)
    assert together[0] > 60_000


def test_phrases_are_counted_in_sentence_pairs_linked_or_not():
    made = table(("you", "thou", 0.5), ("you", "thee", 0.4), ("go", "go", 0.9))
    # you in 4 of 5 pairs, thou in 3, both in 3: C(4,3) / C(5,3) = 4/10
    # you 4, thee 1, both 1 (twice in its sentence): 4/5; go 3, go 2, both 2: 3/10
    expected = {"thou": 4 / 10, "thee": 4 / 5, "go": 3 / 10}
    for option, result in zip(made, significance(made, CORPUS), strict=True):
        assert np.exp(-result) == pytest.approx(expected[option.target[0]])


def test_words_that_the_corpus_does_not_know_are_never_significant():
    made = table(("you", "ye", 0.5), ("hello", "thou", 0.5))
    assert significance(made, CORPUS).tolist() == [0, 0]


def test_the_thresholds_differ_on_pairs_seen_once():
    made = table(("you go", "thou goest", 0.5), ("you", "thee", 0.4))
    kept = significant(made, CORPUS, threshold="alpha-epsilon")
    assert [option.source for option in kept] == [("you", "go")]
    assert len(significant(made, CORPUS, threshold="alpha+epsilon")) == 0
    assert len(significant(made, CORPUS, threshold=0.0)) == 2


def test_a_limit_keeps_the_likeliest_of_each_phrase():
    made = table(("a", "x", 0.2), ("a", "y", 0.5), ("a", "z", 0.3), ("b", "x", 0.1))
    kept = limit_options(made, 2)
    assert [option.target[0] for option in kept] == ["y", "z", "x"]


@pytest.mark.parametrize("threshold", ["alpha", float("nan")])
def test_an_unknown_threshold_is_refused(threshold):
    with pytest.raises(ParaphrastError, match="unknown threshold"):
        significant(table(("a", "b", 0.5)), CORPUS, threshold=threshold)


def test_a_limit_of_zero_is_refused():
    with pytest.raises(ParaphrastError, match="at least 1 option"):
        limit_options(table(("a", "b", 0.5)), 0)


@pytest.mark.parametrize("options", [[1], [0, 0]])
def test_compiled_code_checks_its_arrays_too(options):
    words, starts = np.zeros(1, np.uint32), np.array([0, 1])
    with pytest.raises(ValueError):
        _native.cooccurrences(
            words, starts, words, starts, words, starts, words, starts,
            np.array(options, np.uint32), np.zeros(1, np.uint32),
        )  # fmt: skip
