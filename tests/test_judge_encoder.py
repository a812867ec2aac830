"""Encoders, heads and models of a judge, on a toy encoder whose states are known."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_mpnet
from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges
from paraphrast.judges.encoder import heads as all_heads
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.matching import (
    Change,
    Matching,
    Words,
    load_change,
    match,
    weigh_vocabulary,
)
from paraphrast.judges.encoder.models import (
    EncoderFluency,
    EncoderFormality,
    EncoderSimilarity,
    EncoderStyle,
)
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.encoder.running import WINDOW, Int8Encoder, pool_texts
from paraphrast.judges.encoder.surface import COUNT, features, strip_surface
from paraphrast.judges.evaluator import Accuracy
from paraphrast.judges.style_grade import StyleGrade, StyleSubset
from paraphrast.judges.training.exporting import export
from paraphrast.metrics.base import Segment
from paraphrast.text.wordpiece import WordPiece
from training.judge.packed_weights import mpnet_vocabulary, widen_weights

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "thou", "you", "love", "hate", "x"]


class Toy:
    """The state of a piece is a row of the identity, whatever is around it."""

    hidden = len(PIECES)

    def __init__(self):
        self.batches = []

    def states(self, batch):
        self.batches.append([len(ids) for ids in batch])
        longest = max(map(len, batch))
        found = np.full((len(batch), longest, self.hidden), 99.0, np.float32)
        for row, ids in enumerate(batch):
            found[row, : len(ids)] = np.eye(self.hidden)[ids]
        return found


def reader(**arrays):
    size = 2 * Toy.hidden
    heads = {"style.weight": np.zeros((2, size)), "style.bias": np.zeros(2)}
    heads["style.weight"][0, PIECES.index("you")] = 10
    heads["style.weight"][1, PIECES.index("thou")] = 10
    heads["ok.weight"] = np.zeros((1, size))
    heads["ok.weight"][0, PIECES.index("love")] = 8
    heads["ok.bias"] = np.array([-1.0])
    heads["formality.weight"] = np.full((1, size + COUNT), 100.0)
    heads["formality.bias"] = np.zeros(1)
    heads["bare.weight"] = np.zeros((1, size))
    heads["bare.bias"] = np.array([0.5])
    kept = {n: a.astype(np.float32) for n, a in (heads | arrays).items()}
    return Reader(Toy(), WordPiece(PIECES), Heads(Toy.hidden, kept), "toy", 2, 3)


def test_pooling_leaves_padding_out():
    rows = pool_texts(Toy(), [[4], [4, 4, 6]], start=2, end=3)
    mean, first = rows[:, : Toy.hidden], rows[:, Toy.hidden :]
    assert mean[0] == pytest.approx(np.eye(Toy.hidden)[[2, 4, 3]].mean(axis=0))
    assert mean[1, 4] == pytest.approx(2 / 5)
    assert first[:, 2] == pytest.approx([1, 1])


def test_a_text_without_tokens_pools_to_zeros():
    assert not pool_texts(Toy(), [[]], start=2, end=3).any()


def test_long_texts_are_read_in_windows_of_equal_length():
    toy = Toy()
    rows = pool_texts(toy, [[4] * (WINDOW + 2)], start=2, end=3)
    assert toy.batches == [[WINDOW // 2 + 3] * 2]
    half = WINDOW // 2 + 1
    assert rows[0, 4] == pytest.approx(half / (half + 2))


def test_batches_hold_texts_of_one_length():
    toy = Toy()
    pool_texts(toy, [[4] * n for n in (100, 1, 2, 99, 1, *[5] * 500)], start=2, end=3)
    assert all(max(sizes) * len(sizes) <= 2048 for sizes in toy.batches)
    assert all(len(set(sizes)) == 1 for sizes in toy.batches)
    assert len(toy.batches) == 6


@given(st.lists(st.lists(st.integers(4, 8), max_size=9), max_size=9), st.randoms())
def test_order_does_not_matter(texts, draw):
    order = list(range(len(texts)))
    draw.shuffle(order)
    rows = pool_texts(Toy(), texts, start=2, end=3)
    again = pool_texts(Toy(), [texts[i] for i in order], start=2, end=3)
    assert again == pytest.approx(rows[order])


def test_style_by_hand_and_unreadable_text():
    model = EncoderStyle(("modern", "shakespeare"), (reader(),), "style")
    found = model.probabilities(["you love", "thou love", "", "😀", "Ω Ω Ω"])
    assert found[0, 0] == pytest.approx(1 / (1 + math.exp(-2.5)))
    assert found[1, 1] == pytest.approx(found[0, 0])
    assert found[2:] == pytest.approx(0.5)


@pytest.mark.parametrize("metric", [Accuracy, StyleGrade])
@pytest.mark.parametrize("target", ["modern", "shakespeare"])
def test_unreadable_texts_score_zero_in_every_style(metric, target):
    model = EncoderStyle(("modern", "shakespeare"), (reader(),), "style")
    outputs = ("", "😀", "Ω Ω Ω", "thou love" if target == "shakespeare" else "you")
    found = metric(model).values([Segment(text, target=target) for text in outputs])
    assert found[:3].tolist() == [0, 0, 0]
    assert found[3] > 0.5


def test_specialists_judge_only_their_own_styles():
    base = reader()
    special = EncoderStyle(("a", "b"), (base,), "style", sharpness=3.0)
    three = {"three.weight": np.zeros((3, 18)), "three.bias": np.array([0, 0, 5.0])}
    general = EncoderStyle(("a", "b", "c"), (reader(**three),), "three")
    both = general.beside([special])
    assert both.signature != general.signature
    assert both.among(("b", "a")) is special
    assert both.among(("a", "c")) is None
    among = StyleSubset(both, ("a", "b")).probabilities(["thou"])
    assert among[0, 1] > 0.99
    assert StyleSubset(general, ("a", "b")).probabilities(["thou"])[0, 1] == 0.5


def test_similarity_is_the_cosine_on_peoples_scale():
    plain = EncoderSimilarity(reader())
    value = plain(["thou love"], ["you love"])[0]
    assert value == pytest.approx(3 / 4)  # both marks and one word of four are shared
    scaled = replace(plain, knots=((0.75, 0.5),))
    assert scaled(["thou love"], ["you love"])[0] == pytest.approx(0.5)
    assert scaled.signature != plain.signature


def test_similarity_of_odd_pairs():
    model = EncoderSimilarity(reader())
    found = model(["", "", "😀", "😀", "thou "], ["", "thou", "😀", "😢", "thou"])
    assert found.tolist() == [1, 0, 1, 0, 1]
    assert model([], []).shape == (0,)


def test_fluency_by_hand():
    model = EncoderFluency(reader(), {"ok": 0.5}, bias=0.25)
    expected = 1 / (1 + math.exp(-(0.25 + 0.5 * (8 / 3 - 1))))
    assert model.probabilities(["love", "", "!!"]) == pytest.approx([expected, 0, 0])


def test_formality_is_bounded_and_undefined_for_blank_text():
    model = EncoderFormality(reader())
    assert model.values(["Love.", ""])[0] == 3
    assert np.isnan(model.values([""])[0])
    assert replace(model, surface_features=False).values(["LOVE!"])[0] == pytest.approx(
        0.5
    )


def test_the_cache_of_a_reader_is_bounded(monkeypatch):
    found = reader()
    found.pool(["thou", "thou", "you"])
    assert found.encoder.batches == [[3, 3]]
    found.pool(["you"])
    assert len(found.encoder.batches) == 1
    monkeypatch.setattr("paraphrast.judges.encoder.reading._REMEMBERED", 1)
    found.pool(["love"])
    assert list(found._seen) == [(PIECES.index("love"),)]


def test_surface_features_by_hand():
    shouted, calm = features(["HEY!!! i am", "Good morning."])
    assert shouted[9] == 1
    assert calm[9] == 0
    assert shouted[4] == 1
    assert shouted[2] == pytest.approx(1 / 3)
    assert calm[7] == 1
    assert features([]).shape == (0, COUNT)


@given(st.text(max_size=40))
def test_surface_features_are_defined_for_anything(text):
    assert np.isfinite(features([text])).all()
    assert strip_surface(text) == strip_surface(strip_surface(text))


def test_stripping_keeps_apostrophes_inside_words():
    assert strip_surface("Don't -- 'tis \"so\", SHE said.") == "don't tis so she said"


def test_heads_round_trip_and_damaged_ones_are_refused(tmp_path):
    heads = reader().heads
    heads.save(tmp_path / "heads.arrays")
    assert all_heads.load(tmp_path / "heads.arrays").signature == heads.signature
    with pytest.raises(ParaphrastError, match="styl"):
        heads.logits("styl", np.zeros((1, 18), np.float32))
    Heads(1, {"a": np.array([np.nan])}).save(tmp_path / "bad.arrays")
    with pytest.raises(ParaphrastError, match="not finite"):
        all_heads.load(tmp_path / "bad.arrays")


MPNET_PIECES = mpnet_vocabulary(PIECES[1:8])


def exported(folder, quantization=None, **settings):
    arrays = reference_mpnet.weights(**settings)
    export(arrays, MPNET_PIECES, folder, heads=2, quantization=quantization)
    precision = quantization or "float32"
    encoder = Int8Encoder(folder, hidden=8, numbered=True, precision=precision)
    return arrays, encoder


@pytest.mark.parametrize("length", [1, 2, 9, 126])
def test_our_mpnet_equals_the_reference_implementation(tmp_path, length):
    arrays, encoder = exported(tmp_path / "encoder")
    ids = [0, *(4 + i % 7 for i in range(length)), 2]
    wanted = reference_mpnet.states(arrays, ids)
    assert encoder.states([ids])[0] == pytest.approx(wanted, abs=2e-5)


def test_padding_changes_no_state(tmp_path):
    _, encoder = exported(tmp_path / "encoder")
    alone = encoder.states([[0, 5, 2]])
    beside = encoder.states([[0, 5, 2], [0, 5, 6, 7, 8, 2]])
    assert beside[0, :3] == pytest.approx(alone[0], abs=1e-5)


def test_positions_and_distances_count(tmp_path):
    arrays, encoder = exported(tmp_path / "encoder")
    one, other = encoder.states([[0, 5, 6, 2], [0, 6, 5, 2]])
    assert abs(one[1] - other[2]).max() > 0.01
    arrays["encoder.relative_attention_bias.weight"][:] = 0
    export(arrays, MPNET_PIECES, tmp_path / "flat", heads=2, quantization=None)
    flat = Int8Encoder(tmp_path / "flat", hidden=8, numbered=True, precision="float32")
    assert abs(flat.states([[0, 5, 6, 2]])[0] - one).max() > 0.01


def test_eight_bit_weights_are_close_and_smaller(tmp_path):
    _, whole = exported(tmp_path / "whole")
    _, eight = exported(tmp_path / "eight", "int8")
    ids = [[0, 5, 6, 7, 2]]
    near = np.corrcoef(eight.states(ids)[0].ravel(), whole.states(ids)[0].ravel())
    # Processors without VNNI saturate 16-bit sums: 0.977 with oneDNN, else 0.99999.
    assert near[0, 1] > 0.95
    sizes = [(tmp_path / n / "model.bin").stat().st_size for n in ("eight", "whole")]
    assert sizes[0] < sizes[1]
    with pytest.raises(ParaphrastError, match="cannot read"):
        Int8Encoder(tmp_path / "none", hidden=8)


def test_eight_bit_weights_are_multiplied_by_their_scale():
    table = np.array([[1.0, -127.0], [0.0, 25.4]])
    arrays = {
        "a|int8": np.array([[1, -127], [0, 127]], np.int8),
        "a|scale": np.array([[1.0], [0.2]], np.float32),
        "b": np.array([0.5], np.float16),
    }
    found = widen_weights(arrays)
    assert found.keys() == {"a", "b"}
    assert found["a"] == pytest.approx(table)
    assert found["b"].dtype == np.float32


def test_buckets_of_distances():
    found = reference_mpnet.buckets(200)
    assert found[5, [5, 2, 8]].tolist() == [0, 3, 19]
    assert found[0, 199] == 31
    assert found[199, 0] == 15


@pytest.fixture(scope="module")
def small():
    return judges.load(Path("small"))


def test_the_small_judge_is_small_and_knows_its_styles(small):
    size = sum(p.stat().st_size for p in judges.SMALL.rglob("*") if p.is_file())
    assert size <= 30_000_000
    assert set(small.styles) == {
        "modern", "shakespeare", "bible", "poetry", "formal", "informal", "prose-1810",
        "prose-1890", "joyce", "tweet", "conversation", "polite", "simple", "concise",
    }  # fmt: skip
    assert small.hashes().keys() == {"accuracy", "similarity", "fluency", "formality"}


def test_the_small_judge_gets_plain_cases_right(small):
    texts = {
        "shakespeare": "Wherefore dost thou weep, my gentle lord?",
        "bible": "And it came to pass in those days, that the LORD spake unto Moses.",
        "tweet": "omg this new song is fire #nowplaying @user",
        "conversation": "yeah, uh, I don't know, we used to, uh, go there a lot",
    }
    found = small.accuracy.probabilities(list(texts.values()))
    assert [small.styles[i] for i in found.argmax(axis=1)] == list(texts)
    near, far = small.similarity(
        ["I do not know where he is."] * 2,
        ["I don't know where he has gone.", "The price of corn rose sharply."],
    )
    assert near > 0.6 > 0.3 > far
    good, bad = small.fluency.probabilities(
        ["The children were playing in the garden.", "Garden the in children were the."]
    )
    assert good > 0.5 > bad
    polite, rude = small.formality.values(
        [
            "I would be grateful if you could reply at your convenience.",
            "hey wassup lol",
        ]
    )
    assert polite > 0 > rude
    proper, shouted, small_letters = small.formality.values(
        [
            "Hello, I am looking to visit your country.",
            "HELLO, I AM LOOKING TO VISIT YOUR COUNTRY!!",
            "hello: i am looking to visit your country",
        ]
    )
    assert proper > small_letters + 0.5
    assert proper > shouted + 0.5


def test_case_and_spacing_do_not_change_style(small):
    text = "Wherefore dost thou weep, my gentle lord?"
    one, other = small.accuracy.probabilities([text, text.upper().replace(",", " ,")])
    assert one == pytest.approx(other)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_the_small_judge_has_a_value_for_anything(small, texts):
    assert np.isfinite(small.accuracy.probabilities(texts)).all()
    similar = small.similarity(texts, texts)
    assert similar == pytest.approx(1)
    fluent = small.fluency.probabilities(texts)
    assert ((fluent >= 0) & (fluent <= 1)).all()
    formal = small.formality.values(texts)
    assert (np.isnan(formal) | (np.abs(formal) <= 3)).all()


def test_a_thousand_words_are_judged(small):
    text = "the quick brown fox jumps over the lazy dog and " * 100
    assert 0 <= small.fluency.probabilities([text])[0] <= 1
    assert small.similarity([text], [text + "!"])[0] > 0.9


@pytest.mark.parametrize(
    "name", ["small/heads.npz", "registers.arrays", "words.arrays"]
)
def test_a_changed_file_is_refused(tmp_path, name):
    import shutil

    shutil.copytree(judges.SMALL, tmp_path / "judge")
    path = tmp_path / "judge" / name
    whole = bytearray(path.read_bytes())
    whole[100] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ParaphrastError, match="not the file named in judge.json"):
        judges.load(tmp_path / "judge")


def test_a_judge_of_another_version_is_refused(tmp_path):
    manifest = json.loads((judges.SMALL / "judge.json").read_text("utf-8"))
    for change, message in (
        ({"format": 6}, "judge format 6"),
        ({"format": 2}, "training/README.md"),
        ({"encoders": {}}, "missing"),
        ({"parts": {}}, "is not the file named in judge.json"),
    ):
        (tmp_path / "judge.json").write_text(json.dumps({**manifest, **change}))
        with pytest.raises(ParaphrastError, match=message):
            judges.load(tmp_path)


def test_another_hash_is_refused(tmp_path):
    import shutil

    shutil.copytree(judges.SMALL, tmp_path / "judge")
    path = tmp_path / "judge" / "judge.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["parts"]["fluency"]["bias"] += 1
    path.write_text(json.dumps(manifest))
    with pytest.raises(ParaphrastError, match="fluency model is not the one"):
        judges.load(tmp_path / "judge")


def test_a_system_made_with_the_small_judge_is_refused(small):
    judges.refuse_if_used(small, ["something else"])
    for signature in small.hashes().values():
        with pytest.raises(ParaphrastError, match="cannot score it"):
            judges.refuse_if_used(small, [signature])


def test_the_large_judge_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(judges, "LARGE", tmp_path / "none")
    with pytest.raises(ParaphrastError, match="training"):
        judges.load(Path("large"))


def matching(cosine=0.0, overlap=0.0, missing=0.0, **more):
    weights = weigh_vocabulary(PIECES, PIECES.index("you"))
    return Matching(cosine, overlap, missing, weights, **more)


def test_rare_words_count_more_and_punctuation_does_not_count():
    weights = weigh_vocabulary(["[UNK]", "!", "the", "of", "zephyr"], 2)
    assert weights[1] == 0
    assert 0 < weights[2] < weights[3] < weights[4] < 1
    # A judge's hash is of these, and logarithms differ in their last bit by processor.
    assert (weights == weights.round(6)).all()


def test_overlap_is_the_share_of_matched_words():
    words = replace(EncoderSimilarity(reader()), matching=matching(overlap=1.0))
    assert words.scores(["thou love"], ["love thou"])[0] == pytest.approx(1.0)
    assert words.scores(["thou"], ["love"])[0] == 0.0
    half = words.scores(["thou love"], ["thou"])[0]  # recall of a half, precision 1
    assert 0.5 < half < 0.8


def test_missing_words_count_the_same_in_either_text():
    words = replace(EncoderSimilarity(reader()), matching=matching(missing=1.0))
    there = words.scores(["thou love you"], ["thou love"])
    assert there == words.scores(["thou love"], ["thou love you"])
    assert there[0] < 1.0


def test_words_in_another_order_cost_a_share_of_the_score():
    model = replace(
        EncoderSimilarity(reader()), matching=matching(overlap=1.0, crossed=0.25)
    )
    text = "thou love you"
    assert model.scores([text], [text])[0] == pytest.approx(1.0)
    assert model.scores([text], ["you love thou"])[0] == pytest.approx(0.75)
    assert 0.75 < model.scores([text], ["thou you love"])[0] < 1.0
    assert model.scores([text], ["love"])[0] == model.scores(["love"], [text])[0]
    without = replace(EncoderSimilarity(reader()), matching=matching(overlap=1.0))
    assert without.scores([text], ["you love thou"])[0] == pytest.approx(1.0)


def test_order_counts_the_same_from_either_text():
    first = Words(np.eye(6), np.linspace(0.4, 1, 6))
    for order in ([1, 0, 2, 3, 4, 5], [5, 0, 1, 2, 3, 4], [3, 4, 5, 0, 1, 2]):
        second = Words(first.vectors[order], first.weights[order])
        crossed = match(first, second).crossed
        assert 0 < crossed < 1
        assert crossed == pytest.approx(match(second, first).crossed)
    assert match(first, first).crossed == 0
    assert match(first, Words(np.eye(6)[::-1], first.weights)).crossed == 1


def test_a_change_of_the_matrix_is_for_single_words_alone():
    down, up = np.zeros((1, Toy.hidden)), np.zeros((Toy.hidden, 1))
    down[0, PIECES.index("hate")], up[PIECES.index("love")] = 1, 1  # hate nears love
    change = Change(down.astype(np.float16), up.astype(np.float16))
    before = replace(EncoderSimilarity(reader()), matching=matching(0.5, 0.5))
    after = replace(before, matching=matching(0.5, 0.5, change=change))
    assert after.signature != before.signature
    pairs = ["hate", "thou"], ["love", "love"]
    assert before.scores(*pairs)[0] + 0.2 < after.scores(*pairs)[0]
    assert before.scores(*pairs)[1] == after.scores(*pairs)[1]
    vectors = [model.reader.heads.arrays for model in (before, after)]
    assert vectors[0].keys() == vectors[1].keys()  # texts are turned as before


def test_a_change_of_the_matrix_round_trips(tmp_path):
    draw = np.random.default_rng(1)
    change = Change(draw.normal(size=(2, 8)), draw.normal(size=(4, 2)))
    change.save(tmp_path / "words.arrays")
    assert load_change(tmp_path / "words.arrays").signature == change.signature


OLD_SIMILARITY = {  # of the judge of format 3, the cosine alone
    "encoder": "small",
    "knots": [
        [0.1104, 0.0845],
        [0.4125, 0.286],
        [0.5823, 0.4883],
        [0.6857, 0.6048],
        [0.7827, 0.6623],
        [0.8546, 0.7346],
        [0.9346, 0.8661],
    ],
}
OLD_VALUE = 0.925  # of "The manager called Anna." and "Anna called the manager."
OLD_HASH = "30ccad14802d6806e1e00a865d122327c73d8c8a02f4a8ca2ddee4efd165be02"


def test_a_judge_of_format_3_scores_as_it_did(tmp_path, small):
    import shutil

    shutil.copytree(judges.SMALL, tmp_path / "judge")
    (tmp_path / "judge" / "words.arrays").unlink()  # it had no such file
    path = tmp_path / "judge" / "judge.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["parts"]["similarity"] = OLD_SIMILARITY
    manifest["hashes"]["similarity"] = OLD_HASH
    path.write_text(json.dumps({**manifest, "format": 3}))
    old = judges.load(tmp_path / "judge", threads=1)
    first, second = ["The manager called Anna."], ["Anna called the manager."]
    assert old.similarity(first, second)[0] == pytest.approx(OLD_VALUE, abs=0.01)
    assert small.similarity(first, second)[0] < OLD_VALUE - 0.05
    assert old.similarity.reader.keeps_tokens is False


def test_matched_similarity_of_odd_pairs():
    third = matching(1 / 3, 1 / 3, 1 / 3)
    model = EncoderSimilarity(reader(), matching=third)
    found = model(["", "", "!!", "😀", "thou "], ["", "thou", "you", "😢", "thou"])
    assert found.tolist() == [1, 0, 0, 0, 1]
    assert model([], []).shape == (0,)
    assert model.signature != EncoderSimilarity(reader()).signature


def test_matching_reads_no_text_twice():
    found = replace(reader(), keeps_tokens=True)
    model = EncoderSimilarity(found, matching=matching(1.0))
    found.pool(["thou love", "you"])
    read = list(found.encoder.batches)
    model(["thou love"], ["you"])
    assert found.encoder.batches == read


def test_states_of_tokens_are_forgotten_before_they_fill_memory(monkeypatch):
    monkeypatch.setattr("paraphrast.judges.encoder.reading._TOKENS", 3)
    found = replace(reader(), keeps_tokens=True)
    found.pool(["thou love", "you love", "love"])
    assert sum(map(len, found._tokens)) <= 3
    read = len(found.encoder.batches)
    [tokens] = found.tokens(["thou love"])
    assert tokens.joined().shape == (2, Toy.hidden)
    assert len(found.encoder.batches) == read + 1


def test_pooling_keeps_no_tokens_that_nothing_matches():
    found = reader()
    found.pool(["thou love", "you love"])
    assert not found._tokens


def test_long_texts_keep_the_tokens_of_all_windows():
    [tokens] = reader().tokens(["love " * (WINDOW + 5)])
    assert len(tokens.ids) == len(tokens.joined()) == WINDOW + 5
