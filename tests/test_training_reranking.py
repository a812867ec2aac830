"""The reranking of the teacher's samples: which of many samples is the rewrite."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from training.teacher import reranking


@pytest.fixture
def sample() -> Any:
    """Return a sample whose scores are all average."""
    figures = (0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.0)
    return reranking.Rated("modern", "Hie thee.", "Go.", *figures)


def test_utility_is_the_logarithm_of_the_product(sample: Any) -> None:
    how = reranking.Weights(
        level=0.5, meaning=(1.0, 0.0), style=(1.0, 0.0, 0.0),
        fluency=((0.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)), powers=(2.0, 1.0, 1.0),
    )  # fmt: skip
    one = replace(sample, guide=0.8, fluent=0.9, natural=0.7, near=0.6)
    other = replace(sample, guide=0.4, fluent=0.5, natural=0.5, near=0.4)
    products = np.exp(reranking.utilities([one, other], how))
    # Nearness counts from the mean of both, 0.5; fluency is the mean of two.
    assert products == pytest.approx([0.6**2 * 0.8 * 0.8, 0.4**2 * 0.4 * 0.5])


@pytest.mark.parametrize(
    "name", ["guide", "rater", "fluent", "natural", "near", "agreed", "likely"]
)
def test_more_of_anything_is_better(sample: Any, name: str) -> None:
    how = reranking.Weights()
    better = replace(sample, **{name: getattr(sample, name) + 0.3})
    first, second = reranking.utilities([better, sample], how)
    assert first > second
    worst = replace(sample, **dict.fromkeys(("guide", "rater", "fluent", "near"), 0.0))
    assert np.isfinite(reranking.utilities([worst], how)).all()


def test_agreement_is_with_all_others() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert reranking.agreement(vectors).tolist() == [0.5, 0.5, 0.0]
    assert reranking.agreement(vectors[:1]).tolist() == [1.0]


def test_few_are_kept_of_each_text(sample: Any) -> None:
    near = [replace(sample, text=str(n), near=n / 10) for n in (3, 9, 6)]
    other = replace(sample, source="Stay.")
    assert reranking.best([*near, other], 2) == [near[1], near[2], other]


def test_a_question_stays_a_question_if_possible(sample: Any) -> None:
    ask = replace(sample, source="Who art thou?", text='"Who are you?"')
    tell = replace(ask, text="I ask you.")
    assert reranking.keep_questions([ask, tell]) == [ask]
    assert reranking.keep_questions([tell, sample]) == [tell, sample]


def test_the_best_is_written_with_what_chose_it(sample: Any, tmp_path: Path) -> None:
    rows = [sample, replace(sample, text="go away.", near=0.9)]
    rated = tmp_path / "rated.tsv"
    reranking.save(rated, rows)
    assert reranking.load(rated) == rows
    tests = [("modern", "Hie thee."), ("modern", "Stay.")]
    how = {"modern": reranking.Weights(level=0.6)}
    reranking.record(tmp_path / "outputs", tests, rated, how, ["abc"])
    written = (tmp_path / "outputs/teacher-reranked.tsv").read_text()
    # A text without samples stays as it is.
    assert written == "modern\tHie thee.\tGo away.\nmodern\tStay.\tStay.\n"
    about = json.loads((tmp_path / "outputs/teacher-reranked.json").read_text())
    assert about["evaluators"] == ["abc"]
    assert about["weights"]["modern"]["level"] == 0.6


def test_weights_predict_the_ratings_of_the_stand_in(sample: Any) -> None:
    draw = np.random.default_rng(1)
    rows = [
        replace(
            sample,
            source=str(n // 6),
            text=str(n),
            likely=float(-draw.uniform(1, 6)),
            **{
                name: float(draw.uniform(0.05, 0.95))
                for name in ("guide", "rater", "fluent", "natural", "near", "agreed")
            },
        )
        for n in range(600)
    ]
    rows = [replace(one, fluent=one.natural) for one in rows]
    said = np.array([(one.rater > 0.5, 0.2 + 0.5 * one.near) for one in rows], float)
    how = reranking.fit_weights(rows, said, (1.0, 1.0, 1.0))
    assert how.meaning == pytest.approx((0.5, 0), abs=0.01)
    assert how.level == pytest.approx(said[:, 1].mean())
    assert how.style[1] > 10 * abs(how.style[0])
    by_natural, by_fluent, _ = how.fluency
    assert by_natural[0] == by_fluent[1] == 0  # who is foretold is not asked
    assert min(by_natural[1], by_fluent[0]) > 1
    lines = reranking.cross_validate(rows, said, (1.0, 1.0, 1.0))
    assert lines.shape == (100, 4)
    style, near, fluent, product = lines.mean(0)
    assert style > 0.9
    assert near > said[:, 1].mean() + 0.05
    assert fluent > 0.6
    assert 0 < product < 1


def test_the_most_faithful_of_equally_good_samples_is_taken(
    sample: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    products = {(1.0, 1.0, 1.0): 0.5, (2.0, 1.0, 1.0): 0.496, (3.0, 1.0, 1.0): 0.494}

    def left_out(rows: Any, said: Any, powers: tuple[float, ...]) -> Any:
        return np.full((100, 4), products[powers])

    monkeypatch.setattr(reranking, "POWERS", tuple(products))
    monkeypatch.setattr(reranking, "cross_validate", left_out)
    monkeypatch.setattr(reranking, "fit_weights", lambda rows, said, powers: powers)
    assert reranking.weigh([sample], None) == (2.0, 1.0, 1.0)
