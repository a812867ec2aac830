"""The longest common subsequence: cases by hand, and rapidfuzz's answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from paraphrast.text.common_subsequence import matching_indices, similarity

LETTERS = st.text("abcé", max_size=80)


@pytest.mark.parametrize(
    ("first", "second", "matches"),
    [
        ("", "", []),
        ("abc", "", []),
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abcd", "axd", [(0, 0), (3, 2)]),
        ("xab", "aby", [(1, 0), (2, 1)]),
    ],
)
def test_matches_of_short_sequences(first, second, matches):
    assert matching_indices(first, second) == matches


@given(LETTERS, LETTERS)
def test_matches_and_ties_are_those_of_rapidfuzz(first, second):
    expected = [
        (block.src_start + step, block.dest_start + step)
        for block in Indel.opcodes(first, second)
        if block.tag == "equal"
        for step in range(block.src_end - block.src_start)
    ]
    assert matching_indices(first, second) == expected


@given(LETTERS, LETTERS)
def test_similarity_is_that_of_rapidfuzz(first, second):
    assert similarity(first, second) == Indel.normalized_similarity(first, second)
