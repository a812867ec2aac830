"""The three steps of training/formality/train_nmt.py, and the script that runs six."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nmt_toy as toy
from paraphrast.nmt import weights
from paraphrast.storage import packs
from training.formality import train_nmt

ROOT = Path(__file__).parents[1]
SMALL = ("--hidden", "16", "--layers", "1", "--epochs", "2", "--batch-tokens", "300")


def write_pairs(path: Path, pairs: "list[tuple[str, str]]") -> str:
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), "utf-8")
    return str(path)


Train = Callable[..., str]


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Train:
    def command(*arguments: "str | Path") -> str:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["train_nmt", *map(str, arguments)])
        train_nmt.main()
        return capsys.readouterr().out

    return command


@pytest.fixture
def data(tmp_path: Path, train: Train) -> Path:
    pairs = write_pairs(tmp_path / "pairs.tsv", toy.pairs(40))
    more = write_pairs(tmp_path / "more.tsv", toy.pairs(20, seed=4))
    held = write_pairs(tmp_path / "held.tsv", toy.pairs(8, seed=5))
    words = (tmp_path / "pairs.tsv").read_text("utf-8").lower().split()
    vectors = "".join(f"{word}{' 0.5 -0.5' * 150}\n" for word in sorted(set(words)))
    (tmp_path / "vectors.txt").write_text(vectors, "utf-8")
    said = train(
        "prepare", pairs, "--more", more, "--times", "2", "--held-out", held,
        "--embeddings", tmp_path / "vectors.txt", "-o", tmp_path / "formal.data",
    )  # fmt: skip
    assert said.startswith("100 pairs, 8 held out")
    return tmp_path / "formal.data"


@pytest.mark.train
def test_a_model_of_few_bits_becomes_a_pack(
    train: Train, data: Path, tmp_path: Path
) -> None:
    fitted = tmp_path / "fitted"
    said = train("fit", data, *SMALL, "--device", "cpu", "--bits", "6", "-o", fitted)
    assert said.count("held-out loss") == 2
    model = weights.load(fitted / "model")
    largest = {float(np.abs(m.values).max()) for m in model.matrices.values()}
    assert largest == {31.0}
    record = json.loads((fitted / "record.json").read_text("utf-8"))
    assert len(record["history"]) == 2
    train("pack", fitted / "model", "--style", "formal", "-o", tmp_path / "pack")
    assert packs.verify(tmp_path / "pack").about.styles.keys() == {"formal"}


@pytest.mark.train
def test_vectors_can_be_left_out(train: Train, data: Path, tmp_path: Path) -> None:
    def first_loss(*options: str) -> float:
        folder = tmp_path / f"fitted{len(options)}"
        train("fit", data, *SMALL, "--device", "cpu", *options, "-o", folder)
        record = json.loads((folder / "record.json").read_text("utf-8"))
        return float(record["history"][0]["held_out"])

    assert first_loss() != first_loss("--no-vectors")


@pytest.mark.train
@pytest.mark.slow
def test_the_script_trains_six_models(data: Path, tmp_path: Path) -> None:
    for name in ("informal", "formal-combined", "informal-combined"):
        (tmp_path / f"{name}.data").write_bytes(data.read_bytes())
    script = ROOT / "training/formality/train_nmt.sh"
    command = ["sh", str(script), str(tmp_path), str(tmp_path / "out"), "60", *SMALL]
    environment = {"PYTHON": sys.executable, "DEVICE": "cpu", "EVERY": "1"}
    subprocess.run(command, env=os.environ | environment, check=True)
    names = [
        f"{system}-{style}.gz"
        for system in ("baseline", "combined", "copy")
        for style in ("formal", "informal")
    ]
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == [*names, "train.log"]
    for name in names:
        (tmp_path / "model").write_bytes(
            gzip.decompress((tmp_path / "out" / name).read_bytes())
        )
        model = weights.load(tmp_path / "model")
        assert model.architecture.copy != name.startswith("baseline")
