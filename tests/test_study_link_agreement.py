"""Agreement on links: kappa over cells and F1, with sentence pairs resampled."""

import math
import random

import pytest
from sklearn.metrics import cohen_kappa_score

from paraphrast.align.base import AlignedPair, Link
from paraphrast.errors import ParaphrastError
from paraphrast.study.link_agreement import compare_links

WORDS = (("a", "b"), ("c", "d"))


def pair(*links):
    return AlignedPair(*WORDS, tuple(Link(i, j, sure=sure) for i, j, sure in links))


def test_equal_links_agree_fully():
    mine = [pair((0, 0, True), (1, 1, False)), pair((0, 1, True))]
    found = compare_links(mine, mine)
    assert found.pairs == 2
    for figure in (found.kappa, found.f1_sure, found.f1_all):
        assert (figure.value, figure.low, figure.high) == (1, 1, 1)


def test_f1_counts_sure_links_alone_and_all_of_them():
    first = [pair((0, 0, True), (1, 1, True))]
    second = [pair((0, 0, True), (1, 1, False), (0, 1, False))]
    found = compare_links(first, second)
    assert found.f1_sure.value == pytest.approx(2 * 1 / (2 + 1))
    assert found.f1_all.value == pytest.approx(2 * 2 / (2 + 3))


def test_kappa_is_that_of_sklearn_over_all_cells():
    draw = random.Random(1)
    sides = [[], []]
    labels = [[], []]
    for _ in range(30):
        for side, codes in zip(sides, labels, strict=True):
            cells = [(i, j, draw.choice("nnsp")) for i in (0, 1) for j in (0, 1)]
            codes += [label for *_, label in cells]
            side.append(pair(*((i, j, k == "s") for i, j, k in cells if k != "n")))
    found = compare_links(*sides).kappa
    assert found.value == pytest.approx(cohen_kappa_score(*labels))
    assert found.low < found.value < found.high


def test_kappa_is_not_defined_where_nobody_linked_anything():
    assert math.isnan(compare_links([pair()], [pair()]).kappa.value)
    assert compare_links([pair()], [pair()]).f1_all.value == 1


def test_agreement_on_nothing_is_refused():
    with pytest.raises(ParaphrastError, match="no sentence pair"):
        compare_links([], [])
