"""N-grams in order, and their counts."""

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.text.ngrams import count_ngrams, ngrams

TOKENS = st.lists(st.sampled_from("abc"))


def test_runs_from_left_to_right():
    assert list(ngrams(["a", "b", "a"], 2)) == [("a", "b"), ("b", "a")]


@pytest.mark.parametrize("order", [1, 2, 5])
def test_a_text_that_is_too_short_has_none(order):
    assert list(ngrams([], order)) == []


@given(TOKENS, st.integers(1, 5))
def test_as_nltk_has_them(tokens, order):
    assert list(ngrams(tokens, order)) == list(nltk.ngrams(tokens, order))


@given(TOKENS, st.integers(1, 4))
def test_counts_add_up(tokens, longest):
    counts = count_ngrams(tokens, longest=longest)
    orders = range(1, longest + 1)
    assert counts.total() == sum(max(0, len(tokens) - n + 1) for n in orders)


def test_only_the_orders_asked_for_are_counted():
    counts = count_ngrams(["a", "a", "a"], shortest=2, longest=2)
    assert counts == {("a", "a"): 2}
