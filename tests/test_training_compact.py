"""Adapters are made small for the package: by directions, with little error."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from paraphrast.instruct import adapter

pytestmark = pytest.mark.train
RANK, INPUTS, OUTPUTS = 6, 300, 200


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write an adapter of two layers, whose scale is 2."""
    from safetensors import numpy

    random = np.random.default_rng(1)
    tensors = {}
    for layer in (0, 1):
        name = f"model.layers.{layer}.self_attn.q_proj"
        falling = 0.7 ** np.arange(RANK)[:, None]
        down = random.normal(0, 0.1, (RANK, INPUTS)) * falling
        up = random.normal(0, 0.1, (OUTPUTS, RANK))
        tensors[f"{name}.lora_A.weight"] = down.astype(np.float16)
        tensors[f"{name}.lora_B.weight"] = up.astype(np.float16)
    told = {"rank": str(RANK), "alpha": str(2 * RANK)}
    path = tmp_path / "tuned.safetensors"
    numpy.save_file(tensors, path, metadata=told)
    return path


def products(matrices: dict[str, np.ndarray], scale: float) -> dict[str, np.ndarray]:
    layers = {name.rpartition(".")[0] for name in matrices}
    return {
        layer: scale * matrices[f"{layer}.lora_b"] @ matrices[f"{layer}.lora_a"]
        for layer in layers
    }


def read_products(file: Path) -> dict[str, np.ndarray]:
    from safetensors.numpy import load_file

    names = {"lora_A.weight": "lora_a", "lora_B.weight": "lora_b"}
    matrices = {}
    for name, values in load_file(file).items():
        layer, _, side = name.partition(".lora_")
        number = layer.split(".")[2]
        end = names[f"lora_{side}"]
        matrices[f"blk.{number}.attn_q.weight.{end}"] = values.astype(np.float32)
    return products(matrices, 2.0)


def test_more_bytes_reduce_the_error_of_the_products(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from training.everyday.teacher import compact

    whole = read_products(file)
    errors = []
    for kilobytes in (2.5, 4.0, 6.0):
        output = tmp_path / f"{kilobytes}.adapter"
        arguments = ["--adapter", file, "--megabytes", kilobytes / 1000, "-o", output]
        monkeypatch.setattr(sys, "argv", ["compact", *map(str, arguments)])
        compact.main()
        told = json.loads(capsys.readouterr().out)
        assert output.stat().st_size == told["bytes"] <= 1000 * kilobytes
        made = products(dict(adapter.read(output).matrices()), 1.0)
        lost = sum(np.square(made[name] - whole[name]).sum() for name in whole)
        power = sum(np.square(own).sum() for own in whole.values())
        assert told["error"] == pytest.approx(np.sqrt(lost / power), abs=2e-4)
        errors.append(told["error"])
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_a_lower_rank_keeps_the_first_directions(file: Path) -> None:
    from training.everyday.teacher import compact

    whole = read_products(file)
    directions = compact.read_directions(file, 3)
    exact = compact.quantise(directions, 1e-9)  # as fine as codes can be
    made = products(dict(exact.matrices()), 1.0)
    for name, product in whole.items():
        least = np.linalg.svd(product, compute_uv=False)[3:]
        lost = np.linalg.norm(made[name] - product)
        assert lost == pytest.approx(np.linalg.norm(least), rel=0.02)


def test_the_teacher_takes_an_adapter_in_few_bits(file: Path, tmp_path: Path) -> None:
    from training.everyday.teacher import compact, qwen

    made = compact.quantise(compact.read_directions(file), 1e-9)
    adapter.write(made, tmp_path / "small.adapter")
    whole, small = (
        qwen.Adapter.load(path, "cpu") for path in (file, tmp_path / "small.adapter")
    )
    assert whole.matrices.keys() == small.matrices.keys()
    for name, (down, up) in whole.matrices.items():
        other = small.matrices[name]
        expected = whole.scale * up @ down
        lost = (small.scale * other[1] @ other[0] - expected).norm()
        assert lost < 0.03 * expected.norm()


def test_an_exported_adapter_has_all_bits_and_its_alpha(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gguf = pytest.importorskip("gguf")
    export = pytest.importorskip("training.everyday.teacher.export")
    path = tmp_path / "adapter.gguf"
    arguments = ["export", "--adapter", str(file), "-o", str(path)]
    monkeypatch.setattr(sys, "argv", arguments)
    export.main()
    reader = gguf.GGUFReader(path)
    assert reader.fields["adapter.lora.alpha"].contents() == 2 * RANK
    matrices = {t.name: np.array(t.data, np.float32) for t in reader.tensors}
    made, whole = products(matrices, 2.0), read_products(file)
    assert made.keys() == whole.keys()
    assert all(np.allclose(made[name], whole[name], atol=1e-6) for name in whole)
