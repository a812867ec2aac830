"""Evidence of several kinds put together, and grades of style, by hand."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.judges import accuracy
from paraphrast.judges.encoder.combination import (
    CombinedStyle,
    EncoderOdds,
    Evidence,
    LinearOdds,
)
from paraphrast.judges.style_grade import StyleGrade, StyleSubset, grade_texts
from paraphrast.metrics import Segment, score
from paraphrast.metrics.style_scores import train_language_model
from test_judge_encoder import reader

STYLES = ("modern", "shakespeare")
MODERN = ["you are my friend", "where do you go", "you love her", "do you hate me"]
OLD = ["thou art my friend", "whither goest thou", "thou lovest her", "hatest thou me"]


@dataclass(frozen=True)
class Said:
    """Evidence read from a table."""

    table: tuple[tuple[str, float], ...]
    signature: str = "said"

    def odds(self, texts):
        return np.array([dict(self.table).get(text, 0.0) for text in texts])


def combination(*evidence):
    return CombinedStyle(STYLES, evidence, reader())


def sigmoid(value):
    return 1 / (1 + math.exp(-value))


def test_weights_decide_and_sharpness_grades():
    one = Evidence(Said((("thou love", 2.0),)), weight=0.5, sharpness=1.5)
    other = Evidence(Said((("thou love", -1.0),)), weight=0.25, sharpness=3.0)
    model = combination(one, other)
    result = model.probabilities(["thou love"])[0, 1]
    assert result == pytest.approx(sigmoid(0.5 * 2 - 0.25))
    root = math.sqrt(3)  # two words and the end
    expected = (sigmoid(1.5 * 2 / root) + sigmoid(3.0 * -1 / root)) / 2
    assert model.grades(["thou love"])[0, 1] == pytest.approx(expected)


def test_texts_without_evidence_favour_no_style():
    model = combination(Evidence(Said((("!?", 9.0),)), 1.0, 1.0))
    assert model.probabilities(["!?", ""]).tolist() == [[0.5, 0.5]] * 2
    assert model.grades(["!?", ""]).tolist() == [[0.5, 0.5]] * 2
    assert model.probabilities([]).shape == (0, 2)


def test_every_setting_is_in_the_signature():
    base = Evidence(Said(()), 1.0, 1.0)
    changed = [
        replace(base, weight=2.0),
        replace(base, sharpness=2.0),
        replace(base, kind=Said((), "other")),
    ]
    names = {combination(one).signature for one in [base, *changed]}
    assert len(names) == 4


def test_evidence_of_real_models_points_the_right_way():
    languages = train_language_model(MODERN, OLD, order=2)
    linear = accuracy.train(dict(zip(STYLES, (MODERN, OLD), strict=True)), valid={})
    for kind in (languages, LinearOdds(linear)):
        modern, old = kind.odds(["where are you", "where art thou"])
        assert modern < 0 < old
    base = reader()
    modern, old = EncoderOdds((base, base), "style").odds(["you", "thou"])
    assert modern == pytest.approx(-10 / 3)  # one word and two marks
    assert old == pytest.approx(10 / 3)


def test_values_are_those_of_the_odds():
    model = train_language_model(MODERN, OLD, order=2)
    odds = model.odds(["thou art", "you"])
    assert model.values(["thou art", "you"]) == pytest.approx(1 / (1 + np.exp(-odds)))
    assert model.odds([]).shape == (0,)


@dataclass(frozen=True)
class Sure:
    """A classifier that is always equally sure."""

    styles: tuple[str, ...] = STYLES
    signature: str = "sure"
    chance: float = 0.9

    def probabilities(self, texts):
        rest = (1 - self.chance) / (len(self.styles) - 1)
        row = [rest] * (len(self.styles) - 1) + [self.chance]
        return np.array([row] * len(texts)).reshape(len(texts), len(self.styles))


def test_the_same_odds_in_more_words_are_a_lower_grade():
    short, long = grade_texts(Sure(), ["a b c", "a b c d e f g h"])[:, 1]
    assert short == pytest.approx(sigmoid(math.log(9) / 2))
    assert long == pytest.approx(sigmoid(math.log(9) / 3))


def test_certainty_gives_finite_grades():
    result = grade_texts(Sure(chance=1.0), ["a"])
    assert np.isfinite(result).all()
    assert result[0].tolist() == pytest.approx([0, 1], abs=1e-6)


def test_the_metric_is_the_mean_of_the_targets_grades():
    outputs = [Segment("a b c", "", (), style) for style in STYLES]
    result = score(StyleGrade(Sure()), [*outputs, Segment("...", "", (), "modern")])
    assert result.value == pytest.approx(100 / 3)  # x, 1 - x, and 0 for no word
    assert "style-grade" in result.signature
    assert "sure" in result.signature
    with pytest.raises(ParaphrastError, match="target style"):
        score(StyleGrade(Sure()), [Segment("a", "", (), "shakespear")])


def test_two_of_many_styles_are_graded_by_their_specialist():
    model = combination(Evidence(Said((("thou", 2.0),)), 1.0, 1.0))

    @dataclass(frozen=True)
    class Many(Sure):
        styles: tuple[str, ...] = ("shakespeare", "modern", "tweet")

        def among(self, styles):
            return model if set(styles) == set(STYLES) else None

    there = StyleSubset(Many(), STYLES).grades(["thou"])[0]
    back = StyleSubset(Many(), STYLES[::-1]).grades(["thou"])[0]
    assert there[1] == pytest.approx(sigmoid(2 / math.sqrt(2)))
    assert back.tolist() == there[::-1].tolist()
    other = StyleSubset(Many(), ("modern", "tweet")).grades(["thou"])[0]
    assert other[1] == pytest.approx(sigmoid(math.log(0.9 / 0.05) / math.sqrt(2)))
