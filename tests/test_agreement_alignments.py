"""Ĉ of alignments: the paper's example, the phrase pairs, simulated annotators."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import alignments
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import links_of
from paraphrast.align.phrase_pairs import divide_pairs
from paraphrast.errors import ParaphrastError
from paraphrast.study.chance_corrected import (
    Concordances,
    concordances,
    correct_for_chance,
    edit_lines,
    fit_edits,
)
from paraphrast.study.unit_sets import concordance, unit_sets

SOURCE, TARGET = (tuple(t.split()) for t in (alignments.SOURCE, alignments.TARGET))
SIZE = (len(SOURCE), len(TARGET))


def cells(column):
    return {
        (SOURCE.index(words[0]), TARGET.index(words[1]))
        for words in (line.split() for line in alignments.TABLE.split("\n") if line)
        if words[column] != "-"
    }


A, B = cells(2), cells(3)


def example(links, name=""):
    return AlignedPair(SOURCE, TARGET, links_of(links), name)


def grid(pair_cells, size=SIZE):
    found = np.zeros((1, *size), bool)
    for i, j in pair_cells:
        found[0, i, j] = True
    return found


def test_the_paper_s_arithmetic():
    assert correct_for_chance(0.571, 0.147) == pytest.approx(0.497, abs=5e-4)
    assert correct_for_chance(4 / 7, 0.259) == pytest.approx(
        0.422, abs=5e-4
    )  # prints 0.442
    assert correct_for_chance(0.571, 1.0) == -inf
    assert correct_for_chance(0.3, 0.3) == 0.0


def test_the_units_of_the_paper_s_example():
    first = unit_sets(grid(A), SOURCE, TARGET)
    second = unit_sets(grid(B), SOURCE, TARGET)
    sizes = {
        kind: ((first[kind] >= 0).sum(), (second[kind] >= 0).sum()) for kind in first
    }
    assert sizes["words"] == (11, 10)
    assert sizes["atomic phrases"] == (7, 7)  # as the definition has it
    shared = concordance(first["atomic phrases"], second["atomic phrases"])
    assert shared == pytest.approx([3 / 7])  # an-a, extensive-general, agreement-…


def test_edit_probabilities_of_the_paper_s_example():
    start = start_of_example()
    assert (len(A ^ start), len(B ^ start)) == (8, 9)
    lines = edit_lines({"A": [example(A)], "B": [example(B)]}, [links_of(start)])
    assert lines["A"](12, 13) == pytest.approx(0.0513, abs=5e-5)
    assert lines["B"](12, 13) == pytest.approx(0.0577, abs=5e-5)


def start_of_example():
    """Return an initial alignment that A changed in eight cells and B in nine.

    The paper does not print its own; this is one of those that fit.
    """
    words = "discussed-discussed the-the and-and .-. an-a extensive-general"
    pairs = [pair.split("-") for pair in f"{words} aspects-specific".split()]
    return {(SOURCE.index(one), TARGET.index(other)) for one, other in pairs}


def test_chance_in_the_paper_s_example_is_close_to_the_printed_value():
    found = concordances(
        {"A": [example(A)], "B": [example(B)]}, [links_of(start_of_example())]
    )
    (pair,) = found["atomic phrases"].values()
    assert pair.expected[0] == pytest.approx(0.147, abs=0.02)


def test_fewer_edits_by_one_annotator_raise_chance_and_none_by_both_make_it_certain():
    start = start_of_example()
    chance = {}
    for name, first, second in [
        ("both", A, B),
        ("one", start, B),
        ("none", start, start),
    ]:
        found = concordances(
            {"A": [example(first)], "B": [example(second)]}, [links_of(start)]
        )
        (pair,) = found["atomic phrases"].values()
        chance[name] = pair.expected[0]
    assert chance["both"] < chance["one"] < chance["none"] == pytest.approx(1.0)


words = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(tuple)


@given(words, words, st.data())
@settings(max_examples=300, deadline=None)
def test_units_are_the_phrase_pairs_of_the_aligner_s_definition(source, target, data):
    every = [(i, j) for i in range(len(source)) for j in range(len(target))]
    chosen = data.draw(st.sets(st.sampled_from(every)))
    pairs = divide_pairs(chosen)
    differing = [
        sum(source[a:b] != target[c:d] for a, b, c, d in spans)
        for spans in (pairs.atomic, pairs.atomic + pairs.composite)
    ]
    units = unit_sets(grid(chosen, (len(source), len(target))), source, target)
    found = [(units[kind] >= 0).sum() for kind in ("atomic phrases", "phrases")]
    assert found == differing
    assert (units["words"] >= 0).sum() == sum(source[i] != target[j] for i, j in chosen)


@given(words, words, st.data())
@settings(max_examples=200, deadline=None)
def test_concordance_is_that_of_the_sets(source, target, data):
    every = [(i, j) for i in range(len(source)) for j in range(len(target))]
    chosen = [data.draw(st.sets(st.sampled_from(every))) for _ in range(2)]
    sets = [
        {
            s
            for s in divide_pairs(one).atomic
            if source[s[0] : s[1]] != target[s[2] : s[3]]
        }
        for one in chosen
    ]
    smaller = min(map(len, sets))
    expected = (
        len(sets[0] & sets[1]) / smaller if smaller else float(sets[0] == sets[1])
    )
    units = [
        unit_sets(grid(one, (len(source), len(target))), source, target)[
            "atomic phrases"
        ]
        for one in chosen
    ]
    assert concordance(*units)[0] == pytest.approx(expected)


def test_an_empty_set_agrees_only_with_an_empty_set():
    none, one = np.array([[-1, -1]], np.int32), np.array([[3, -1]], np.int32)
    assert concordance(none, none) == 1.0
    assert concordance(none, one) == 0.0


def test_edits_are_fitted_by_a_line_over_the_combined_length():
    draw = np.random.default_rng(2)
    sizes = [tuple(size) for size in draw.integers(5, 40, size=(3_000, 2)).tolist()]
    truth = [0.002 + 0.0004 * (n + m) for n, m in sizes]
    changed = [
        int(draw.binomial(n * m, p)) for (n, m), p in zip(sizes, truth, strict=True)
    ]
    line = fit_edits(sizes, changed)
    assert line.intercept == pytest.approx(0.002, abs=0.001)
    assert line.slope == pytest.approx(0.0004, rel=0.05)


def test_a_fitted_line_gives_only_valid_probabilities():
    line = fit_edits([(2, 2), (30, 30)], [3, 0])
    assert line(100, 100) == 0.0
    assert fit_edits([(3, 3), (3, 3)], [0, 0])(3, 3) == 0.0
    assert fit_edits([(3, 3), (3, 3)], [9, 9])(3, 3) == 1.0


def simulated(agreeing, *, pairs=400, seed=7):
    """Simulate two annotators who agree with this probability, else by chance."""
    draw = np.random.default_rng(seed)
    made = {"A": [], "B": []}
    initial = []
    for number in range(pairs):
        rows, columns = draw.integers(4, 9, 2)
        source = tuple(f"s{n}" for n in range(rows))
        target = tuple(f"t{n}" for n in range(columns))
        start = np.eye(rows, columns, dtype=bool)
        change = 0.02 + 0.004 * (rows + columns)
        first, second = (start ^ (draw.random(start.shape) < change) for _ in range(2))
        if draw.random() < agreeing:
            second = first
        for name, found in (("A", first), ("B", second)):
            links = links_of(map(tuple, np.argwhere(found).tolist()))
            made[name].append(AlignedPair(source, target, links, str(number)))
        initial.append(links_of((n, n) for n in range(min(rows, columns))))
    return made, initial


@pytest.mark.parametrize("agreeing", [0.0, 0.4, 0.8, 1.0])
def test_simulated_annotators_agree_as_much_as_they_were_told_to(agreeing):
    found = concordances(*simulated(agreeing), samples=100)
    for kind, twos in found.items():
        total = twos["A", "B"].total()
        assert total.value == pytest.approx(agreeing, abs=0.07), kind
        assert total.low - 0.02 <= agreeing <= total.high + 0.02, kind


def test_raw_agreement_would_flatter_annotators_who_change_little():
    found = concordances(*simulated(0.0), samples=50)
    total = found["atomic phrases"]["A", "B"].total()
    assert total.observed > 0.15
    assert abs(total.value) < 0.07


def test_equal_seeds_draw_equal_samples():
    made, initial = simulated(0.5, pairs=20)
    runs = [concordances(made, initial, samples=20, seed=seed) for seed in (1, 1, 2)]
    means = [run["words"]["A", "B"].expected.mean() for run in runs]
    assert means[0] == means[1] != means[2]


def test_swapping_the_sides_of_all_pairs_changes_nothing_that_was_observed():
    made, initial = simulated(0.5, pairs=30)
    turned = {
        name: [
            AlignedPair(
                pair.target,
                pair.source,
                links_of((link.target, link.source) for link in pair.links),
            )
            for pair in pairs
        ]
        for name, pairs in made.items()
    }
    there = concordances(made, initial, samples=1)
    back = concordances(turned, initial, samples=1)  # the diagonal is its own mirror
    for kind in there:
        expected = there[kind]["A", "B"].observed
        assert back[kind]["A", "B"].observed == pytest.approx(expected)


def test_every_pair_of_three_annotators_is_compared():
    made, initial = simulated(0.5, pairs=5)
    found = concordances(made | {"C": made["A"]}, initial, samples=2, kinds=("words",))
    assert list(found["words"]) == [("A", "B"), ("A", "C"), ("B", "C")]
    assert found["words"]["A", "C"].observed == pytest.approx(np.ones(5))


def test_corpus_figure_is_made_of_corpus_means():
    pair = Concordances(np.array([1.0, 0.5]), np.array([0.0, 0.5]))
    assert pair.total().value == pytest.approx((0.75 - 0.25) / 0.75)  # not the mean 0.5
    assert pair.total([1]).value == 0.0


@pytest.mark.parametrize(
    ("annotations", "initial", "complaint"),
    [
        ({"A": [example(A)]}, [()], "at least two annotators"),
        ({"A": [example(A)], "B": []}, [()], "'B' aligned 0 sentence pairs"),
        (
            {"A": [example(A, "7")], "B": [AlignedPair(("a",), ("b",), (), "7")]},
            [()],
            "sentence pair 7 differs",
        ),
        (
            {"A": [AlignedPair((), ("b",))], "B": [AlignedPair((), ("b",))]},
            [()],
            "sentence pair 1 has an empty side",
        ),
    ],
)
def test_mismatched_annotations_are_refused(annotations, initial, complaint):
    with pytest.raises(ParaphrastError, match=complaint):
        concordances(annotations, initial)
