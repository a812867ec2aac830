"""N-gram models: what KenLM and our other estimator say, states, damaged files."""

import math

import numpy as np
import pytest

from paraphrast.metrics import ngram_model
from paraphrast.phrase import language_model
from paraphrast.phrase.language_model import Settings

TEXTS = [
    "good morrow to thee good sir",
    "good night to you",
    "the night is long and the road is long",
    "how long is the road to the town",
    "i wish you good night sir",
    "the town is far and the night is near",
]
QUERIES = [*TEXTS, "", "good zounds night", "the the long road is", "zounds"]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_the_style_scores_estimator_finds_the_same(order):
    model = language_model.train(TEXTS, Settings(order=order))
    other = ngram_model.train([text.split() for text in TEXTS], order=order)
    expected = other.log_probability([text.split() for text in QUERIES])
    found = model.score_lines(QUERIES)[:, 0] * math.log(10)
    assert found == pytest.approx(expected, abs=1e-5)


def test_a_saved_model_says_the_same(tmp_path):
    model = language_model.train(TEXTS, Settings(order=4))
    model.save(tmp_path / "model")
    again = language_model.load(tmp_path / "model")
    assert again.order == 4
    assert again.vocabulary == model.vocabulary
    assert np.array_equal(again.score_lines(QUERIES), model.score_lines(QUERIES))
