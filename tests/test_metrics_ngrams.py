"""Shared n-grams, against dictionaries of them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.metrics import ngrams
from paraphrast.metrics.ngrams import (
    count_shared,
    encode_characters,
    encode_words,
    possible,
)

TEXT = st.text("aab ", max_size=12)
CORPUS = st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=3)), min_size=1, max_size=6)


def counted(text, order):
    return Counter(text[i : i + order] for i in range(len(text) - order + 1))


@settings(max_examples=150, deadline=None)
@given(corpus=CORPUS, order=st.integers(1, 6), block=st.integers(1, 6))
def test_shared_ngrams_are_clipped_by_the_best_reference(corpus, order, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_SEGMENTS", block)
        found = count_shared(
            [encode_characters(output) for output, _ in corpus],
            [[encode_characters(text) for text in known] for _, known in corpus],
            order=order,
        )
    for row, (output, known) in zip(found, corpus, strict=True):
        for n in range(1, order + 1):
            most = Counter()
            for text in known:
                most |= counted(text, n)
            assert row[n - 1] == (counted(output, n) & most).total()


@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_possible_ngrams_follow_from_the_length(lengths):
    found = possible(np.array(lengths), order=4)
    assert found.tolist() == [
        [counted("x" * length, n).total() for n in range(1, 5)] for length in lengths
    ]


def test_a_word_has_one_number_in_all_texts():
    first, second, third = encode_words([["a", "b", "a"], [], ["b", "c"]])
    assert first.tolist() == [0, 1, 0]
    assert second.tolist() == []
    assert third.tolist() == [1, 2]


def test_lone_surrogates_can_be_encoded():
    assert encode_characters("a\udcff").tolist() == [97, 0xDCFF]
