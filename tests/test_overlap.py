"""What two sentences have in common, against the definitions and scipy."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from paraphrast.text.overlap import (
    Overlap,
    kendall_tau,
    ngram_overlap,
    share_shuffled,
    shared_order,
    unigram_overlap,
    words,
)

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat, an old one, sat!", ["cat", "old", "one", "sat"]),
        ("It's a well-known theme", ["its", "wellknown", "theme"]),
        ("A-the an.", ["athe"]),  # punctuation goes before articles do
        ("the\u2019s", ["\u2019s"]),  # a curly quote stays, and ends a word
        ("a\x00the b", ["\x00", "b"]),  # so does any other odd character
        ("ÉTÉ\u00a0the été", ["été", "été"]),
        ("a an the", []),
        ("", []),
    ],
)
def test_words_are_those_of_squad(text, expected):
    assert words(text) == expected


@given(st.text() | st.text(alphabet="aAn tThHe.,-'\x00\t\u2019é"))
def test_words_follow_the_definition_step_by_step(text):
    lower = text.lower()
    bare = "".join(c for c in lower if c not in set(string.punctuation))
    assert words(text) == re.sub(r"\b(a|an|the)\b", " ", bare).split()


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a b c", "a b c", (1, 1, 1)),
        ("a b c d", "a x", (1 / 2, 1 / 4, 1 / 3)),
        ("a a b", "a a a", (2 / 3, 2 / 3, 2 / 3)),  # shared as often as both have it
        ("a", "b", (0, 0, 0)),
        ("a", "", (0, 0, 0)),
        ("", "", (1, 1, 1)),  # as in SQuAD
    ],
)
def test_unigram_overlap(source, target, expected):
    assert unigram_overlap(source.split(), target.split()) == pytest.approx(expected)


@given(WORDS, WORDS)
def test_unigram_overlap_counts_like_bags(source, target):
    shared = (Counter(source) & Counter(target)).total()
    if shared:
        precision, recall = shared / len(target), shared / len(source)
        f1 = 2 * precision * recall / (precision + recall)
        expected = Overlap(precision, recall, f1)
        assert unigram_overlap(source, target) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a b c d", "a b c x", 1 / 2),
        ("a b c", "x y a b c z", 1.0),  # a copy inside a longer sentence is a copy
        ("a a a a", "a a a", 1.0),  # 1 of 1, although the source has two
        ("a a a a", "a a a a b", 1.0),
        ("a b", "a b", 0.0),  # no trigrams at all
        ("", "", 0.0),
    ],
)
def test_trigram_overlap(source, target, expected):
    assert ngram_overlap(source.split(), target.split()) == pytest.approx(expected)


@given(WORDS, WORDS, st.integers(1, 4))
def test_ngram_overlap_is_symmetric_and_counts_like_bags(source, target, order):
    def grams(tokens):
        places = range(len(tokens) - order + 1)
        return Counter(tuple(tokens[i : i + order]) for i in places)

    fewer = min(grams(source).total(), grams(target).total())
    shared = (grams(source) & grams(target)).total()
    expected = shared / fewer if fewer > 0 else 0.0
    assert ngram_overlap(source, target, order=order) == pytest.approx(expected)
    assert ngram_overlap(target, source, order=order) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a b c", "a b c", 0.0),
        ("a b c", "c b a", 1.0),
        ("a b c d", "b a d c", 2 / 6),  # two of six pairs swapped
        ("x a y b", "b z a", 1.0),  # only shared words count
        ("a", "a", 1.0),  # fewer than two shared words count as reversed
        ("", "", 1.0),
    ],
)
def test_shuffled_is_the_share_of_swapped_pairs(source, target, expected):
    assert share_shuffled(source.split(), target.split()) == pytest.approx(expected)


def test_a_repeated_word_is_matched_in_order_of_occurrence():
    assert shared_order(["a", "b", "a"], ["a", "a", "b", "a"]) == [0, 2, 1]


@given(st.permutations(range(9)))
def test_tau_agrees_with_scipy(order):
    source = [str(place) for place in range(9)]
    target = [str(place) for place in order]
    positions = [target.index(word) for word in source]
    expected = kendalltau(range(9), positions, variant="b").statistic
    assert kendall_tau(source, target) == pytest.approx(expected)


@given(WORDS, WORDS)
def test_tau_of_repeated_words_agrees_with_marking_them_off_one_by_one(source, target):
    left = list(target)
    places = []
    for word in source:
        if word in left:
            places.append(left.index(word))
            left[places[-1]] = None
    expected = kendalltau(range(len(places)), places).statistic if places[1:] else -1
    assert kendall_tau(source, target) == pytest.approx(expected)


def test_a_very_long_line_takes_no_quadratic_time():
    forwards = [str(number) for number in range(100_000)]
    assert kendall_tau(forwards, forwards) == 1.0
    assert kendall_tau(forwards[:30_000], forwards[:30_000][::-1]) == -1.0
