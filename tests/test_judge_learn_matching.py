"""The matrix of matched words is learnt on the very scores that the judge takes."""

import random

import numpy as np
import pytest

from paraphrast.judges.encoder.matching import Words, match

torch = pytest.importorskip("torch")
from training.judge import learn_matching  # noqa: E402


def random_words(draw, count, size=16):
    return draw.normal(size=(count, size)).astype(np.float32), draw.uniform(
        0.3, 1, count
    )


def by_the_judge(first, second, matrix):
    turned = []
    for states, weights in (first, second):
        vectors = states @ matrix.T
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        turned.append(Words(vectors, weights))
    return match(*turned)


def test_what_is_learnt_is_what_is_scored():
    draw = np.random.default_rng(1)
    matrix = draw.normal(size=(8, 16)).astype(np.float32)
    rows = [[random_words(draw, count) for count in (3, 5)] for _ in range(4)]
    sides = [learn_matching.pad([row[at] for row in rows]) for at in (0, 1)]
    found = learn_matching.score(*sides, torch.from_numpy(matrix)).numpy()
    for row, value in zip(rows, found, strict=True):
        judged = by_the_judge(*row, matrix)
        assert value + judged.missing == pytest.approx(judged.overlap, abs=0.02)


def test_what_the_matrix_hides_is_learnt(monkeypatch):
    monkeypatch.setattr(learn_matching, "EPOCHS", 40)
    monkeypatch.setattr(learn_matching, "RATE", 1e-2)
    draw = np.random.default_rng(1)
    rows = []
    for _ in range(64):
        states, weights = random_words(draw, 3)
        changed = states.copy()
        changed[:2, 15] = -2 * states[:2, 15]  # what the matrix does not read
        rows.append([(states, weights)] * 2 + [(changed, weights)])
    matrix = np.eye(16, dtype=np.float32)[:8]
    down, up = learn_matching.learn(list(rows), torch.from_numpy(matrix))
    after = [by_the_judge(row[0], row[2], matrix + up @ down) for row in rows]
    before = [by_the_judge(row[0], row[2], matrix) for row in rows]
    assert np.mean([one.missing for one in before]) < 0.001
    assert np.mean([one.missing for one in after]) > 0.05


def test_every_kind_of_change_is_in_the_triples():
    pairs = [("I do not trust him.", "I never trust him at all.")] * 3
    rows = learn_matching.change_pairs(pairs, random.Random(1))
    changed = {last.lower() for _, _, last in rows}
    assert any(text.startswith("he") for text in changed)
    assert any("not" not in text and "never" not in text for text in changed)
