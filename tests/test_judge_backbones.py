"""An encoder judge from a folder of texts and a tiny random backbone."""

import json

import pytest
from typer.testing import CliRunner

from paraphrast.cli.main import app
from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges

OLD = ["thou art kind", "thou dost sleep", "hath he thy sword", "thy lord doth ride"]
NEW = ["you are kind", "you do sleep", "has he your sword", "your lord does ride"]
WORDS = sorted({word for line in OLD + NEW for word in line.split()})
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 140,
}


def run(*arguments):
    return CliRunner().invoke(app, ["metrics", *map(str, arguments)])


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "old.txt").write_text("\n".join(OLD * 12) + "\n")
    (folder / "new.txt").write_text("\n".join(NEW * 12) + "\n")
    return folder


def backbone(kind, folder):
    import torch
    import transformers

    torch.manual_seed(3)
    if kind == "llama":
        return llama(transformers, folder)
    marks = {
        "bert": ["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
        "mpnet": ["<s>", "<pad>", "</s>", "<unk>", "[UNK]"],
    }[kind]
    pieces = [*marks, *WORDS]
    maker = {"bert": "Bert", "mpnet": "MPNet"}[kind]
    config = getattr(transformers, f"{maker}Config")(vocab_size=len(pieces), **SIZES)
    getattr(transformers, f"{maker}Model")(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces))
    return folder


def llama(transformers, folder):
    import neural_toy

    folder.mkdir()
    neural_toy.byte_level(folder / "tokenizer.json")
    size = len(json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"])
    config = transformers.LlamaConfig(
        vocab_size=size + 8, num_key_value_heads=2, head_dim=8, **SIZES
    )
    transformers.LlamaModel(config).save_pretrained(folder)
    return folder


@pytest.mark.train
@pytest.mark.parametrize("kind", ["bert", "mpnet", "llama"])
def test_any_backbone_learns_the_styles_and_runs_without_torch(kind, texts, tmp_path):
    made = backbone(kind, tmp_path / "backbone")
    options = ("--backbone", made, "--epochs", 200, "-o", tmp_path / "judge", "--json")
    result = run("train-judge", texts, *options, "--device", "cpu")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    judge = judges.load(tmp_path / "judge")
    assert judge.styles == ("new", "old")
    assert record["hashes"] == judge.hashes()
    found = judge.accuracy.probabilities(["thou art thy lord", "you are your lord"])
    assert found.argmax(axis=1).tolist() == [1, 0]
    assert judge.similarity(OLD[:1], OLD[:1])[0] == 1
    assert judge.formality is None


@pytest.mark.train
def test_the_unbound_llama_is_what_runs(tmp_path):
    import torch

    from paraphrast.judges.encoder.running import Int8Encoder
    from paraphrast.judges.training import backbones

    loaded = backbones.load(backbone("llama", tmp_path / "backbone"))
    loaded.export(tmp_path / "encoder")
    encoder = Int8Encoder(tmp_path / "encoder", hidden=32, precision="float32")
    ids = [[1, 70, 80, 90, 2], [1, 70, 2]]
    padded = torch.tensor([ids[0], [*ids[1], 2, 2]])
    mask = torch.tensor([[1] * 5, [1, 1, 1, 0, 0]])
    with torch.no_grad():
        wanted = loaded.encoder(padded, mask).last_hidden_state.numpy()
    found = encoder.states(ids)
    near = 0.04 * float(abs(wanted).max())  # weights are in 8 bits
    assert found[0] == pytest.approx(wanted[0], abs=near)
    assert found[1, :3] == pytest.approx(wanted[1, :3], abs=near)


@pytest.mark.train
def test_an_invalid_backbone_is_refused_in_one_line(texts, tmp_path):
    folder = tmp_path / "backbone"
    folder.mkdir()
    options = ("--backbone", folder, "-o", tmp_path / "judge")
    for config, message in (
        (None, "config.json"),
        ('{"model_type": "gpt2"}', "unknown kind of backbone 'gpt2'"),
        ('{"model_type": "llama"}', "tokenizer.json"),
    ):
        if config:
            (folder / "config.json").write_text(config)
        result = run("train-judge", texts, *options)
        assert isinstance(result.exception, ParaphrastError)
        assert message in str(result.exception)
        assert not (tmp_path / "judge" / "judge.json").exists()


def test_a_folder_of_texts_trains_the_built_in_judge_too(texts, tmp_path):
    result = run("train-judge", texts, "-o", tmp_path / "judge")
    assert result.exit_code == 0, result.output
    assert judges.load(tmp_path / "judge").styles == ("new", "old")


def test_fewer_than_two_styles_are_refused(texts, tmp_path):
    (texts / "old.txt").unlink()
    result = run("train-judge", texts, "-o", tmp_path / "judge")
    assert isinstance(result.exception, ParaphrastError)
    assert "at least two styles, found 1" in str(result.exception)
