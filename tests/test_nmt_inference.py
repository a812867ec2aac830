"""Beam search in NumPy with random weights: exact, independent of batches, honest."""

import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nmt_toy as toy
from paraphrast.errors import ParaphrastError
from paraphrast.nmt import weights
from paraphrast.nmt.beam_search import Search, score, search
from paraphrast.nmt.inference import MOST_EXACT, Network, multiply
from paraphrast.nmt.settings import Architecture, Training
from paraphrast.nmt.settings import Vocabulary as Limits
from paraphrast.nmt.threads import map_batches
from paraphrast.nmt.vocabulary import BEGIN, UNKNOWN, Vocabulary, count_words
from paraphrast.nmt.weights import LARGEST, Matrix, round_rows, round_weights

COPYING = replace(toy.SIZES, copy=True)
SENTENCES = toy.sentences()


def network(architecture=toy.SIZES, **replaced):
    return Network(round_weights(toy.random_weights(architecture, **replaced)))


def texts(outputs):
    return [[output.words for output in found] for found in outputs]


@pytest.mark.parametrize("architecture", [toy.SIZES, COPYING])
def test_a_sentence_gets_the_same_outputs_in_any_batch(architecture):
    model = network(architecture)
    together = search(model, SENTENCES, Search(), 3)
    assert together == [search(model, [s], Search(), 3)[0] for s in SENTENCES]
    assert together[::-1] == search(model, SENTENCES[::-1], Search(), 3)


@given(st.integers(1, 2600), st.integers(1, 9), st.integers(0, 99))
def test_products_of_rounded_numbers_are_exact(inputs, rows, seed):
    random = np.random.default_rng(seed)
    matrix = Matrix(*round_rows(random.standard_normal((7, inputs)).astype(np.float32)))
    given_rows = random.standard_normal((rows, inputs)).astype(np.float32)
    whole, scale = round_rows(given_rows)
    assert np.abs(whole).max() == LARGEST
    parts = range(0, inputs, MOST_EXACT)
    exact = sum(
        (whole[:, p : p + MOST_EXACT].astype(np.int64))
        @ matrix.values[:, p : p + MOST_EXACT].astype(np.int64).T
        for p in parts
    )
    expected = exact.astype(np.float32) * scale[:, None] * matrix.scale
    found = multiply(given_rows, matrix)
    if inputs <= MOST_EXACT:
        assert (found == expected).all()
    assert np.allclose(found, expected, rtol=1e-6)


def test_rounding_changes_scores_little():
    exact = toy.random_weights(COPYING, size=0.6)
    for sentence in SENTENCES[:10]:
        target = [*sentence[::-1], "wa"]
        before = score(Network(exact), sentence, target)
        after = score(Network(round_weights(exact)), sentence, target)
        assert before == pytest.approx(after, rel=0.02)


def test_probabilities_of_a_step_add_up_to_one():
    model = network(COPYING)
    encoded = model.encode([[4, 5, UNKNOWN], [6]])
    step = model.step(encoded, model.begin(encoded), np.array([BEGIN, BEGIN]))
    copied = [copies.sum() for copies in step.copies]
    assert step.words.sum(1) + copied == pytest.approx([1, 1], abs=1e-5)
    for attention in step.attention:
        assert attention.sum(1) == pytest.approx(1, abs=1e-6)


def test_a_model_that_only_copies_writes_unseen_source_words():
    closed = {
        "gate": np.zeros(44, np.float32),
        "gate.bias": np.full(1, -30, np.float32),
    }
    outputs = search(network(COPYING, **closed), SENTENCES, Search())
    for sentence, (best, *_) in zip(SENTENCES, outputs, strict=True):
        assert set(best.words) <= set(sentence)
    written = {word for (best, *_) in outputs for word in best.words}
    assert {"Zanzibar", "http://x.y/z", "quux"} & written


def test_an_unknown_word_becomes_the_source_word_with_most_attention():
    bias = np.zeros(30, np.float32)
    bias[UNKNOWN] = 100
    (found,) = search(network(bias=bias), [["Zanzibar", "wa", "quux"]], Search(beam=1))
    for word, origin in zip(found[0].words, found[0].origins, strict=True):
        assert word == ["Zanzibar", "wa", "quux"][origin]


def test_a_model_with_a_copy_mechanism_never_writes_unknown():
    bias = np.zeros(30, np.float32)
    bias[UNKNOWN] = 100
    outputs = search(network(COPYING, bias=bias), SENTENCES[:8], Search())
    assert "<unk>" not in {word for found in outputs for word in found[0].words}


