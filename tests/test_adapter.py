"""Few-bit adapters: files round-trip, and llama.cpp applies the expanded form."""

from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.instruct import adapter
from paraphrast.instruct.adapter import Adapter, Layer
from paraphrast.instruct.llama import Llama
from tests import gguf_toy

WIDTH, RANK = gguf_toy.WIDTH, 4
LAYERS = (
    Layer("blk.0.attn_q.weight", WIDTH, WIDTH),
    Layer("blk.1.ffn_down.weight", gguf_toy.INNER, WIDTH),
)


@pytest.fixture
def made() -> Adapter:
    random = np.random.default_rng(3)
    codes = [
        np.clip(np.rint(random.normal(0, spread, size)), -127, 127).astype(np.int8)
        for layer in LAYERS
        for size in (layer.inputs, layer.outputs)
        for spread in (20.0, 5.0, 1.0, 0.0)
    ]
    steps = random.uniform(0.005, 0.02, len(codes)).astype(np.float32)
    return Adapter(LAYERS, RANK, codes, steps)


def test_an_adapter_round_trips_in_as_few_bits_as_its_codes_need(
    made: Adapter, tmp_path: Path
) -> None:
    adapter.write(made, tmp_path / "own")
    read = adapter.read(tmp_path / "own")
    assert (read.layers, read.rank) == (made.layers, made.rank)
    assert np.array_equal(read.steps, made.steps)
    assert all(map(np.array_equal, read.codes, made.codes))
    many = Adapter(
        (Layer("wide", 40_000, 40_000),),
        1,
        [np.resize(np.array([0] * 7 + [1], np.int8), 40_000)] * 2,
        np.ones(2, np.float32),
    )
    adapter.write(many, tmp_path / "many")
    # Zeros have one bit and ones two: the end of the stream has a code as well.
    assert (tmp_path / "many").stat().st_size < 1.13 * 80_000 / 8 + 500


def test_matrices_are_the_codes_times_their_steps(made: Adapter) -> None:
    matrices = dict(made.matrices())
    down, up = (matrices[f"{LAYERS[1].name}.{side}"] for side in adapter.SIDES)
    assert (down.shape, up.shape) == ((RANK, gguf_toy.INNER), (WIDTH, RANK))
    first = 2 * RANK  # the vectors of the first layer come before
    assert np.allclose(down[1], made.codes[first + 1] * made.steps[first + 1])
    at = first + RANK + 2
    assert np.allclose(up[:, 2], made.codes[at] * made.steps[at])


def test_the_expanded_file_is_what_the_gguf_library_reads(
    made: Adapter, tmp_path: Path
) -> None:
    gguf = pytest.importorskip("gguf")
    adapter.write(made, tmp_path / "own")
    for name in ("one", "two"):
        adapter.expand(tmp_path / "own", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    reader = gguf.GGUFReader(tmp_path / "one")
    told = {name: field.contents() for name, field in reader.fields.items()}
    assert told["general.type"] == "adapter"
    assert told["adapter.lora.alpha"] == RANK
    tensors = {tensor.name: tensor.data for tensor in reader.tensors}
    matrices = dict(made.matrices())
    assert tensors.keys() == matrices.keys()
    for name, values in matrices.items():
        assert np.array_equal(tensors[name], values.astype(np.float16))


def test_llama_applies_the_expanded_file(made: Adapter, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    pytest.importorskip("gguf")
    gguf_toy.write_model(tmp_path / "base.gguf")
    adapter.write(made, tmp_path / "own")
    adapter.expand(tmp_path / "own", tmp_path / "adapter.gguf")
    nothing = Adapter(LAYERS, RANK, made.codes, 0 * made.steps)
    adapter.write(nothing, tmp_path / "nothing")
    adapter.expand(tmp_path / "nothing", tmp_path / "nothing.gguf")
    texts = [
        Llama(tmp_path / "base.gguf", tmp_path / name).write("Say. ", "Hello.")
        for name in ("adapter.gguf", "nothing.gguf")
    ]
    assert texts[0] != texts[1]


@pytest.mark.parametrize("cut", ["file", "order", "codes", "layers"])
def test_a_damaged_file_is_one_line(made: Adapter, tmp_path: Path, cut: str) -> None:
    path = tmp_path / "own"
    adapter.write(made, path)
    parts, about = adapter.arrays.read(path, adapter.KIND)
    changed = {name: np.array(values) for name, values in parts.items()}
    if cut == "file":
        path.write_bytes(path.read_bytes()[:-1])
    elif cut == "layers":
        adapter.arrays.write(path, adapter.KIND, changed, about | {"rank": 3})
    else:
        changed[cut] = changed[cut][: len(changed[cut]) // 2]
        adapter.arrays.write(path, adapter.KIND, changed, about)
    with pytest.raises(ParaphrastError, match="Reinstall paraphrast"):
        adapter.read(path)
