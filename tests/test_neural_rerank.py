"""Choosing among candidates: the guide's three, thresholds, and what must be kept."""

import math

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates.rerank import UNCHANGED, Settings, choose
from paraphrast.neural.models.generation import Candidate

SOURCE = "you are late"
OLD, FREE = "thou art late", "thy coming is tardy"


class Guide:
    """Says what it was told of each text."""

    def __init__(self, table):
        self.table = table

    def style(self, texts, style):
        assert style == "old"
        return [self.table[text][0] for text in texts]

    def meaning(self, sources, texts):
        assert len(sources) == len(texts)
        return [self.table[text][1] for text in texts]

    def fluency(self, texts):
        return [self.table[text][2] for text in texts]


def chosen(texts, *, source=SOURCE, **options):
    given = [Candidate(text, -1.0, 2) for text in texts]
    return choose([source], [given], "old", **options)[0]


def test_the_product_of_the_guide_decides():
    guide = Guide({OLD: (0.9, 0.5, 0.5), FREE: (0.5, 0.8, 0.8)})
    found = chosen([OLD, FREE], guide=guide)
    assert [choice.text for choice in found.choices] == [FREE, OLD]
    best = found.choices[0]
    assert (best.style, best.meaning, best.fluency) == (0.5, 0.8, 0.8)
    likelihood = Settings().likelihood * -0.5  # a piece
    assert best.score == pytest.approx(math.log(0.5 * 0.8 * 0.8) + likelihood)


def test_an_exponent_makes_one_of_the_three_count_more():
    guide = Guide({OLD: (0.9, 0.5, 0.5), FREE: (0.5, 0.8, 0.8)})
    found = chosen([OLD, FREE], guide=guide, settings=Settings(style=4.0))
    assert found.choices[0].text == OLD


def test_a_threshold_leaves_a_candidate_out_and_says_why():
    guide = Guide({OLD: (0.9, 0.1, 0.9)})
    found = chosen([OLD], guide=guide, settings=Settings(least_meaning=0.5))
    assert found.choices == ()
    assert "meaning" in found.why


def test_without_a_guide_the_model_decides():
    likely, unlikely = Candidate(OLD, -1.0, 4), Candidate(FREE, -1.0, 1)
    found = choose([SOURCE], [[unlikely, likely]], "old")[0]
    assert [choice.text for choice in found.choices] == [OLD, FREE]


def test_strength_moves_the_choice_from_near_to_free():
    assert chosen([OLD, FREE], strength=0.0).choices[0].text == OLD
    assert chosen([OLD, FREE], strength=1.0).choices[0].text == FREE


def test_a_strength_beyond_its_bounds_is_refused():
    with pytest.raises(ParaphrastError, match="0 to 1"):
        chosen([OLD], strength=1.5)


def test_a_copy_is_no_rewrite():
    found = chosen(["You are late!"])
    assert (found.choices, found.why) == ((), UNCHANGED)


def test_nothing_found_has_its_reason_too():
    assert chosen([]).why
    assert choose([], [], "old") == []


def test_strength_goes_from_near_to_far_by_degrees():
    near, middle, far = "you are so late", "you come so late", "thy coming is tardy"
    given = [
        Candidate(near, -3.0, 2),
        Candidate(middle, -0.2, 2),
        Candidate(far, -3.0, 2),
    ]

    def best(strength):
        return choose([SOURCE], [given], "old", strength=strength)[0].choices[0].text

    assert [best(s) for s in (0.0, 0.5, 1.0)] == [near, middle, far]
    assert best(0.4) == best(0.6) == middle