def test_a_beam_finds_better_outputs_than_greedy_search():
    settings = Search(length_penalty=0)
    for architecture in (toy.SIZES, COPYING):
        model = network(architecture)
        greedy = [
            o[0].score for o in search(model, SENTENCES, replace(settings, beam=1))
        ]
        beam = [o[0].score for o in search(model, SENTENCES, replace(settings, beam=8))]
        assert np.mean(beam) > np.mean(greedy)
        worse = sum(b < g - 1e-5 for b, g in zip(beam, greedy, strict=True))
        assert worse <= 2  # a beam may lose the greedy path, but seldom does


def test_scores_are_what_the_model_gives_the_output():
    model, settings = network(COPYING), Search(length_penalty=0)
    ended = 0
    for sentence, (best, *_) in zip(
        SENTENCES, search(model, SENTENCES, settings), strict=True
    ):
        if len(best.words) < settings.longest * len(sentence) + 9:
            ended += 1
            expected = score(model, sentence, best.words)
            assert best.score == pytest.approx(expected, abs=1e-4)
    assert ended


def test_alternatives_are_distinct_and_ranked():
    for found in search(network(COPYING), SENTENCES, Search(beam=2), 6):
        assert 1 <= len(found) <= 6
        assert len({output.words for output in found}) == len(found)
        scores = [output.score for output in found]
        assert scores == sorted(scores, reverse=True)


def test_the_length_penalty_is_that_of_wu_et_al():
    assert Search(length_penalty=1).normalise(-6.0, 7) == pytest.approx(-3)
    assert Search(length_penalty=0).normalise(-6.0, 7) == -6


def test_a_saved_model_is_the_same_model(tmp_path):
    model = round_weights(toy.random_weights(COPYING))
    weights.save(tmp_path / "model", model)
    loaded = weights.load(tmp_path / "model")
    assert (loaded.architecture, loaded.vocabulary) == (COPYING, model.vocabulary)
    again = search(Network(loaded), SENTENCES[:9], Search())
    assert again == search(Network(model), SENTENCES[:9], Search())


def test_a_model_that_is_not_rounded_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not rounded"):
        weights.save(tmp_path / "model", toy.random_weights())


@pytest.mark.parametrize("name", ["keys", "decoder.1.bias", "gate", "embedding"])
def test_a_model_whose_arrays_do_not_fit_is_refused(tmp_path, name):
    arrays = dict(toy.random_weights(COPYING).vectors)
    arrays |= {n: m.values for n, m in toy.random_weights(COPYING).matrices.items()}
    arrays[name] = np.zeros(np.array(arrays[name].shape) + 1, np.float32)
    words = toy.random_weights().vocabulary
    broken = round_weights(weights.make_weights(COPYING, words, arrays))
    weights.save(tmp_path / "model", broken)
    with pytest.raises(ParaphrastError, match=r"model is damaged: its arrays do not"):
        weights.load(tmp_path / "model")


@pytest.mark.parametrize("cut", [10, 200, 5000])
def test_a_truncated_model_is_refused(tmp_path, cut):
    path = tmp_path / "model"
    weights.save(path, round_weights(toy.random_weights()))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ParaphrastError, match=r"Re-download the model"):
        weights.load(path)


def test_the_vocabulary_has_words_of_several_pairs_and_no_blanks():
    once = (["d", "a"], ["d", "d"])
    pairs = [(["a", "b", "a b"], ["b"]), (["a", "b"], ["c", "a b"]), once, once]
    pairs += [(["<unk>"], ["a"]), (["<unk>"], ["c"])]
    vocabulary = count_words(pairs, Limits(size=3, least_count=2))
    assert vocabulary.words[4:] == ("a", "<unk>", "b")
    assert vocabulary.encode(["a", "c", "<unk>"]) == [4, UNKNOWN, 5]
    assert len(Vocabulary(vocabulary.words[:4])) == 4


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Architecture, {"hidden": 15}),
        (Architecture, {"layers": 0}),
        (Limits, {"size": 0}),
        (Training, {"epochs": 0}),
        (Training, {"dropout": 1.0}),
        (Training, {"learning_rate": 0.0}),
        (Training, {"seconds": -1.0}),
        (Search, {"beam": 0}),
        (Search, {"length_penalty": -1.0}),
    ],
)
def test_impossible_settings_are_refused(kind, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        kind(**options)


def test_batches_run_in_order_with_blas_on_one_thread():
    from threadpoolctl import threadpool_info

    def count_threads(batch):
        used = [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]
        return batch, max(used, default=1)

    assert map_batches(count_threads, range(5)) == [(batch, 1) for batch in range(5)]
    assert map_batches(count_threads, []) == []


def test_without_threadpoolctl_batches_run_one_after_another(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    threads = map_batches(lambda _: threading.get_ident(), range(3))
    assert set(threads) == {threading.get_ident()}
