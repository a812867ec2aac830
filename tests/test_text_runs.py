"""Runs of word numbers, and the steps over sorted arrays that they need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.estimators.matrix import find_sorted, mark_changes
from paraphrast.text.runs import Runs, lengths_of, starts_of
from paraphrast.text.strings import strings

WORDS = strings(["a", "b", "c"])
rows = st.lists(st.lists(st.integers(0, 2), max_size=4), max_size=8)


def runs_of(rows):
    flat = [number for row in rows for number in row]
    return Runs(starts_of(map(len, rows)), np.array(flat, np.uint32))


@given(rows)
def test_runs_come_back_as_they_were(rows):
    runs = runs_of(rows)
    assert list(runs) == rows
    assert runs.lengths().tolist() == lengths_of(runs.starts).tolist()
    assert runs.lengths().tolist() == [len(row) for row in rows]


@given(rows.filter(len), st.data())
def test_taken_runs_are_in_the_order_asked_for(rows, data):
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
    taken = runs_of(rows).take(np.array(chosen, np.int64))
    assert list(taken) == [rows[number] for number in chosen]


@given(rows)
def test_a_run_is_found_by_its_words(rows):
    ordered = sorted({tuple(row) for row in rows if row})
    runs = runs_of(ordered)
    for number, row in enumerate(ordered):
        assert runs.find([WORDS[word] for word in row], WORDS) == number


@pytest.mark.parametrize("words", [[], ["z"], ["b"], ["a", "b", "c"]])
def test_a_run_that_is_missing_is_not_found(words):
    assert runs_of([[0], [0, 1], [2]]).find(words, WORDS) is None


def test_sorted_values_are_found_or_not():
    ordered = np.array([2, 5, 9])
    assert find_sorted(ordered, np.array([9, 1, 5, 10])).tolist() == [2, -1, 1, -1]
    assert find_sorted(ordered[:0], np.array([1])).tolist() == [-1]


def test_a_row_that_differs_in_any_column_is_a_change():
    left, right = np.array([1, 1, 1, 2]), np.array([3, 3, 4, 4])
    assert mark_changes(left, right).tolist() == [True, False, True, True]
    assert mark_changes(left[:0]).tolist() == []
