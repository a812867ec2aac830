"""Edits of a text: two rounds of them do the same as their chain."""

from hypothesis import given
from hypothesis import strategies as st

from paraphrast.rewriter import Change
from paraphrast.rules.edits import apply_changes, compose_changes, move_spans
from paraphrast.text.spans import Span


@st.composite
def edits(draw, text):
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    changes = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        after = draw(st.text("xyz", max_size=3))
        if text[start:end] != after:
            changes.append(Change(start, end, text[start:end], after, "r"))
    return changes


@given(st.data(), st.text("abc ", max_size=20))
def test_a_chain_of_edits_equals_both_in_turn(data, text):
    first = data.draw(edits(text))
    middle = apply_changes(text, first)
    second = data.draw(edits(middle))
    chain = compose_changes(text, first, second)
    assert apply_changes(text, chain) == apply_changes(middle, second)
    at = 0
    for change in chain:
        assert at <= change.start
        assert text[change.start : change.end] == change.before
        at = change.end


def test_edits_that_overlap_become_one_named_after_both():
    first = [Change(0, 2, "im", "I am", "contraction")]
    second = [Change(2, 4, "am", "was", "tense")]
    assert compose_changes("im ok", first, second) == [
        Change(0, 2, "im", "I was", "contraction, tense")
    ]


def test_edits_beside_each_other_stay_apart():
    first = [Change(0, 1, "a", "x", "one")]
    second = [Change(1, 2, "b", "y", "two")]
    assert compose_changes("ab", first, second) == [*first, *second]


def test_a_span_moves_with_the_text_before_it():
    changes = [Change(0, 1, "u", "you", "slang"), Change(5, 6, "r", "are", "slang")]
    assert move_spans([Span(2, 4, "term")], changes) == (Span(4, 6, "term"),)
