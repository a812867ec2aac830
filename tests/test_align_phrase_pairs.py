"""Phrase pairs: the paper's example, and every small alignment by brute force."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignments import annotators, cells
from paraphrast.align.links import possible_cells, sure_cells
from paraphrast.align.phrase_pairs import (
    batch_spans,
    divide_pairs,
    loose_phrase_pairs,
    phrase_pairs,
)


def spans(words):
    return [(a, b) for a in range(words) for b in range(a + 1, words + 1)]


def consistent(cells, rows, columns):
    """Say the definition: some link inside, none that crosses the border."""
    result = []
    for (a, b), (c, d) in product(spans(rows), spans(columns)):
        inside = [(a <= i < b, c <= j < d) for i, j in cells]
        if (True, True) in inside and all(x == y for x, y in inside):
            result.append((a, b, c, d))
    return result


def tight(cells, rows, columns):
    sources, targets = {i for i, _ in cells}, {j for _, j in cells}
    return [
        (a, b, c, d)
        for a, b, c, d in consistent(cells, rows, columns)
        if {a, b - 1} <= sources and {c, d - 1} <= targets
    ]


def covers(parts, whole):
    a, b, c, d = whole
    rows = sorted(i for part in parts for i in range(part[0], part[1]))
    columns = sorted(j for part in parts for j in range(part[2], part[3]))
    return rows == list(range(a, b)) and columns == list(range(c, d))


def is_composite(whole, pairs):
    a, b, c, d = whole
    inside = [p for p in pairs if a <= p[0] and p[1] <= b and p != whole]
    most = min(b - a, d - c)
    return any(
        covers(parts, whole)
        for size in range(2, most + 1)
        for parts in combinations(inside, size)
    )


def phrases(pair, spans):
    return {
        (" ".join(pair.source[a:b]), " ".join(pair.target[c:d])) for a, b, c, d in spans
    }


def different(phrases):
    return {(one, other) for one, other in phrases if one != other}


@given(cells())
def test_tight_pairs_are_those_of_the_definition(drawn):
    rows, columns, links = drawn
    assert phrase_pairs(links) == tight(links, rows, columns)


@given(cells(longest=5))
def test_a_pair_is_composite_if_smaller_ones_cover_it(drawn):
    rows, columns, links = drawn
    pairs = tight(links, rows, columns)
    result = divide_pairs(links)
    assert result.composite == [p for p in pairs if is_composite(p, pairs)]
    assert sorted(result.atomic + result.composite) == pairs


@given(cells(longest=5), st.integers(1, 5))
def test_loose_pairs_are_all_consistent_ones_up_to_a_length(drawn, longest):
    rows, columns, links = drawn
    expected = [
        (a, b, c, d)
        for a, b, c, d in consistent(links, rows, columns)
        if b - a <= longest and d - c <= longest
    ]
    assert loose_phrase_pairs(links, rows, columns, longest=longest) == expected


@given(cells(), st.integers(1, 4))
def test_a_longest_length_only_leaves_longer_pairs_out(drawn, longest):
    _, _, links = drawn

    def short(pairs):
        return [(a, b, c, d) for a, b, c, d in pairs if max(b - a, d - c) <= longest]

    assert phrase_pairs(links, longest=longest) == short(phrase_pairs(links))
    assert divide_pairs(links, longest=longest).atomic == short(
        divide_pairs(links).atomic
    )


@given(cells())
def test_the_two_sides_are_symmetric(drawn):
    _, _, links = drawn
    turned = divide_pairs([(j, i) for i, j in links])
    back = sorted((c, d, a, b) for a, b, c, d in turned.atomic)
    assert divide_pairs(links).atomic == back


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_any_order_of_single_words_is_composite(order):
    # 2413 and 3142 cannot be halved: four parts at once cover the whole.
    result = divide_pairs(list(enumerate(order)))
    assert len(result.atomic) == 4
    assert (0, 4, 0, 4) in result.composite


@pytest.mark.parametrize("links", [[], [(3, 3)]])
def test_few_links_give_few_pairs(links):
    assert phrase_pairs(links) == [(i, i + 1, j, j + 1) for i, j in links]


def test_figure_2_annotator_a_has_seven_atomic_pairs():
    pair, _ = annotators()
    result = divide_pairs(possible_cells(pair.links)).atomic
    assert different(phrases(pair, result)) == {
        ("they", "parties"),
        ("aspects in detail", "specific issues"),
        ("reached", "arrived"),
        ("reached an", "arrived at a"),
        ("an", "a"),
        ("extensive", "general"),
        ("agreement", "consensus"),
    }


def test_figure_2_annotator_b_has_seven_atomic_pairs():
    # The paper counts an eighth, reached - arrived, though B links reached to at too.
    _, pair = annotators()
    result = divide_pairs(possible_cells(pair.links)).atomic
    assert different(phrases(pair, result)) == {
        ("they", "both parties"),
        ("in detail", "specific"),
        ("aspects", "issues"),
        ("reached", "arrived at"),
        ("an", "a"),
        ("extensive", "general"),
        ("agreement", "consensus"),
    }


def test_figure_2_composite_pairs_of_table_2():
    first, second = (
        phrases(pair, divide_pairs(possible_cells(pair.links)).composite)
        for pair in annotators()
    )
    assert ("they discussed", "parties discussed") in first - second
    assert ("they discussed", "both parties discussed") in second - first
    assert ("the aspects in detail", "the specific issues") in first & second
    assert ("reached an", "arrived at a") in second


def test_figure_3_only_the_leftmost_is_extracted():
    _, pair = annotators()
    result = phrases(pair, phrase_pairs(sure_cells(pair.links)))
    assert ("and reached", "and arrived at") in result
    assert ("and reached", "and arrived") not in result
    without_an = sure_cells(pair.links) - {(8, 9)}
    bounded = phrases(pair, phrase_pairs(without_an))
    assert ("and reached an", "and arrived at") not in bounded
    loose = loose_phrase_pairs(
        without_an, len(pair.source), len(pair.target), longest=7
    )
    assert ("and reached an", "and arrived at") in phrases(pair, loose)


def test_the_example_in_the_docs():
    result = divide_pairs({(0, 0), (1, 2)}).atomic
    assert result == [(0, 1, 0, 1), (0, 2, 0, 3), (1, 2, 2, 3)]


def batch(pairs, **options):
    """Return the spans of (rows, columns, cells), and where each pair begins."""
    starts = [np.cumsum([0, *(pair[side] for pair in pairs)]) for side in (0, 1)]
    links = [
        (starts[0][number] + i, starts[1][number] + j)
        for number, (_, _, cells) in enumerate(pairs)
        for i, j in cells
    ]
    sources, targets = np.array(links, np.int64).reshape(-1, 2).T.copy()
    return batch_spans(tuple(starts), (sources, targets), **options), starts


@given(
    st.lists(cells(), max_size=4),
    st.integers(1, 5),
    st.sampled_from(["tight", "loose"]),
)
def test_a_batch_gives_the_pairs_of_each_sentence(pairs, longest, boundaries):
    columns, starts = batch(pairs, longest=longest, boundaries=boundaries)
    expected = []
    for number, (rows, width, links) in enumerate(pairs):
        begin, other = (int(side[number]) for side in starts)
        spans = (
            tight(links, rows, width)
            if boundaries == "tight"
            else consistent(links, rows, width)
        )
        expected += [
            (begin + start, begin + end, other + low, other + high)
            for start, end, low, high in spans
            if max(end - start, high - low) <= longest
        ]
    assert sorted(zip(*(c.tolist() for c in columns), strict=True)) == expected


@pytest.mark.parametrize("link", [(0, 2), (2, 0), (-1, 0), (0, 9)])
def test_a_link_between_two_sentence_pairs_is_refused(link):
    with pytest.raises(ValueError, match="leads out of its sentences"):
        batch([(2, 2, [link]), (2, 2, [])], longest=2, boundaries="loose")
