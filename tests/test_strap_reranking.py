"""recipes/strap/training/reranking.py: which of many samples is the rewrite."""

import importlib
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TRAINING = Path(__file__).parents[1] / "recipes" / "strap" / "training"
CANDIDATES = (
    "0\tmodern\tGo.\tHie thee.\tGo now.\t-2.0\t4\n"
    "0\tmodern\tGo.\tHie thee.\tLeave.\t-3.0\t2\n"
    "1\tmodern\tHie thee.\tHie thee.\tGo now.\t-1.0\t4\n"
    "1\tmodern\tHie thee.\tHie thee.\t\t-9.0\t1\n"
)


@pytest.fixture
def reranking(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the module as the recipe's scripts do."""
    monkeypatch.syspath_prepend(str(TRAINING))
    return importlib.import_module("reranking")


@pytest.fixture
def sample(reranking: Any) -> Any:
    """Return a sample of which everything is middling."""
    figures = (0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -1.0, -2.0)
    return reranking.Rated("modern", "Hie thee.", "Go.", *figures)


def test_utility_is_the_logarithm_of_a_product(reranking: Any, sample: Any) -> None:
    how = reranking.Weights(style=1, fluency=1, meaning=2, mix=0, own=0, likely=0)
    one = replace(sample, guide=0.8, rater=0.6, fluent=0.9, natural=0.9, near=0.5)
    assert math.exp(reranking.utility(one, how)) == pytest.approx(0.7 * 0.9 * 0.25)
    steep = replace(how, steep=2.0)
    shares = [p * p / (p * p + (1 - p) ** 2) for p in (0.7, 0.9)]
    expected = shares[0] * shares[1] * 0.25
    assert math.exp(reranking.utility(one, steep)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "name", ["guide", "rater", "fluent", "natural", "near", "agreed", "own", "likely"]
)
def test_more_of_anything_is_better(reranking: Any, sample: Any, name: str) -> None:
    how = reranking.Weights()
    better = replace(sample, **{name: getattr(sample, name) + 0.3})
    assert reranking.utility(better, how) > reranking.utility(sample, how)
    worst = replace(sample, **dict.fromkeys(("guide", "rater", "fluent", "near"), 0.0))
    assert math.isfinite(reranking.utility(worst, how))


def test_samples_of_both_ways_are_joined(reranking: Any, tmp_path: Path) -> None:
    path = tmp_path / "candidates.tsv"
    path.write_text(CANDIDATES)
    found = reranking.gathered(path)
    assert found == {("Hie thee.", "modern"): {"Go now.": -0.25, "Leave.": -1.5}}


def test_agreement_is_with_all_others(reranking: Any) -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert reranking.agreement(vectors).tolist() == [0.5, 0.5, 0.0]
    assert reranking.agreement(vectors[:1]).tolist() == [1.0]


def test_few_are_kept_of_each_text(reranking: Any, sample: Any) -> None:
    near = [replace(sample, text=str(n), near=n / 10) for n in (3, 9, 6)]
    other = replace(sample, source="Stay.")
    assert reranking.best([*near, other], 2) == [near[1], near[2], other]


def test_the_best_is_written_with_what_chose_it(
    reranking: Any, sample: Any, tmp_path: Path
) -> None:
    rows = [sample, replace(sample, text="Go away.", near=0.9)]
    rated = tmp_path / "rated.tsv"
    reranking.save(rated, rows)
    assert reranking.load(rated) == rows
    tests = [("modern", "Hie thee."), ("modern", "Stay.")]
    how = {"modern": reranking.Weights(meaning=3.0)}
    reranking.record(tmp_path / "outputs", tests, rated, how, ["abc"])
    written = (tmp_path / "outputs/teacher-reranked.tsv").read_text()
    # A text without samples stays as it is.
    assert written == "modern\tHie thee.\tGo away.\nmodern\tStay.\tStay.\n"
    about = json.loads((tmp_path / "outputs/teacher-reranked.json").read_text())
    assert about["evaluators"] == ["abc"]
    assert about["weights"]["modern"]["meaning"] == 3.0


def test_weights_are_those_that_the_stand_in_likes(reranking: Any, sample: Any) -> None:
    class OnlyMeaning:
        def joint(self, chosen: Any, _: Any) -> Any:
            return np.array([[1, one.near, 1, one.near] for one in chosen])

    rows = [
        one
        for n in range(8)
        for one in (
            replace(sample, source=str(n), text="near", near=0.9, natural=0.1),
            replace(sample, source=str(n), text="fluent", near=0.6, natural=0.9),
        )
    ]
    how = reranking.weigh(rows, OnlyMeaning(), 0.0)
    chosen = max(rows[:2], key=lambda one: reranking.utility(one, how))
    assert chosen.text == "near"
    before = reranking.Weights(guide=0.0)
    assert (
        max(rows[:2], key=lambda one: reranking.utility(one, before)).text == "fluent"
    )
