"""Tiny networks learn to greet formally; what NumPy makes of them is the same."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nmt_toy as toy
import paraphrast
from paraphrast.errors import ParaphrastError
from paraphrast.nmt import building, settings, weights
from paraphrast.nmt.beam_search import Search, score
from paraphrast.nmt.building import Plan, Texts
from paraphrast.nmt.inference import Network
from paraphrast.nmt.preparing import Preparation, prepare
from paraphrast.nmt.training_data import TrainingData
from paraphrast.nmt.vocabulary import SPECIAL, Vocabulary
from paraphrast.storage import packs

PLAN = Plan(
    settings.Architecture(embedding=16, hidden=32, layers=1, copy=True),
    settings.Vocabulary(least_count=2),
    settings.Training(
        epochs=60,
        learning_rate=2e-2,
        dropout=0.0,
        batch_tokens=320,
        patience=60,
        device="cpu",
        checkpoint_seconds=math.inf,
    ),
    Search(beam=3),
)


def build(folder, plan=PLAN, **options):
    import torch

    torch.set_num_threads(1)  # a second thread would wait for other tests' cores
    texts = Texts(toy.pairs(), held_out=toy.pairs(12, seed=5))
    return building.build_pack(texts, folder, style="formal", plan=plan, **options)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("nmt") / "formal")


@pytest.mark.train
def test_names_never_seen_are_copied(built):
    rewriter = paraphrast.load(pack=built.pack.folder)
    sources, targets = zip(*toy.pairs(20, seed=9), strict=True)
    found = [rewrite.text for rewrite in rewriter.rewrite(list(sources))]
    right = sum(a == b for a, b in zip(found, targets, strict=True))
    assert right >= 16, list(zip(found, targets, strict=True))


@pytest.mark.train
def test_training_lowers_the_held_out_perplexity(built):
    losses = [entry["held_out"] for entry in built.summary.history]
    assert min(losses) < losses[0] / 4
    assert built.summary.perplexity == pytest.approx(math.exp(min(losses)))
    assert built.summary.pairs == 120
    assert len(built.summary.samples) == 5
    stored = json.loads((built.pack.folder / building.SUMMARY).read_text("utf-8"))
    assert stored["perplexity"] == built.summary.perplexity
    assert any("perplexity" in line for line in built.summary.lines())


@pytest.mark.train
def test_a_protected_span_is_copied_or_the_sentence_stays(built):
    rewriter = paraphrast.load(pack=built.pack.folder)
    text = "hi http://example.org/a?b=c"
    (result,) = rewriter.rewrite([text])
    assert "http://example.org/a?b=c" in result.text
    (kept,) = rewriter.rewrite(["thanks Ann Lee !"], protect=["Ann Lee"])
    assert "Ann Lee" in kept.text


@pytest.mark.train
@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_numpy_gives_the_log_probabilities_of_torch(copy, layers):
    import torch

    from paraphrast.nmt.training.learner import collate, export_arrays
    from paraphrast.nmt.training.network import Network as TorchNetwork

    torch.manual_seed(3)
    architecture = settings.Architecture(12, 16, layers, copy)
    vocabulary = Vocabulary((*SPECIAL, *toy.WORDS))
    theirs = TorchNetwork(architecture, len(vocabulary)).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.mul_(2)
    ours = Network(
        weights.make_weights(architecture, vocabulary, export_arrays(theirs))
    )
    source, target = ["wb", "Zanzibar", "wc", "quux"], ["wa", "Zanzibar", "wc", "zzz"]
    unseen = {"Zanzibar": 30, "quux": 31, "zzz": 32}
    numbers = vocabulary.numbers | unseen
    pair = [numbers[w] for w in source], [numbers[w] for w in target]
    with torch.no_grad():
        expected = -float(theirs.loss(*collate([pair], "cpu")))
    assert score(ours, source, target) == pytest.approx(expected, rel=1e-5)


@pytest.mark.train
@pytest.mark.parametrize("copy", [False, True])
def test_padding_changes_no_loss_and_attention_ignores_it(copy):
    import torch

    from paraphrast.nmt.training.learner import collate
    from paraphrast.nmt.training.network import Network as TorchNetwork

    torch.manual_seed(1)
    network = TorchNetwork(settings.Architecture(8, 12, 2, copy), 30).eval()
    pairs = [([4, 5, 40, 7, 8], [5, 40]), ([9], [4, 5, 6, 7]), ([4, 9, 9], [41])]
    with torch.no_grad():
        together = float(network.loss(*collate(pairs, "cpu")))
        alone = sum(float(network.loss(*collate([pair], "cpu"))) for pair in pairs)
        source, lengths, shown, _ = collate(pairs, "cpu")
        attention = network(source, lengths, shown).attention
    assert together == pytest.approx(alone, rel=1e-5)
    assert attention.sum(-1).numpy() == pytest.approx(1, abs=1e-5)
    assert attention[1, :, 1:].abs().max() == 0


@pytest.mark.train
def test_every_weight_gets_a_gradient_and_the_gates_sign_is_right():
    import torch

    from paraphrast.nmt.training.learner import collate
    from paraphrast.nmt.training.network import Network as TorchNetwork

    torch.manual_seed(1)
    network = TorchNetwork(settings.Architecture(8, 12, 2, copy=True), 30)
    network.loss(*collate([([4, 40, 6], [40, 40])], "cpu")).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad.abs().sum() > 0, name
    # More copying makes an unknown source word more probable.
    assert network.gate.bias.grad > 0


@pytest.mark.train
def test_a_gradient_is_the_slope_of_the_loss():
    import torch

    from paraphrast.nmt.training.learner import collate
    from paraphrast.nmt.training.network import Network as TorchNetwork

    torch.manual_seed(2)
    network = TorchNetwork(settings.Architecture(4, 6, 1, copy=True), 12).double()
    batch = collate([([4, 20, 6], [5, 20]), ([7], [8, 9, 10])], "cpu")
    network.loss(*batch).backward()
    for parameter in (network.keys.weight, network.gate.weight, network.bias):
        slope, step = parameter.grad.view(-1)[3].item(), 1e-6
        with torch.no_grad():
            parameter.view(-1)[3] += step
            above = network.loss(*batch).item()
            parameter.view(-1)[3] -= 2 * step
            below = network.loss(*batch).item()
            parameter.view(-1)[3] += step
        assert (above - below) / (2 * step) == pytest.approx(slope, rel=1e-4, abs=1e-7)


class Stopped(Exception):  # noqa: N818
    """Stands for a power cut."""


def stop(report):
    if report.step == 7:
        raise Stopped


@pytest.mark.train
def test_a_resumed_training_reaches_the_same_weights(tmp_path):
    few = replace(PLAN.training, epochs=3, checkpoint_seconds=0.0, dropout=0.2)
    plan = replace(PLAN, training=few)

    with pytest.raises(Stopped):
        build(tmp_path / "a", plan, progress=stop)
    resumed = build(tmp_path / "a", plan, resume=True)
    whole = build(tmp_path / "b", plan)
    models = [folder / "model" for folder in (tmp_path / "a", tmp_path / "b")]
    assert models[0].read_bytes() == models[1].read_bytes()
    assert resumed.summary.history == whole.summary.history
    assert not (tmp_path / "a.partial").exists()


@pytest.mark.train
def test_other_settings_cannot_be_resumed(tmp_path):
    few = replace(PLAN.training, epochs=3, checkpoint_seconds=0.0)

    with pytest.raises(Stopped):
        build(tmp_path / "a", replace(PLAN, training=few), progress=stop)
    other = replace(few, dropout=0.5)
    with pytest.raises(ParaphrastError, match=r"settings changed since it stopped"):
        build(tmp_path / "a", replace(PLAN, training=other), resume=True)


@pytest.mark.train
def test_pretrained_vectors_start_the_embeddings():
    from paraphrast.nmt.training.learner import _place_vectors
    from paraphrast.nmt.training.network import Network as TorchNetwork

    network = TorchNetwork(settings.Architecture(4, 6, 1), 9)
    before = network.embedding.weight.detach().numpy().copy()
    vectors = np.zeros((9, 4), np.float32)
    vectors[5], vectors[6] = [1, 2, 3, 4], [-1, 0, 1, 5]
    _place_vectors(network, vectors)
    after = network.embedding.weight.detach().numpy()
    assert (after[:5] == before[:5]).all()
    assert after[6] / after[5][0] == pytest.approx(vectors[6], rel=1e-5)


def test_training_data_survives_its_file(tmp_path):
    prepared = prepare(toy.pairs(20), toy.pairs(4, seed=3), Preparation())
    vectors = np.ones((len(prepared.data.vocabulary), 3), np.float32)
    vectors[4] = [1, -0.5, 0]
    replace(prepared.data, vectors=vectors).save(tmp_path / "data")
    loaded = TrainingData.load(tmp_path / "data")
    assert loaded.train == prepared.data.train
    assert loaded.held == prepared.data.held
    assert loaded.vocabulary == prepared.data.vocabulary
    assert loaded.vectors == pytest.approx(vectors, abs=0.01)


def test_an_unknown_word_has_one_number_on_both_sides():
    prepared = prepare(toy.pairs(8), [], Preparation())
    words = len(prepared.data.vocabulary)
    for source, target in prepared.data.train:
        unknown = {number for number in source if number >= words}
        assert len(unknown) == 1
        assert unknown <= set(target)


def test_damaged_training_data_is_refused(tmp_path):
    prepare(toy.pairs(8), [], Preparation()).data.save(tmp_path / "data")
    (tmp_path / "data").write_bytes((tmp_path / "data").read_bytes()[:-9])
    with pytest.raises(ParaphrastError, match=r"Prepare the pairs again"):
        TrainingData.load(tmp_path / "data")


def test_empty_and_long_pairs_are_dropped_and_no_pairs_is_an_error():
    pairs = [("", "a"), ("a b c", "b"), ("a", "b")]
    prepared = prepare(pairs, [], Preparation(longest=2))
    assert prepared.dropped == {"a side is empty": 1, "a side is too long": 1}
    with pytest.raises(ParaphrastError, match=r"no pairs to learn from"):
        prepare([("", "")], [], Preparation())


OLD_PACK = Path(__file__).parent / "packs" / "nmt-1"


def test_the_pack_of_format_1_is_read_for_ever():
    assert packs.verify(OLD_PACK).about.format == 1
    rewriter = paraphrast.load(pack=OLD_PACK)
    expected = json.loads((OLD_PACK.parent / "nmt-1.json").read_text("utf-8"))
    for text, rewrite in expected.items():
        assert rewriter.rewrite([text])[0].text == rewrite


def test_a_pack_with_a_changed_model_is_refused(tmp_path):
    shutil.copytree(OLD_PACK, tmp_path / "pack")
    model = tmp_path / "pack" / "model"
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(content)
    with pytest.raises(ParaphrastError, match=r"changed since it was written"):
        paraphrast.load(pack=tmp_path / "pack")
