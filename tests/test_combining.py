"""The best texts are the best sums over sentences."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from paraphrast.rewriter import Change, Kept, Rewrite
from paraphrast.rewriting.sections import combine

OPTIONS = st.lists(
    st.lists(
        st.builds(Rewrite, st.text("ab", min_size=1, max_size=2), st.integers(-9, 9)),
        min_size=1,
        max_size=3,
        unique_by=lambda rewrite: rewrite.text,
    ),
    min_size=1,
    max_size=4,
)


@given(OPTIONS, st.integers(1, 5))
def test_scores_equal_those_of_trying_every_choice(options, number):
    sums = sorted(
        (sum(choice.score for choice in choices) for choices in product(*options)),
        reverse=True,
    )
    found = combine(options, number)
    assert found[0].score == sums[0]
    assert 1 <= len(found) <= number
    assert len({rewrite.text for rewrite in found}) == len(found)
    assert [r.score for r in found] == sorted((r.score for r in found), reverse=True)


def test_changes_of_all_sentences_are_kept_in_order():
    first = Change(0, 1, "i", "I", "capital")
    second = Change(5, 6, "u", "you", "slang")
    options = [
        [Rewrite("I", 1, (first,))],
        [Rewrite(" see ")],
        [Rewrite("you", 1, (second,))],
    ]
    assert combine(options, 3) == [Rewrite("I see you", 2, (first, second))]


def test_no_sentences_give_the_empty_text():
    assert combine([], 2) == [Rewrite("", 0.0)]


def test_ties_are_broken_in_favour_of_earlier_choices():
    options = [[Rewrite("a", 1), Rewrite("b", 1)], [Rewrite("c"), Rewrite("d")]]
    assert [r.text for r in combine(options, 3)] == ["ac", "ad", "bc"]


def test_a_text_that_arises_twice_is_returned_once():
    options = [[Rewrite("a", 2), Rewrite("ab", 1)], [Rewrite("b", 2), Rewrite("", 1)]]
    assert [(r.text, r.score) for r in combine(options, 4)] == [
        ("ab", 4),
        ("a", 3),
        ("abb", 3),
    ]


def test_steps_guards_and_kept_sentences_are_joined():
    first = Rewrite("C.", steps=("A.", "B."), guards=("names", "loops"))
    second = Rewrite(" ")
    third = Rewrite("F.", steps=("E.",), guards=("names",), kept=(Kept("F.", "so"),))
    (joined,) = combine([[first], [second], [third]], 1)
    assert joined.text == "C. F."
    assert joined.steps == ("A. E.", "B. F.")
    assert joined.guards == ("names", "loops")
    assert joined.kept == (Kept("F.", "so"),)
