"""Choosing among candidates: the guide's three, thresholds, and what must be kept."""

import math

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.language.names import find_names
from paraphrast.language.numbers import find_figures
from paraphrast.neural.candidates.checks import (
    Checks,
    is_copy,
    objection,
)
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


@pytest.mark.parametrize(
    ("source", "text", "part"),
    [
        ("then Romeo came", "then he came", "lost 'Romeo'"),
        ("we saw Juliet's house", "we saw Juliet's home", ""),
        ("he has 12 horses", "he hath horses", "lost '12'"),
        ("he has horses", "he hath 12 horses", "brought in '12'"),
        ("it was 3.50 then", "it was 3.5 then", "lost '3.50'"),
        ("come here", "come hither " * 12, "repeated"),
        ("come here", "come hitherrrrrrr", "repeated"),
        ("we have to go home now before it is late", "home", "left most"),
        ("come here", "...", "empty"),
        ("come here", "come hither", ""),
        ("no", "nay", ""),
    ],
)
def test_what_is_wrong_with_a_rewrite(source, text, part):
    found = objection(source, text, Checks())
    assert part in found
    assert bool(found) == bool(part)


def test_a_check_can_be_left_out():
    assert not objection("he has 12", "he hath", Checks(numbers=False))


@pytest.mark.parametrize("text", ["Montague!", '"Montague, come here!"'])
def test_a_name_in_the_first_place_must_stay(text):
    assert "Montague" in objection(text, text.replace("Montague", "Boston"), Checks())


@pytest.mark.parametrize(
    "text", ["Gonna be late", "Yeah, sure", "Love is blind", "Whither goest thou?"]
)
def test_other_first_words_are_no_names(text):
    assert find_names(text) == []


def test_strict_checks_know_spelled_numbers():
    assert not objection("Two are late", "Both are late", Checks(strict=True))
    assert "number" in objection("Two are late", "They are late", Checks(strict=True))
    assert not objection("You are late", "Thou art late", Checks(strict=True))


def test_letters_of_another_script_are_refused():
    assert "'п'" in objection("hi there", "привет there", Checks())
    assert not objection("мир, you", "мир, thou", Checks())
    assert not objection("a cafe", "a café", Checks())


def test_names_have_a_capital_for_no_other_reason():
    assert find_names("Then I saw Romeo, Mr Capulet and O God. The end") == [
        "Romeo",
        "Capulet",
    ]
    assert find_figures("3 men, 4.5% at 10:30") == ["3", "4.5", "10:30"]
    assert is_copy("You are late.", "you are late")


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
