"""Sparse n-gram rows and logistic regression, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from paraphrast.estimators import logistic_regression
from paraphrast.estimators.ngram_features import (
    NgramKinds,
    Sparse,
    Vocabulary,
    beside,
    dense,
    occurrences,
    vocabulary,
)
from paraphrast.text.model_words import words
from training.everyday.checker import reward

TEXTS = ["Thou art here", "you are here now", "art thou", "", "are you, you there?"]


def plain(matrix: Sparse) -> np.ndarray:
    full = np.zeros((len(matrix), matrix.width))
    full[matrix.row_of_each(), matrix.columns] = matrix.values
    return full


def sample(classes: int, *, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(80, 12)) * (draw.random((80, 12)) < 0.4)
    return features, draw.integers(0, classes, 80)


def sparse(full: np.ndarray) -> Sparse:
    rows, columns = np.nonzero(full)
    starts = np.searchsorted(rows, np.arange(len(full) + 1))
    return Sparse(starts, columns.astype(np.int32), full[rows, columns], full.shape[1])


@pytest.mark.parametrize("penalty", [0.05, 1.0, 10.0])
def test_weights_of_dense_columns_are_those_of_scikit_learn(penalty):
    features, labels = sample(2)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=5000)
    theirs.fit(features, labels)
    weights = logistic_regression.fit_with_constant(features, labels, penalty)
    expected = np.append(theirs.coef_[0], theirs.intercept_)
    assert weights == pytest.approx(expected, abs=1e-4)


def test_the_reward_of_candidates_is_fitted_by_it():
    features, labels = sample(2)
    features = features + 0.5
    fitted = reward.Reward.fit(features, dict.fromkeys(reward.RATED, labels))
    scaled = (features - features.mean(0)) / (features.std(0) + 1e-6)
    theirs = LogisticRegression(
        C=1 / (reward.PENALTY * len(features)), tol=1e-10, max_iter=5000
    ).fit(scaled, labels)
    expected = theirs.predict_proba(scaled)[:, 1]
    assert fitted.estimate(features)[:, 0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("strength", [0.1, 1.0, 20.0])
def test_weights_are_those_of_scikit_learn(classes, strength):
    features, labels = sample(classes)
    features[7] = 0  # a sentence without any known n-gram
    theirs = LogisticRegression(C=strength, tol=1e-10, max_iter=5000)
    theirs.fit(features, labels)
    ours = logistic_regression.train(
        sparse(features),
        labels,
        classes=classes,
        strength=strength,
        tolerance=1e-9,
        iterations=2000,
    )
    result = logistic_regression.softmax(ours.scores(sparse(features)))
    assert result == pytest.approx(theirs.predict_proba(features), abs=1e-4)
    if classes == 2:
        assert ours.weights[:, 0] == pytest.approx(theirs.coef_[0], abs=1e-3)


def test_training_twice_gives_the_same_bits():
    features, labels = sample(3)
    first, second = (
        logistic_regression.train(sparse(features), labels, classes=3) for _ in range(2)
    )
    assert first.weights.tobytes() == second.weights.tobytes()


def test_temperature_undoes_a_wrong_scale_and_keeps_the_choice():
    draw = np.random.default_rng(5)
    scores = draw.normal(size=(4000, 3)) * 2
    chances = logistic_regression.softmax(scores)
    labels = np.array([draw.choice(3, p=row) for row in chances])
    assert logistic_regression.temperature(5 * scores, labels) == pytest.approx(
        0.2, rel=0.1
    )


def test_log_loss_of_even_scores_is_the_logarithm_of_the_classes():
    even = np.zeros((4, 3))
    labels = np.array([0, 1, 2, 0])
    assert logistic_regression.log_loss(even, labels) == pytest.approx(np.log(3))


@pytest.mark.parametrize(
    ("kinds", "options"),
    [
        (NgramKinds((1, 1), (0, 0)), {"ngram_range": (1, 1)}),
        (NgramKinds((2, 3), (0, 0)), {"ngram_range": (2, 3)}),
        (NgramKinds((0, 0), (2, 4)), {"ngram_range": (2, 4), "analyzer": "char"}),
    ],
)
def test_the_ngrams_found_are_those_of_scikit_learn(kinds, options):
    if options.get("analyzer") == "char":
        shown = [f" {' '.join(words(text))} " if text else "" for text in TEXTS]
        theirs = CountVectorizer(binary=True, lowercase=False, **options)
    else:
        shown = [" ".join(words(text)) for text in TEXTS]
        theirs = CountVectorizer(binary=True, token_pattern=r"\S+", **options)
    expected = theirs.fit_transform(shown).toarray()
    result = occurrences(TEXTS, kinds)
    ours = plain(vocabulary(result, kinds, minimum=1).matrix(result))
    # The columns come in another order: compare them as a bag of columns.
    assert sorted(map(tuple, ours.T)) == sorted(map(tuple, expected.T.astype(float)))


def test_an_ngram_has_the_same_hash_wherever_it_stands():
    kinds = NgramKinds((1, 2), (2, 3))
    alone = occurrences(["thou art"], kinds)
    later = occurrences(["something else first", "thou art"], kinds)
    assert set(alone.hashes) == set(later.hashes[later.rows == 1])


def test_word_and_letter_ngrams_are_distinguished():
    word = occurrences(["ab"], NgramKinds((1, 1), (0, 0)))
    letters = occurrences(["ab"], NgramKinds((0, 0), (4, 4)))  # " ab "
    assert not np.isin(letters.hashes, word.hashes).any()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_text_gives_one_row(texts):
    kinds = NgramKinds()
    result = occurrences(texts, kinds)
    matrix = vocabulary(result, kinds, minimum=1).matrix(result)
    assert len(matrix) == len(texts)
    assert [bool(n) for n in np.diff(matrix.starts)] == [bool(words(t)) for t in texts]


def test_products_are_those_of_the_full_matrix():
    full, _ = sample(2)
    full[3] = 0
    matrix = sparse(full)
    draw = np.random.default_rng(1)
    right, left = draw.normal(size=12), draw.normal(size=80)
    assert matrix.times(right) == pytest.approx(full @ right)
    assert matrix.transposed_times(left) == pytest.approx(left @ full)
    both = beside(matrix, dense(full))
    assert plain(both) == pytest.approx(np.hstack([full, full]))


def test_rows_can_be_scaled_to_a_length():
    kinds = NgramKinds((1, 1), (0, 0))
    result = occurrences(TEXTS, kinds)
    known = vocabulary(result, kinds, minimum=1)
    scaled = plain(Vocabulary(known.hashes, known.worth * 3, kinds, 0.5).matrix(result))
    assert np.linalg.norm(scaled, axis=1) == pytest.approx([0.5, 0.5, 0.5, 0, 0.5])


def test_ngram_lengths_must_make_sense():
    with pytest.raises(ValueError, match="make no sense"):
        NgramKinds((3, 2), (0, 0))


@pytest.mark.parametrize("text", ["Wasn’t", "wasn't", "wasn 't", " WASN ‘t"])
def test_spacing_case_and_quotes_do_not_change_the_words(text):
    assert words(text) == ["wasn", "'t"]
