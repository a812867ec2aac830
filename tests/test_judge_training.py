"""Training a judge: mistakes and examples for all, a tiny encoder where torch is."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.judges.encoder.running import Int8Encoder, pool_texts
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.exporting import export
from paraphrast.text.wordpiece import WordPiece
from training.judge import mistakes
from training.judge.packed_weights import mpnet_vocabulary
from training.judge.tables import Tables, load

WORDS = "[PAD] [UNK] [CLS] [SEP] the cat dog bites sleeps thou you".split()  # noqa: SIM905
SENTENCES = [
    ["The", "old", "king", "is", "not", "happy", "with", "his", "two", "sons", "."],
    ["He", "gave", "the", "letter", "to", "Maria", "before", "Antonio", "came", "."],
]


def babbler():
    return mistakes.Babbler([w.lower() for w in words] for words in SENTENCES)


@given(st.lists(st.sampled_from(SENTENCES[0]), min_size=1, max_size=9), st.integers())
def test_a_broken_sentence_differs_from_the_original(words, seed):
    draw = random.Random(seed)
    found = mistakes.break_sentence(
        words, draw, strangers=["cheese"], babbler=babbler()
    )
    assert found != words
    assert found


def test_breaking_is_reproducible():
    def once():
        draw = random.Random(4)
        return [
            mistakes.break_sentence(
                SENTENCES[1], draw, strangers=["a"], babbler=babbler()
            )
            for _ in range(20)
        ]

    assert once() == once()
    assert len({tuple(words) for words in once()}) > 10


def test_every_kind_of_change_is_made():
    draw = random.Random(1)
    names = ["Maria", "Antonio", "Viola"]
    made = {
        " ".join(mistakes.change_meaning(words, draw, names=names))
        for words in SENTENCES
        for _ in range(200)
    }
    assert "The old king is happy with his two sons ." in made
    assert "The old queen is not happy with his two sons ." in made
    assert any("his six sons" in text for text in made)
    assert any("to Viola before" in text for text in made)
    assert "He gave the letter to Antonio before Maria came ." in made
    assert not {" ".join(words) for words in SENTENCES} & made


def test_a_text_with_nothing_to_change_gives_none():
    assert mistakes.change_meaning(["Indeed", "!"], random.Random(1), names=[]) is None


def test_tables_round_trip(tmp_path):
    tables = Tables(WordPiece(WORDS))
    tables.add("pairs", ["the cat", "dog", "", "thou"], [1, 0], width=2)
    tables.add("one", ["you"], [0.5])
    tables.attach("one", "features", np.array([[1.0, 2.0]]))
    tables.save(tmp_path / "t.npz")
    found = load(tmp_path / "t.npz")
    assert [list(text) for text in found["pairs"].texts] == [[4, 5], [6], [], [9]]
    assert found["pairs"].width == 2
    assert found["one"].extra["features"].tolist() == [[1, 2]]
    assert tables.sizes() == {"pairs": 2, "one": 1}
    with pytest.raises(ParaphrastError, match="2 texts per label"):
        tables.add("pairs", ["a"], [1], width=2)


@pytest.fixture
def network():
    import torch
    import transformers

    from paraphrast.judges.training.network import Head, Marks, Network

    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=140,
    )
    encoder = transformers.BertModel(config, add_pooling_layer=False)
    heads = [Head("style", "classes", 2), Head("ok", "flag"), Head("size", "score")]
    return Network(encoder, heads, marks=Marks(2, 3, 0), vector=16)


def texts(*rows):
    pieces = WordPiece(WORDS)
    return [np.array(pieces.ids(row), np.int64) for row in rows]


@pytest.mark.train
def test_a_tiny_network_learns_all_its_tasks(network):
    from paraphrast.judges.training.fitting import Labelled, Plan, fit
    from training.judge.prediction import predict
    from training.judge.tasks import Alike, Contrast

    said = texts("thou cat", "you cat", "thou dog sleeps", "you dog sleeps")
    labels = np.array([1, 0, 1, 0], np.float32)
    pairs = Table(texts("cat", "cat", "cat", "dog"), np.array([1, 0], np.float32), 2)
    triples = Table(texts("the cat", "cat", "dog"), np.zeros(1, np.float32), 3)
    tasks = [
        Labelled("style", Table(said, labels), 4),
        Labelled("ok", Table(said, labels), 4),
        Labelled("size", Table(said, 2 * labels), 4),
        Alike(pairs, 2),
        Contrast(triples, 1),
    ]
    fit(network, tasks, Plan(steps=60, rate=3e-3, seed=1), device="cpu")
    found = predict(network, said, device="cpu")
    assert found["style"].argmax(axis=1).tolist() == [1, 0, 1, 0]
    assert (found["ok"][:, 0] > 0).tolist() == [True, False, True, False]
    assert found["size"][:, 0] == pytest.approx([2, 0, 2, 0], abs=0.7)
    vectors = predict(network, texts("cat", "dog"), device="cpu")["vector"]
    assert vectors[0] @ vectors[1] < 0.7


@pytest.mark.train
def test_a_student_learns_the_predictions_of_its_teacher(network):
    import torch

    from paraphrast.judges.training.fitting import Plan, fit
    from training.judge.prediction import predict
    from training.judge.tasks import Taught

    said = texts("thou cat", "you cat", "thou dog", "you dog", "the cat", "the dog")
    table = Table(said, np.zeros(2, np.float32), 3)
    logits = {"style": torch.tensor([[0.0, 3.0], [3.0, 0.0]] * 3)}
    vectors = torch.nn.functional.normalize(torch.randn(6, 16), dim=1)
    before = predict(network, said, device="cpu")["vector"]
    fit(network, [Taught(table, 2, logits, vectors)], Plan(200, 3e-3, 1), device="cpu")
    found = predict(network, said, device="cpu")
    near = (found["vector"] * vectors.numpy()).sum(axis=1)
    assert near.mean() > (before * vectors.numpy()).sum(axis=1).mean() + 0.2
    right = found["style"].argmax(axis=1) == [1, 0, 1, 0, 1, 0]
    assert right.sum() >= 5


@pytest.mark.train
def test_a_time_limit_ends_training(network):
    from paraphrast.judges.training.fitting import Labelled, Plan, fit

    table = Table(texts("thou cat", "you cat"), np.array([1, 0], np.float32))
    steps = []
    plan = Plan(steps=10**9, rate=1e-3, seed=1, seconds=0.5)
    fit(
        network,
        [Labelled("style", table, 2)],
        plan,
        device="cpu",
        progress=lambda step, loss: steps.append(step),
    )
    assert steps


@pytest.mark.train
def test_an_exported_encoder_predicts_as_the_trained_one(network, tmp_path):
    from training.judge.prediction import predict

    state = network.encoder.state_dict()
    weights = {name: tensor.numpy() for name, tensor in state.items()}
    kept = {name: array.copy() for name, array in weights.items()}
    export(weights, WORDS, tmp_path / "encoder", heads=2)
    assert all((weights[name] == kept[name]).all() for name in weights)
    encoder = Int8Encoder(tmp_path / "encoder", hidden=16)
    said = texts("thou cat bites the dog", "you")
    rows = pool_texts(encoder, [list(map(int, text)) for text in said], start=2, end=3)
    network.meaning = None
    vectors = predict(network, said, device="cpu")["vector"]
    ours = rows[:, :16] / np.linalg.norm(rows[:, :16], axis=1, keepdims=True)
    assert (ours * vectors).sum(axis=1) == pytest.approx(1, abs=0.02)


@pytest.mark.train
def test_an_exported_mpnet_equals_the_reference(tmp_path):
    import torch
    import transformers

    torch.manual_seed(2)
    config = transformers.MPNetConfig(
        vocab_size=30,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=32,
        max_position_embeddings=200,
        layer_norm_eps=1e-5,
    )
    model = transformers.MPNetModel(config, add_pooling_layer=False).eval()
    torch.nn.init.normal_(model.encoder.relative_attention_bias.weight)
    state = {n: t.numpy() for n, t in model.state_dict().items()}
    ids = [0, *range(4, 29), *range(4, 29), *range(4, 29), *range(4, 29), 2]
    with torch.no_grad():
        wanted = model(input_ids=torch.tensor([ids])).last_hidden_state.numpy()
    pieces = mpnet_vocabulary(["[UNK]", *map(str, range(24))])
    export(state, pieces, tmp_path / "encoder", heads=4, quantization=None)
    encoder = Int8Encoder(
        tmp_path / "encoder", hidden=16, numbered=True, precision="float32"
    )
    assert encoder.states([ids]) == pytest.approx(wanted, abs=2e-5)
