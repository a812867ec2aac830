"""Tiny models learn ten pairs by heart; what CTranslate2 makes of them is the same."""

import json
import os
from dataclasses import replace

import pytest

import neural_toy as toy
from paraphrast.errors import ParaphrastError
from paraphrast.neural.finetune import batches, examples, settings
from paraphrast.neural.finetune.examples import Example, Source
from paraphrast.neural.finetune.settings import Settings
from paraphrast.neural.models.generation import Decoding, Request

KINDS = ["t5", "marian", "gpt2", "llama", "qwen2"]
REQUESTS = [Request(source) for source, _ in toy.PAIRS]
TARGETS = [target for _, target in toy.PAIRS]


def settings_for(folder, kind, **options):
    given = {"epochs": 120, "held_out": 0, "learning_rate": 1e-2, "device": "cpu"}
    return Settings(
        base=toy.base(folder / f"{kind}-base", kind),
        sources=(Source(toy.pairs_file(folder / "pairs.tsv")),),
        **given | options,
    )


@pytest.fixture(autouse=True)
def one_thread(request):
    """Keep torch from waiting for a core that another test has."""
    if request.node.get_closest_marker("train"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Give a trained model of each kind, made when first asked for."""
    from paraphrast.neural.finetune import training

    folder = tmp_path_factory.mktemp("models")

    def model(kind):
        if not (folder / kind).exists():
            training.train(settings_for(folder, kind), folder / kind)
        return folder / kind

    return model


def texts(engine, decoding, **options):
    return [found[0].text for found in engine.candidates(REQUESTS, decoding, **options)]


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_ten_pairs_are_learned_by_heart(trained, kind):
    from paraphrast.neural.finetune import torch_engine

    engine = torch_engine.load(trained(kind), tagged=False, device="cpu")
    assert texts(engine, Decoding()) == TARGETS
    assert texts(engine, Decoding("beam", candidates=2, beam=3)) == TARGETS
    sampled = Decoding("nucleus", candidates=3, top_p=0.8)
    assert texts(engine, sampled, seed=7) == TARGETS


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_a_pack_gives_the_probabilities_of_its_model(trained, kind, tmp_path):
    from paraphrast.neural.finetune import converting, torch_engine
    from paraphrast.neural.models import pack as model

    made = converting.convert(trained(kind), tmp_path / "pack", styles={"old": "old"})
    assert made.parity.exact < 1e-4
    assert made.parity.int8 < 0.2
    engine = model.load_pack(tmp_path / "pack", "old").steps[0].engine
    theirs = torch_engine.load(trained(kind), tagged=False, device="cpu")
    for decoding in (Decoding(), Decoding("beam", candidates=2, beam=3)):
        assert texts(engine, decoding) == TARGETS
    engine = replace(
        engine, compute="float32", _opened=None
    )  # 8-bit sums differ between processors
    found = engine.candidates(REQUESTS, Decoding())
    scores = engine.score(REQUESTS, TARGETS)
    expected = theirs.score(REQUESTS, TARGETS)
    for one, ours, exact in zip(found, scores, expected, strict=True):
        assert one[0].log_probability == pytest.approx(ours, abs=0.01)
        assert ours == pytest.approx(exact, abs=0.3)


@pytest.mark.train
def test_an_untied_t5_whose_config_says_tied_is_converted_correctly(trained, tmp_path):
    import torch

    from paraphrast.neural.finetune import converting, torch_engine
    from paraphrast.neural.models import folders

    base = folders.read(trained("t5"))
    model = torch_engine.load_model(base)
    model.config.scale_decoder_outputs = False
    head = model.shared.weight.detach().clone() * model.config.d_model**-0.5
    model.lm_head.weight = torch.nn.Parameter(head + 0.01)
    model.save_pretrained(tmp_path / "untied")
    tokenizer = (base.path / "tokenizer.json").read_text()
    (tmp_path / "untied" / "tokenizer.json").write_text(tokenizer)
    again = torch_engine.load_model(folders.read(tmp_path / "untied"))
    assert again.lm_head.weight.equal(model.lm_head.weight)
    assert again.config.scale_decoder_outputs is False
    made = converting.convert(
        tmp_path / "untied", tmp_path / "pack", styles={"old": "old"}
    )
    assert made.parity.exact < 1e-4


@pytest.mark.train
@pytest.mark.parametrize("kind", ["t5", "llama"])
def test_smoothing_reduces_outliers_and_changes_nothing_else(trained, kind):
    import torch

    from paraphrast.neural.finetune import smooth_quant, torch_engine
    from paraphrast.neural.models import folders

    base = folders.read(trained(kind))
    engine = torch_engine.TorchEngine(
        torch_engine.load_model(base).eval(), base.prompter(tagged=False), base.padding
    )
    groups = [
        group for group in smooth_quant._groups(engine.model) if group.writer.ndim == 2
    ]
    with torch.no_grad():  # one channel a thousand times larger, and none the wiser
        groups[0].writer[3] *= 1000
        groups[0].readers[0].weight[:, 3] /= 1000
    before = engine.score(REQUESTS, TARGETS)
    smooth_quant.smooth(engine.model, lambda: engine.score(REQUESTS, TARGETS))
    rows = groups[0].writer.abs().amax(1)
    assert rows.max() / rows.median() < 100
    assert engine.score(REQUESTS, TARGETS) == pytest.approx(before, abs=1e-3)


@pytest.mark.train
def test_sampling_repeats_with_its_seed_and_only_with_it(trained):
    from paraphrast.neural.finetune import torch_engine

    engine = torch_engine.load(trained("gpt2"), tagged=False, device="cpu")
    wild = Decoding("nucleus", candidates=2, top_p=1.0, temperature=3.0)
    first = engine.candidates(REQUESTS, wild, seed=1)
    assert first == engine.candidates(REQUESTS, wild, seed=1)
    assert first != engine.candidates(REQUESTS, wild, seed=2)


@pytest.mark.train
def test_a_stopped_run_ends_with_the_weights_it_would_have_had(tmp_path):
    from safetensors.torch import load_file

    from paraphrast.neural.finetune import training

    wanted = settings_for(tmp_path, "gpt2", epochs=6, checkpoint_seconds=0.0)
    training.train(wanted, tmp_path / "whole")

    def stop(report):
        if report.step == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(wanted, tmp_path / "halved", progress=stop)
    assert not (tmp_path / "halved").exists()
    steps = []
    training.train(
        wanted,
        tmp_path / "halved",
        resume=True,
        progress=lambda report: steps.append(report.step),
    )
    assert min(steps) > 1
    whole, halved = (
        load_file(tmp_path / name / "model.safetensors") for name in ("whole", "halved")
    )
    assert all(whole[name].equal(halved[name]) for name in whole)
    assert not (tmp_path / "halved.partial").exists()


@pytest.mark.train
def test_a_run_with_other_settings_is_not_resumed(tmp_path):
    from paraphrast.neural.finetune import training

    def stop(report):
        if report.step == 2:
            raise KeyboardInterrupt

    wanted = settings_for(tmp_path, "gpt2", epochs=6, checkpoint_seconds=0.0)
    with pytest.raises(KeyboardInterrupt):
        training.train(wanted, tmp_path / "model", progress=stop)
    other = settings_for(tmp_path, "gpt2", epochs=7)
    with pytest.raises(ParaphrastError, match="--resume"):
        training.train(other, tmp_path / "model", resume=True)


@pytest.mark.train
def test_training_stops_when_nothing_is_gained_and_keeps_the_best(tmp_path):
    from paraphrast.neural.finetune import training

    wanted = settings_for(
        tmp_path,
        "gpt2",
        validation=(Source(toy.pairs_file(tmp_path / "held.tsv"), swap=True),),
        epochs=80,
        patience=2,
        learning_rate=2e-2,
        accumulate=2,
        batch_tokens=64,
    )
    made = training.train(wanted, tmp_path / "model")
    losses = [step["held_out"] for step in made.record["history"]]
    assert len(losses) < 80
    assert min(losses[-2:]) >= min(losses)
    assert losses.index(min(losses)) == len(losses) - 3
    assert made.record == json.loads((tmp_path / "model" / "training.json").read_text())


@pytest.mark.train
def test_a_model_that_learned_in_8_bits_knows_its_pairs_in_8_bits(tmp_path):
    from paraphrast.neural.finetune import torch_engine, training
    from paraphrast.neural.finetune.quantisation_aware import round_linear_layers

    wanted = settings_for(tmp_path, "t5", quantisation_aware=0.5)
    made = training.train(wanted, tmp_path / "model")
    engine = torch_engine.load(made.folder, tagged=False, device="cpu")
    with round_linear_layers(engine.model):
        assert texts(engine, Decoding()) == TARGETS
    assert "forward" not in vars(engine.model.lm_head)


@pytest.mark.train
def test_8_bits_round_each_row_and_let_gradients_through():
    import torch

    from paraphrast.neural.finetune.quantisation_aware import nearest

    values = torch.tensor([[1.27, 0.014, -0.016], [0.0, 0.0, 0.0]], requires_grad=True)
    found = nearest(values)
    expected = torch.tensor([[1.27, 0.01, -0.02], [0.0, 0.0, 0.0]])
    assert torch.allclose(found, expected, atol=1e-6)
    found.sum().backward()
    assert values.grad.tolist() == [[1.0] * 3] * 2


@pytest.mark.train
def test_many_examples_are_encoded_by_several_processes(tmp_path, monkeypatch):
    from paraphrast.neural.finetune import examples, training
    from paraphrast.neural.models import folders

    wanted = settings_for(tmp_path, "t5")
    found = examples.read(wanted.sources[0], tagged=False)
    prompter = folders.read(wanted.base).prompter(tagged=False)
    alone = training._encode_all(found, prompter, 20)
    monkeypatch.setattr(training, "MANY", 1)
    monkeypatch.setattr(training.os, "sched_getaffinity", lambda _: {0, 1})
    assert training._encode_all(found, prompter, 20) == alone
    # A process that is killed ends the work; nobody waits for it.
    monkeypatch.setattr(training, "_encode", lambda *_: os._exit(1))
    with pytest.raises(ParaphrastError, match="was killed"):
        training._encode_all(found, prompter, 20)


@pytest.mark.train
def test_a_run_ends_when_its_time_is_up(tmp_path):
    from paraphrast.neural.finetune import training

    wanted = settings_for(tmp_path, "gpt2", epochs=10_000, most_seconds=0.5)
    made = training.train(wanted, tmp_path / "model")
    assert 0 < made.record["history"][-1]["step"] < 10_000


@pytest.mark.train
def test_existing_output_is_not_lost(tmp_path, trained):
    from paraphrast.neural.finetune import training

    wanted = settings_for(tmp_path, "gpt2", epochs=1)
    with pytest.raises(ParaphrastError, match="--replace"):
        training.train(wanted, trained("gpt2"))
    with pytest.raises(ParaphrastError, match="not a trained model"):
        training.train(wanted, wanted.base, replacing=True)


def test_settings_are_strict_and_paths_relative_to_their_file(tmp_path):
    path = tmp_path / "train.toml"
    path.write_text('base = "tiny"\n[[sources]]\npath = "a.tsv"\ntimes = 0.5\n')
    found = settings.load(path)
    assert found.base == tmp_path / "tiny"
    assert found.sources == (Source(tmp_path / "a.tsv", times=0.5),)
    for line, complaint in [
        ("epoch = 3", "Did you mean 'epochs'"),
        ("epochs = 0", "1 or more"),
        ('schedule = "linaer"', "linear"),
        ("warmup = 1.0", "below 1"),
    ]:
        path.write_text(f'{line}\nbase = "tiny"\n[[sources]]\npath = "a.tsv"\n')
        with pytest.raises(ParaphrastError, match=complaint):
            settings.load(path)


def test_files_are_mixed_according_to_their_weights(tmp_path):
    source = Source(toy.pairs_file(tmp_path / "a.tsv"), times=2.5)
    found = examples.read(source, tagged=False)
    assert len(found) == len(toy.PAIRS)
    assert len(examples.mix_examples([(source, found)], 1)) == 25
    assert examples.mix_examples([(source, found)], 1) == examples.mix_examples(
        [(source, found)], 1
    )


def test_a_style_comes_from_the_third_column_or_the_settings(tmp_path):
    path = toy.pairs_file(tmp_path / "a.tsv", "old")
    assert examples.read(Source(path), tagged=True)[0].request.style == "old"
    named = Source(path, style="new", swap=True)
    first = examples.read(named, tagged=True)[0]
    assert first == Example(Request("thou art late again", "new"), "you are late again")
    path.write_text("a\tb\n")
    with pytest.raises(ParaphrastError, match=r"a\.tsv:1: no style"):
        examples.read(Source(path), tagged=True)
    path.write_text("a\n")
    with pytest.raises(ParaphrastError, match=r"a\.tsv:1: expected"):
        examples.read(Source(path), tagged=False)


def test_held_out_pairs_share_nothing_with_the_others():
    pairs = [Example(Request(f"s{n % 7}"), f"t{n % 5}") for n in range(35)]
    kept, held = examples.hold_out(pairs, 3, 1)
    assert len(held) == 3
    assert not {e.request.text for e in kept} & {e.request.text for e in held}
    assert not {e.target for e in kept} & {e.target for e in held}


@pytest.mark.train
def test_pairs_that_are_all_held_out_are_refused_with_the_reason(tmp_path):
    from paraphrast.neural.finetune import training

    (tmp_path / "same.tsv").write_text("you are\tthou art\n" * 40)
    wanted = settings_for(tmp_path, "t5", held_out=4)
    wanted = replace(wanted, sources=(Source(tmp_path / "same.tsv"),))
    with pytest.raises(ParaphrastError, match="shares a side with a held-out pair"):
        training.train(wanted, tmp_path / "model")


def test_masking_hides_what_both_sides_share():
    import random

    example = Example(Request("then Romeo has 12 horses"), "so Romeo hath 12 horses")
    hidden = examples.mask_shared_spans(example, random.Random(1))
    assert "Romeo" not in hidden.request.text + hidden.target
    assert "12" not in hidden.request.text + hidden.target
    assert hidden.request.text.count("zqx") == hidden.target.count("zqx") == 2
    plain = Example(Request("come here"), "come hither")
    assert examples.mask_shared_spans(plain, random.Random(1)) == plain


def test_batches_hold_every_example_once_with_little_padding():
    lengths = [(n * 37) % 90 + 5 for n in range(1000)]
    planned = batches.plan(lengths, 400, seed=1, epoch=0)
    assert sorted(p for batch in planned for p in batch) == list(range(1000))
    widths = [max(lengths[p] for p in batch) * len(batch) for batch in planned]
    assert max(widths) <= 400
    assert sum(lengths) / sum(widths) > 0.95
    assert planned == batches.plan(lengths, 400, seed=1, epoch=0)
    assert planned != batches.plan(lengths, 400, seed=1, epoch=1)


@pytest.mark.train
def test_commands_train_convert_and_rewrite(tmp_path, monkeypatch, capsys):
    import sys

    from paraphrast.cli.main import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["paraphrast", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code, *capsys.readouterr()

    toy.base(tmp_path / "tiny", "llama")
    toy.pairs_file(tmp_path / "pairs.tsv", "old")
    configuration = tmp_path / "train.toml"
    configuration.write_text(
        'base = "tiny"\ntagged = true\nepochs = 100\nlearning_rate = 0.01\n'
        'held_out = 0\ndevice = "cpu"\n[[sources]]\npath = "pairs.tsv"\n'
    )
    model, pack = tmp_path / "model", tmp_path / "pack"
    assert run("neural", "train", configuration, "-o", model)[0] == 0
    code, out, _ = run("neural", "convert", model, "--to", "old=as of old", "-o", pack)
    assert code == 0
    assert "MB" in out
    code, out, _ = run("rewrite", "--pack", pack, "you are late again")
    assert (code, out) == (0, "thou art late again\n")
    source = tmp_path / "in.txt"
    source.write_text("do you love me?\n")
    code, out, _ = run("neural", "generate", model, source, "--to", "old")
    assert (code, out) == (0, "dost thou love me?\n")
    code, _, err = run("neural", "train", configuration, "-o", model)
    assert code == 2
    assert "--replace" in err
