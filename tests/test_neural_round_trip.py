"""A rewrite from which the model cannot find its source is doubted, then rejected."""

from dataclasses import replace

import pytest

from neural_toy import PACK, fake_rewriter
from paraphrast.neural import family
from paraphrast.neural.candidates.search import CHANGED, RoundTrip
from paraphrast.rewriter import Sentence

SOURCE = "the old man goes home again"


def rewriter(greedy, beam, ways, **options):
    """Return a rewriter, and its engine with a round-trip score for each text."""
    answers = {"greedy": [greedy], "beam": beam, "nucleus": beam}
    made, engine = fake_rewriter(
        lambda method, text: answers[method],
        score=lambda request, text: (
            ways[request.text] * len(made.model.prompter.target(text))
        ),
        **options,
    )
    return replace(made, back=RoundTrip(engine)), engine


def best(made):
    return made([Sentence(SOURCE)], alternatives=1, seed=1)[0][0]


FAR, BETTER = "somebody went to the market", "the aged fellow returneth home"


def test_another_candidate_is_taken_if_it_finds_the_way_back():
    made, engine = rewriter(FAR, [FAR, BETTER], {FAR: -3.5, BETTER: -0.5})
    assert best(made).text == BETTER
    assert [method for method, _ in engine.asked] == ["greedy", "beam"]


def test_what_finds_its_way_back_is_not_doubted():
    made, engine = rewriter(FAR, [BETTER], {FAR: -1.0})
    assert best(made).text == FAR
    assert [method for method, _ in engine.asked] == ["greedy"]


@pytest.mark.parametrize(("score", "methods"), [(-2.5, 1), (-2.6, 2)])
def test_a_rewrite_is_doubted_below_a_bound(score, methods):
    made, engine = rewriter(FAR, [FAR, BETTER], {FAR: score, BETTER: -0.5})
    best(made)
    assert len(engine.asked) == methods


@pytest.mark.parametrize(("score", "shown"), [(-4.0, True), (-4.1, False)])
def test_a_doubted_rewrite_is_rejected_below_another(score, shown):
    made, _ = rewriter(FAR, [FAR], {FAR: score})
    assert (best(made).text == FAR) is shown


@pytest.mark.parametrize(
    ("text", "asked"),
    [("old man goes far away", False), ("old man goes very far away", True)],
)
def test_what_shares_six_words_in_ten_is_not_doubted(text, asked):
    # Three words are shared; without its article the source has five.
    made, engine = rewriter(text, [text], {text: -1.0})
    best(made)
    assert bool(engine.scored) is asked


def test_what_shares_most_words_is_not_even_asked_about():
    near = "the old man cometh home again"
    made, engine = rewriter(near, [BETTER], {})
    assert best(made).text == near
    assert not engine.scored


def test_without_any_way_back_the_input_comes_back_with_the_reason():
    made, _ = rewriter(FAR, [FAR, BETTER], {FAR: -5.0, BETTER: -4.5})
    found = best(made)
    assert found.text == SOURCE
    assert found.why == CHANGED
    assert found.guards == ("round-trip",)


def test_a_free_rewrite_must_find_its_way_back_too():
    other = "an old fellow went there"
    ways = {FAR: -5.0, other: -3.0}
    made, _ = rewriter(FAR, [FAR, other], ways, strength=1.0)
    assert best(made).text == other


@pytest.mark.parametrize("style", ["old", "tweet"])
def test_a_pack_that_writes_plainly_brings_its_way_back(style):
    assert family.Neural().load_pack(PACK, style).back is not None
