"""Agreement of alignments: the paper's example, and values by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignments import annotators, cells
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import links_of
from paraphrast.align.measures import (
    Counts,
    corpus_counts,
    macro,
    micro,
    phrase_counts,
    word_counts,
)
from paraphrast.errors import ParaphrastError

A, B = annotators()


def pair(sure=(), possible=(), words="a b c"):
    source = tuple(words.split())
    target = tuple(word.upper() for word in source)
    return AlignedPair(source, target, links_of(sure, possible))


def test_words_of_figure_2_are_as_printed():
    counts = word_counts(A, B)
    assert counts == Counts(4, 4, 4, 5)
    assert micro([counts]).precision == 1
    assert micro([counts]).recall == pytest.approx(0.8)
    assert round(micro([counts]).f1, 2) == 0.89


def test_phrases_of_figure_2_follow_the_definition():
    # As printed but for recall: the paper has 4/8, see docs/alignment.md.
    assert phrase_counts(A, B, labels="possible") == Counts(5, 7, 3, 7)


def test_identical_words_may_be_kept():
    assert word_counts(A, B, identical="kept") == Counts(8, 8, 8, 9)
    assert phrase_counts(A, B, labels="possible", identical="kept") == Counts(
        9, 11, 7, 11
    )


def test_possible_links_are_neither_punished_nor_demanded():
    gold = pair(sure=[(0, 0)], possible=[(1, 1)])
    assert word_counts(pair(sure=[(0, 0)]), gold) == Counts(1, 1, 1, 1)
    assert word_counts(pair(sure=[(0, 0), (1, 1)]), gold) == Counts(2, 2, 1, 1)
    assert word_counts(pair(possible=[(0, 0)]), gold) == Counts(0, 0, 1, 1)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("sure", Counts(1, 2, 1, 2)),
        ("possible", Counts(3, 3, 3, 3)),
        ("asymmetric", Counts(2, 2, 2, 2)),
    ],
)
def test_labels_choose_what_is_compared(labels, expected):
    system = pair(sure=[(0, 0), (1, 1)], possible=[(2, 2)])
    gold = pair(sure=[(0, 0), (2, 2)], possible=[(1, 1)])
    assert word_counts(system, gold, labels=labels) == expected


def test_phrases_use_sure_atoms_and_possible_pairs_when_asymmetric():
    system = pair(sure=[(0, 0), (1, 1)])
    gold = pair(sure=[(0, 0)], possible=[(1, 1)])
    assert phrase_counts(system, gold) == Counts(2, 2, 1, 1)
    assert phrase_counts(system, gold, labels="sure") == Counts(1, 2, 1, 1)


def test_an_atom_counts_when_the_other_side_composes_it():
    system = pair(sure=[(0, 0), (0, 1), (1, 0)], words="a b")
    gold = pair(sure=[(0, 0), (1, 1)], words="a b")
    assert phrase_counts(system, gold) == Counts(1, 1, 0, 2)


def test_micro_adds_counts_and_macro_averages_pairs():
    counts = [Counts(1, 1, 1, 1), Counts(0, 3, 0, 1)]
    assert micro(counts).precision == pytest.approx(1 / 4)
    assert macro(counts).precision == pytest.approx(1 / 2)
    assert micro(counts).recall == macro(counts).recall == pytest.approx(1 / 2)
    assert macro(counts).f1 == pytest.approx(1 / 2)


def test_error_rate_is_that_of_och_and_ney():
    # |A| = 4, |S| = 2, |A and S| = 1, |A and P| = 3
    assert Counts(3, 4, 1, 2).error_rate == pytest.approx(1 - 4 / 6)


def test_an_empty_alignment_has_full_precision_and_no_recall():
    assert macro([word_counts(pair(), pair())]).f1 == 1
    silent = macro([word_counts(pair(), pair(sure=[(0, 0)]))])
    assert (silent.precision, silent.recall, silent.f1) == (1, 0, 0)


def test_no_pairs_are_refused():
    with pytest.raises(ParaphrastError, match="no sentence pair"):
        macro([])


@given(cells(), st.sampled_from(["words", "phrases"]))
def test_an_alignment_agrees_with_itself(drawn, level):
    rows, columns, links = drawn
    one = AlignedPair(("a",) * rows, ("b",) * columns, links_of(links))
    [counts] = corpus_counts([one], [one], level=level)
    assert micro([counts]).f1 == 1
    assert counts.error_rate == 0


@given(cells(), st.randoms(use_true_random=False))
def test_precision_one_way_is_recall_the_other(drawn, draw):
    rows, columns, links = drawn
    fewer = [cell for cell in sorted(links) if draw.random() < 0.5]
    one, other = (
        AlignedPair(("a",) * rows, ("b",) * columns, links_of(some))
        for some in (fewer, links)
    )
    there = phrase_counts(one, other)
    back = phrase_counts(other, one)
    assert (there.precision, there.recall) == (back.recall, back.precision)
