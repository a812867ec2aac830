"""Choosing among candidates: the guide's three, thresholds, and what must be kept."""

import math

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates.rerank import (
    UNCHANGED,
    MeaningCheck,
    Settings,
    choose,
)
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


def test_a_copy_is_not_a_rewrite():
    found = chosen(["You are late!"])
    assert (found.choices, found.why) == ((), UNCHANGED)


def test_an_empty_result_has_a_reason_too():
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


class Counting:
    """A checker that believes in one word, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def score(self, sources, candidates):
        self.asked.append([candidate.text for candidate in candidates])
        return [float("art" in candidate.text) for candidate in candidates]


def check(texts, enough):
    checker = Counting()
    given = [Candidate(text, -1.0 - rank, 2) for rank, text in enumerate(texts)]
    meaning = MeaningCheck(checker, 0.5, enough)
    (found,) = choose([SOURCE], [given], "old", meaning=meaning)
    return checker.asked, found


def test_candidates_are_checked_one_by_one_until_enough_pass():
    texts = [
        "tardy you come",
        "late thou art",
        "art thou not here",
        "so thou art tardy",
    ]
    asked, found = check(texts[:2] + texts[3:], 1)
    assert asked == [texts[:1], texts[1:2]]
    assert [choice.text for choice in found.choices] == texts[1:2]
    assert [rejection.guard for rejection in found.rejections] == ["meaning"]


def test_candidates_are_checked_at_once_where_all_are_wanted():
    asked, found = check(["tardy you come", "late thou art", "so thou art tardy"], 9)
    assert len(asked) == 1
    assert len(found.choices) == 2


def test_only_the_best_of_nearly_equal_alternatives_is_kept():
    long = "you told me that you would come here at noon and you are late again"
    first = (
        "thou didst tell me thou wouldst come hither at noon and thou art late again"
    )
    given = [first, first.replace("again", "anew"), "thou art late, who saidst noon"]
    found = chosen(given, source=long, guards=())
    assert len(found.choices) == 2
    assert {choice.text for choice in found.choices} & set(given[:2])


def test_short_alternatives_may_differ_in_one_word():
    assert len(chosen(["thou art late", "thou art tardy"]).choices) == 2
