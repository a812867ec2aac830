"""Paraphrases from aligned pairs of one language, worked by hand."""

from dataclasses import replace

import pytest

from paraphrast.align.base import AlignedPair, Link
from paraphrast.paraphrases import smt

PLAIN = smt.Settings(smoothing="none", minimum=0.0)


def aligned(source: str, target: str, links: str) -> AlignedPair:
    cells = (link.split("-") for link in links.split())
    return AlignedPair(
        tuple(source.split()),
        tuple(target.split()),
        tuple(Link(int(i), int(j), sure=True) for i, j in cells),
    )


BIG = aligned("big dogs", "large dogs", "0-0 1-1")
SAME = aligned("big cats", "big cats", "0-0 1-1")
PASSED = aligned("he died", "he passed away", "0-0 1-1 1-2")


def probabilities(table, phrase):
    return {row.paraphrase: row.probability for row in table.of(phrase)}


def test_relative_frequencies_count_the_phrase_itself():
    table = smt.extract([BIG, BIG, SAME], settings=PLAIN)
    # Forward big stood opposite large twice and itself once; backward itself once.
    assert probabilities(table, "big") == {"large": 0.5}
    assert probabilities(table, "large") == {"big": 1.0}
    assert probabilities(table, "big dogs") == {"large dogs": 1.0}
    assert table.of("dogs") == []
    assert table.about["pairs"] == 3


def test_forward_leaves_out_the_way_back():
    table = smt.extract([BIG, SAME], settings=replace(PLAIN, direction="forward"))
    assert probabilities(table, "big") == {"large": 0.5}
    assert table.of("large") == []


def test_phrases_of_several_words():
    table = smt.extract([PASSED], settings=PLAIN)
    assert probabilities(table, "died") == {"passed away": 1.0}
    assert probabilities(table, "he passed away") == {"he died": 1.0}
    assert table.of("passed") == []
    short = smt.extract([PASSED], settings=replace(PLAIN, longest=1))
    assert list(short) == []


def test_the_discount_is_estimated_from_what_was_seen_once_and_twice():
    table = smt.extract(
        [BIG, BIG, PASSED], settings=smt.Settings(minimum=0.0, direction="forward")
    )
    # Seen twice: big, dogs, big dogs. Once: he, died, he died. D = 3 / (3 + 2 * 3).
    assert table.about["discount"] == pytest.approx(1 / 3)
    assert probabilities(table, "big")["large"] == pytest.approx((2 - 1 / 3) / 2)
    assert probabilities(table, "died")["passed away"] == pytest.approx(2 / 3)


def test_limits_on_counts_and_probabilities():
    pairs = [BIG, BIG, SAME, PASSED]
    twice = smt.extract(pairs, settings=replace(PLAIN, min_count=2))
    assert twice.of("died") == []
    assert probabilities(twice, "big") == {"large": 0.5}
    likely = smt.extract(pairs, settings=replace(PLAIN, minimum=0.6))
    assert likely.of("big") == []
    assert probabilities(likely, "large") == {"big": 1.0}


def test_possible_links_can_be_left_out():
    link = Link(0, 0, sure=False)
    pair = AlignedPair(("Big",), ("large",), (link,))
    assert probabilities(smt.extract([pair], settings=PLAIN), "big") == {"large": 1.0}
    assert len(smt.extract([pair], settings=replace(PLAIN, links="sure"))) == 0
    mixed = smt.extract([pair], settings=replace(PLAIN, case="mixed"))
    assert probabilities(mixed, "Big") == {"large": 1.0}


def test_loose_boundaries_include_unlinked_words():
    pair = aligned("today he left", "he left", "1-0 2-1")
    loose = smt.extract([pair], settings=PLAIN)
    tight = smt.extract([pair], settings=replace(PLAIN, boundaries="tight"))
    assert probabilities(loose, "today he") == {"he": 1.0}
    assert len(tight) == 0


@pytest.mark.parametrize("pairs", [[], [aligned("a", "b", "")]])
def test_nothing_to_learn_gives_an_empty_table(pairs):
    assert len(smt.extract(pairs)) == 0


def test_phrases_without_a_word_are_refused():
    with pytest.raises(ValueError, match="longest must be from 1"):
        smt.Settings(longest=0)
