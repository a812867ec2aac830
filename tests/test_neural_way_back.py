"""A rewrite from which the model finds no way back is doubted, then refused."""

from pathlib import Path

import pytest

from paraphrast.neural import family
from paraphrast.neural.candidates.round_trip import WayBack
from paraphrast.neural.models import pack
from paraphrast.neural.models.generation import Candidate
from paraphrast.neural.models.pack import Model, Step
from paraphrast.neural.rewriter import CHANGED, NeuralRewriter
from paraphrast.rewriter import Sentence

PACK = Path(__file__).parent / "packs" / "neural-1"
SOURCE = "the old man goes home again"


class Remembering:
    """An engine with answers by method, and a log-probability a piece of each."""

    def __init__(self, prompter, answers, ways):
        self.prompter, self.answers, self.ways = prompter, answers, ways
        self.asked, self.scored = [], []

    def candidates(self, requests, decoding, *, seed=1):
        self.asked.append(decoding.method)
        texts = self.answers[decoding.method]
        return [
            [Candidate(text, -0.1 * place, 4) for place, text in enumerate(texts)]
            for _ in requests
        ]

    def score(self, requests, texts):
        self.scored += [request.text for request in requests]
        return [
            self.ways[request.text] * len(self.prompter.target(text))
            for request, text in zip(requests, texts, strict=True)
        ]


def rewriter(greedy, beam, ways, **options):
    opened = pack.load_pack(PACK, "old")
    answers = {"greedy": [greedy], "beam": beam, "nucleus": beam}
    engine = Remembering(opened.prompter, answers, ways)
    made = Model((Step(engine, "old"),), opened.settings)
    return NeuralRewriter(made, back=WayBack(engine), **options), engine


def best(made):
    return made([Sentence(SOURCE)], alternatives=1, seed=1)[0][0]


FAR, BETTER = "somebody went to the market", "the aged fellow returneth home"


def test_another_candidate_is_taken_if_it_finds_the_way_back():
    made, engine = rewriter(FAR, [FAR, BETTER], {FAR: -3.5, BETTER: -0.5})
    assert best(made).text == BETTER
    assert engine.asked == ["greedy", "beam"]


def test_what_finds_its_way_back_is_not_doubted():
    made, engine = rewriter(FAR, [BETTER], {FAR: -1.0})
    assert best(made).text == FAR
    assert engine.asked == ["greedy"]


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


def test_a_free_rewrite_must_find_its_way_back_too():
    other = "an old fellow went there"
    ways = {FAR: -5.0, other: -3.0}
    made, _ = rewriter(FAR, [FAR, other], ways, strength=1.0)
    assert best(made).text == other


@pytest.mark.parametrize("style", ["old", "tweet"])
def test_a_pack_that_writes_plainly_brings_its_way_back(style):
    assert family.Neural().load_pack(PACK, style).back is not None
