"""XU12's three style scores: by hand, and on two tiny styles."""

import math

import numpy as np
import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import Segment, signature
from paraphrast.metrics.scoring import score
from paraphrast.metrics.style_scores import (
    StyleScore,
    train_cosine,
    train_language_model,
    train_logistic,
)

MODERN = [
    "you are my friend",
    "do you want to come with me",
    "i don't know what you are talking about",
    "are you going to tell me your name",
    "your father wants you to go home",
    "does he know that you are here",
]
OLD = [
    "thou art my friend",
    "wilt thou come with me",
    "i know not what thou sayest",
    "prithee tell me thy name",
    "thy father would have thee go home",
    "doth he know that thou art here",
]
TRAINERS = [train_cosine, train_language_model, train_logistic]


def test_cosine_by_hand():
    # Unigrams: source {a, b, c, d}, target {a, e}; output {a, e, z}.
    # cos with the target ∝ 2/√2, with the source ∝ 1/√4.
    model = train_cosine(["a b", "c d b"], ["a e e"], lengths=(1, 1))
    target, source = 2 / math.sqrt(2), 1 / math.sqrt(4)
    assert model.values(["a e z"]) == pytest.approx([target / (target + source)])


def test_cosine_of_what_neither_style_knows_is_even():
    model = train_cosine(MODERN, OLD)
    assert model.values(["zzz", ""]).tolist() == [0.5, 0.5]


def test_language_model_score_is_bayes_rule():
    model = train_language_model(MODERN, OLD, order=2)
    tokens = [["thou", "are"]]
    old, new = (
        math.exp(m.score(tokens).sums()[0]) for m in (model.target, model.source)
    )
    assert model.values(["Thou are"]) == pytest.approx([old / (old + new)])


def test_the_likelihood_per_word_is_milder_and_agrees():
    by_sentence, by_word = (
        train_language_model(MODERN, OLD, likelihood=kind).values(OLD + MODERN)
        for kind in ("sentence", "word")
    )
    assert ((by_sentence > 0.5) == (by_word > 0.5)).all()
    assert (np.abs(by_word - 0.5) <= np.abs(by_sentence - 0.5)).all()


def test_a_word_that_neither_style_knows_speaks_for_neither():
    # Twins but for one word each, so that the styles are mirror images.
    model = train_language_model(["x left", "y left"], ["x right", "y right"])
    assert model.values(["zebra"]) == pytest.approx([0.5], abs=1e-6)


@pytest.mark.parametrize("train", TRAINERS)
def test_every_score_tells_the_styles_apart(train):
    model = train(MODERN, OLD)
    modern, old = model.values(MODERN), model.values(OLD)
    assert max(modern) < 0.5 < min(old)
    assert min(modern) >= 0
    assert max(old) <= 1


@pytest.mark.parametrize("train", TRAINERS)
def test_a_style_score_is_the_mean_with_the_models_hash_in_its_signature(train):
    model = train(MODERN, OLD)
    metric = StyleScore(model)
    texts = ["thou art here", "are you here", ""]
    result = score(metric, [Segment(text) for text in texts], resamples=50)
    assert result.value == pytest.approx(np.mean(model.values(texts)))
    assert model.signature in signature(metric)
    assert signature(metric) != signature(StyleScore(train(MODERN[1:], OLD)))


@pytest.mark.parametrize("train", TRAINERS)
def test_spacing_and_quotes_do_not_move_a_score(train):
    values = train(MODERN, OLD).values(["I don’t know.", "i don 't know ."])
    assert values[0] == values[1]


@pytest.mark.parametrize("train", TRAINERS)
def test_a_style_without_text_is_refused(train):
    with pytest.raises(ParaphrastError, match="the target style has no text"):
        train(MODERN, ["", " "])


@pytest.mark.parametrize("train", TRAINERS)
def test_no_texts_have_no_values(train):
    assert train(MODERN, OLD).values([]).tolist() == []
