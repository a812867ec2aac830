"""The hashed similarity, against a plain re-derivation with sets."""

import csv
import math
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from paraphrast.errors import ParaphrastError
from paraphrast.storage import weights
from paraphrast.text.similarity import HashedSimilarity

TEXTS = [
    "The cat sat on the mat.",
    "A cat was sitting on a mat!",
    "Shares fell sharply in London on Monday.",
    "On Monday, London's stocks dropped sharply.",
    "Who ate all the pies?",
    "Don't ask who ate the pie.",
]
PLAIN = st.text(alphabet="abcAB01 '.,\n-", max_size=30)


@pytest.fixture(scope="module")
def fitted():
    return HashedSimilarity.fit(TEXTS)


def trigrams(text):
    found = set()
    for word in re.findall("[a-z0-9]+", text.lower().replace("'", "")):
        padded = f" {word} "
        found |= {padded[i : i + 3] for i in range(len(padded) - 2)}
    return found


def cosine(source, target, weight):
    one, other = trigrams(source), trigrams(target)
    if not one and not other:
        return 1.0
    shared = sum(weight(gram) ** 2 for gram in one & other)
    lengths = [sum(weight(gram) ** 2 for gram in grams) for grams in (one, other)]
    return shared / math.sqrt(math.prod(lengths)) if all(lengths) else 0.0


@given(st.lists(st.tuples(PLAIN, PLAIN), max_size=5))
def test_unfitted_it_is_the_cosine_of_trigram_sets(pairs):
    expected = [cosine(source, target, lambda gram: 1.0) for source, target in pairs]
    scores = HashedSimilarity()([s for s, _ in pairs], [t for _, t in pairs])
    assert list(scores) == pytest.approx(expected)


def test_fitted_it_weighs_trigrams_by_their_rarity(fitted):
    def weight(gram):
        texts = sum(gram in trigrams(text) for text in TEXTS)
        return math.log((len(TEXTS) + 1) / (texts + 0.5))

    for source in TEXTS:
        for target in TEXTS:
            expected = cosine(source, target, weight)
            assert fitted.score(source, target) == pytest.approx(expected)


def test_paraphrases_are_nearer_than_strangers(fitted):
    near = fitted(TEXTS[0::2], TEXTS[1::2])
    far = fitted(TEXTS[0::2], [*TEXTS[3::2], TEXTS[1]])
    assert near.min() > far.max()


@settings(max_examples=50)
@given(st.text(max_size=40), st.text(max_size=40))
def test_it_is_symmetric_and_lies_in_0_to_1_with_1_for_copies(source, target):
    similarity = HashedSimilarity.fit([source, *TEXTS])
    score = similarity.score(source, target)
    assert 0.0 <= score <= 1.0
    assert score == pytest.approx(similarity.score(target, source))
    assert similarity.score(source, source) == pytest.approx(1.0)


def test_a_score_does_not_depend_on_the_pairs_beside_it(fitted):
    sources = [f"{text} número {i}" for i in range(1000) for text in TEXTS]
    targets = sources[::-1]
    together = fitted(sources, targets)
    for place in (0, 17, 4095, 4096, 5999):
        assert together[place] == fitted.score(sources[place], targets[place])


def test_spelling_of_quotes_case_and_width_do_not_matter(fitted):
    assert fitted.score("Don\u2019t go\u2014NOW", "don't go now") == pytest.approx(1)
    assert fitted.score("ＥＴＥ café", "ete cafe\u0301") == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "?!", "\ud800", "a" * 100_000, "x\ny", "\x00"])
def test_odd_texts_have_a_score(fitted, text):
    assert fitted.score(text, text) == pytest.approx(1.0)
    assert fitted.score(text, "Nothing alike") == 0.0


def test_unequal_lists_are_refused(fitted):
    with pytest.raises(ParaphrastError, match="2 texts with 1"):
        fitted(["a", "b"], ["a"])


def test_a_saved_similarity_keeps_its_signature(fitted, tmp_path):
    fitted.save(tmp_path / "similarity.arrays")
    loaded = HashedSimilarity.load(tmp_path / "similarity.arrays")
    assert loaded.signature == fitted.signature
    assert loaded.score(*TEXTS[:2]) == fitted.score(*TEXTS[:2])
    assert fitted.signature != HashedSimilarity.fit(TEXTS[1:]).signature


def test_a_file_that_is_not_a_saved_similarity_is_refused(tmp_path):
    path = tmp_path / "similarity.arrays"
    with pytest.raises(ParaphrastError, match="cannot read"):
        HashedSimilarity.load(path)
    for content in (b"", b"PK nonsense", pickle.dumps([1])):
        path.write_bytes(content)
        with pytest.raises(ParaphrastError, match="is not a hashed-similarity"):
            HashedSimilarity.load(path)
    weights.save(path, "hashed-similarity", {}, {"weights": np.ones(3)})
    with pytest.raises(ParaphrastError, match="expected 262144 weights"):
        HashedSimilarity.load(path)


@pytest.mark.data
def test_it_agrees_with_people_on_the_sts_benchmark():
    folder = Path(os.environ["PARAPHRAST_MIRROR"]) / "stsb"
    train, dev = (
        list(csv.reader((folder / f"stsb-en-{part}.csv").open("r", newline="")))
        for part in ("train", "dev")
    )
    similarity = HashedSimilarity.fit(text for row in train for text in row[:2])
    scores = similarity([row[0] for row in dev], [row[1] for row in dev])
    people = [float(row[2]) for row in dev]
    assert spearmanr(scores, people).statistic == pytest.approx(0.794, abs=0.003)
