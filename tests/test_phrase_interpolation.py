"""Combining tables: mixtures and fill-up by hand, weights that held-out text likes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.interpolation import (
    completed,
    cross_entropy,
    filled_up,
    from_paraphrases,
    interpolated,
    learnt_weights,
)
from paraphrast.phrase.table import Option, PhraseTable

WAYS = (0.5, 0.3, 0.2, 0.2, 0.3, 0.5)


def table(*rows, scores=("phrase",)):
    options = [
        Option(tuple(a.split()), tuple(b.split()), tuple(np.atleast_1d(p)), count=n)
        for a, b, p, n in rows
    ]
    return PhraseTable.from_options(options, scores=scores)


ONE = table(("you", "thou", 0.75, 3), ("you", "thee", 0.25, 1), ("are", "art", 1.0, 2))
TWO = table(("you", "ye", 0.5, 1), ("you", "thou", 0.5, 1), ("your", "thy", 1.0, 1))


def shares(made, column=0):
    return {
        (" ".join(o.source), " ".join(o.target)): o.probabilities[column] for o in made
    }


def test_a_mixture_by_hand():
    made = interpolated([ONE, TWO], [3, 1])
    assert shares(made) == pytest.approx(
        {
            ("are", "art"): 1.0,  # only the first table knows "are"
            ("you", "thou"): 0.75 * 0.75 + 0.25 * 0.5,
            ("you", "thee"): 0.75 * 0.25,
            ("you", "ye"): 0.25 * 0.5,
            ("your", "thy"): 1.0,
        },
        abs=1e-5,
    )


def test_counts_add_up():
    (thou,) = [o for o in interpolated([ONE, TWO], [1, 1]).of(["you"]) if o.count == 4]
    assert thou.target == ("thou",)


def test_weights_may_differ_by_score():
    names = ("inverse phrase", "phrase")
    one = table(("a", "x", (0.2, 0.4), 1), scores=names)
    two = table(("a", "x", (0.6, 0.8), 1), scores=names)
    made = interpolated([one, two], {"inverse phrase": [1, 3], "phrase": [1, 1]})
    assert made.of(["a"])[0].probabilities == pytest.approx((0.5, 0.6))


def test_inverse_scores_are_given_the_target():
    names = ("inverse phrase", "phrase")
    one = table(("a", "x", (1.0, 1.0), 1), scores=names)
    two = table(("a", "y", (1.0, 1.0), 1), scores=names)
    made = interpolated([one, two], [1, 1])
    # Both know a, each gives half; x is known to the first alone.
    assert made.of(["a"])[0].probabilities == pytest.approx((1.0, 0.5))


def test_reordering_is_mixed_where_there_is_some():
    with_ways = PhraseTable.from_options(
        [Option(("a",), ("x",), (1.0,), WAYS)], scores=["phrase"]
    )
    without = table(("a", "x", 1.0, 1), ("b", "y", 1.0, 1))
    made = interpolated([without, with_ways], [1, 1])
    assert made.of(["a"])[0].reordering == pytest.approx(WAYS, abs=1e-5)
    assert made.of(["b"])[0].reordering == pytest.approx((1 / 3,) * 6, abs=1e-5)


def test_fill_up_keeps_the_first_and_marks_the_rest():
    made = filled_up([ONE, TWO])
    assert made.names == ("phrase", "from table 2")
    found = {(" ".join(o.source), " ".join(o.target)): o.probabilities for o in made}
    assert found["you", "thou"] == pytest.approx((0.75, 1.0))
    assert found["you", "ye"] == pytest.approx((0.5, math.e), abs=1e-4)
    assert found["your", "thy"] == pytest.approx((1.0, math.e), abs=1e-4)


def test_examples_of_other_corpora_are_forgotten():
    def numbered(word, example):
        row = Option(("a",), (word,), (1.0,), example=example)
        return PhraseTable.from_options([row], scores=["phrase"])

    made = filled_up([numbered("x", 3), numbered("y", 4)])
    assert {o.target: o.example for o in made} == {("x",): 3, ("y",): None}


def test_learnt_weights_by_hand():
    # Both options are certain in one table and unknown in the other: the best weights
    # are the shares of the held-out counts.
    one, two = table(("a", "x", 1.0, 1)), table(("a", "y", 1.0, 1))
    held_out = table(("a", "x", 1.0, 3), ("a", "y", 1.0, 1), ("b", "x", 1.0, 9))
    assert learnt_weights([one, two], held_out)["phrase"] == pytest.approx([0.75, 0.25])


def test_learnt_weights_beat_others_on_held_out_text():
    held_out = table(
        ("you", "thou", 0.5, 5), ("you", "thee", 0.5, 1), ("you", "ye", 0.5, 2)
    )
    best = learnt_weights([ONE, TWO], held_out)
    least = cross_entropy(interpolated([ONE, TWO], best), held_out)
    for first in np.linspace(0.02, 0.98, 25):
        mixed = interpolated([ONE, TWO], [first, 1 - first])
        assert least <= cross_entropy(mixed, held_out) + 1e-5


def test_paraphrases_become_a_table():
    rows = [("you are", "thou art", 0.5), ("you", "thou", 0.25), ("you", "thou", 0.25)]
    made = from_paraphrases(rows)
    assert shares(made) == {("you", "thou"): 0.5, ("you are", "thou art"): 0.5}


def test_completing_a_table_adds_the_standard_scores():
    made = completed(from_paraphrases([("a", "x", 0.5), ("b", "x", 0.25)]))
    assert made.names == ("inverse phrase", "inverse words", "phrase", "words")
    assert made.of(["a"])[0].probabilities == pytest.approx(
        (2 / 3, 2 / 3, 0.5, 0.5), abs=1e-5
    )


def test_tables_with_other_scores_are_refused():
    with pytest.raises(ParaphrastError, match="table 2 has the scores other"):
        filled_up([ONE, table(("a", "b", 1.0, 1), scores=("other",))])
    with pytest.raises(ParaphrastError, match="lacks 'phrase'"):
        completed(table(("a", "b", 1.0, 1), scores=("other",)))


@pytest.mark.parametrize("weights", [[1], [1, 0], [1, -1], [1, math.nan], {}])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ParaphrastError, match="as many weights above 0"):
        interpolated([ONE, TWO], weights)


def test_no_tables_and_foreign_held_out_pairs_are_refused():
    with pytest.raises(ParaphrastError, match="no phrase table"):
        interpolated([], [])
    with pytest.raises(ParaphrastError, match="no held-out phrase pair"):
        learnt_weights([ONE, TWO], table(("b", "x", 1.0, 9)))
    with pytest.raises(ParaphrastError, match="no held-out phrase pair"):
        cross_entropy(ONE, table(("b", "x", 1.0, 9)))


phrases = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)
rows = st.dictionaries(st.tuples(phrases, phrases), st.integers(1, 9), min_size=1)


@settings(deadline=None, max_examples=60)
@given(rows, rows)
def test_a_mixture_is_what_dictionaries_give(first, second):
    tables = [
        table(*((a, b, n / 10, n) for (a, b), n in each.items()))
        for each in (first, second)
    ]
    expected = {}
    for key in first.keys() | second.keys():
        parts = [(each.get(key, 0) / 10, any(key[0] == a for a, _ in each))
                 for each in (first, second)]  # fmt: skip
        weights = [w for w, (_, known) in zip((0.7, 0.3), parts, strict=True) if known]
        mixed = sum(w * p for w, (p, _) in zip((0.7, 0.3), parts, strict=True))
        expected[key] = mixed / sum(weights)
    made = interpolated(tables, [0.7, 0.3])
    assert shares(made) == pytest.approx(expected, rel=1e-4)
    sources = [o.source for o in made]
    assert sources == sorted(sources)
