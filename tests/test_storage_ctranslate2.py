"""Models of CTranslate2: checked before native code sees them, alive after a fork."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.neural.models import pack as neural_packs
from paraphrast.storage import ctranslate2_model, ctranslate2_weights, packs
from paraphrast.storage.ctranslate2_model import WEIGHTS, check_shapes, open_model

PACK = Path(__file__).parent / "packs" / "neural-1"
JUDGE = Path(ctranslate2_model.__file__).parents[1] / "judges" / "data" / "judge"


def cut(array, rows=None, columns=None):
    return np.ascontiguousarray(array[:rows] if columns is None else array[:, :columns])


def change(folder: Path, changes) -> Path:
    """Copy the pack with other arrays, and seal it again: only the shapes are wrong."""
    pack = packs.read(PACK)
    weights = ctranslate2_weights.read(PACK / WEIGHTS)
    arrays = {**weights.arrays, **changes(weights.arrays)}
    with packs.new(folder) as filling:
        for name in pack.about.files:
            shutil.copyfile(PACK / name, filling / name)
        ctranslate2_weights.write(replace(weights, arrays=arrays), filling / WEIGHTS)
        packs.seal(filling, pack.about, {"shape": "encoder-decoder", "end": "</s>"})
    return folder


EMBEDDINGS = "decoder/embeddings/weight"
LAYER = "decoder/layer_0"
HOSTILE = {
    "few embeddings": lambda a: {
        EMBEDDINGS: cut(a[EMBEDDINGS], 40),
        f"{EMBEDDINGS}_scale": cut(a[f"{EMBEDDINGS}_scale"], 40),
    },
    "many embeddings": lambda a: {
        EMBEDDINGS: np.tile(a[EMBEDDINGS], (2, 1)),
        f"{EMBEDDINGS}_scale": np.tile(a[f"{EMBEDDINGS}_scale"], 2),
    },
    "narrow embeddings": lambda a: {EMBEDDINGS: cut(a[EMBEDDINGS], columns=24)},
    "few scales": lambda a: {f"{EMBEDDINGS}_scale": cut(a[f"{EMBEDDINGS}_scale"], 40)},
    "short norm": lambda a: {
        f"{LAYER}/ffn/layer_norm/gamma": cut(a[f"{LAYER}/ffn/layer_norm/gamma"], 8)
    },
    "narrow feed-forward": lambda a: {
        f"{LAYER}/ffn/linear_0/weight": cut(
            a[f"{LAYER}/ffn/linear_0/weight"], columns=8
        )
    },
    "other gate": lambda a: {
        f"{LAYER}/ffn/linear_0_noact/weight": cut(
            a[f"{LAYER}/ffn/linear_0_noact/weight"], 48
        )
    },
    "short feed-forward": lambda a: {
        f"{LAYER}/ffn/linear_1/weight": cut(
            a[f"{LAYER}/ffn/linear_1/weight"], columns=48
        )
    },
    "few keys and values": lambda a: {
        f"{LAYER}/attention/linear_1/weight": cut(
            a[f"{LAYER}/attention/linear_1/weight"], 48
        )
    },
    "narrow attention": lambda a: {
        f"{LAYER}/attention/linear_2/weight": cut(
            a[f"{LAYER}/attention/linear_2/weight"], columns=24
        )
    },
    "few queries": lambda a: {
        f"{LAYER}/self_attention/linear_0/weight": cut(
            a[f"{LAYER}/self_attention/linear_0/weight"], 96
        )
    },
    "narrow self-attention": lambda a: {
        f"{LAYER}/self_attention/linear_1/weight": cut(
            a[f"{LAYER}/self_attention/linear_1/weight"], columns=24
        )
    },
    "flat weight": lambda a: {
        f"{LAYER}/ffn/linear_1/weight": a[f"{LAYER}/ffn/linear_1/weight"].reshape(-1)
    },
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_model_whose_shapes_do_not_fit_is_one_line(tmp_path, case):
    folder = change(tmp_path / "hostile", HOSTILE[case])
    packs.verify(folder)
    with pytest.raises(ParaphrastError, match="has the shape .*Re-download") as caught:
        check_shapes(folder)
    assert "\n" not in str(caught.value)


def test_a_hostile_pack_is_refused_by_the_command(tmp_path):
    folder = change(tmp_path / "hostile", HOSTILE["few embeddings"])
    style = next(iter(packs.read(folder).about.styles))
    command = [sys.executable, "-m", "paraphrast", "rewrite", "--pack", str(folder)]
    done = subprocess.run(
        [*command, "--to", style, "gonna be late, soz"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "the vocabulary of 89 tokens asks for [89, 48]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_model_is_opened_whose_shapes_do_not_fit(tmp_path):
    folder = change(tmp_path / "hostile", HOSTILE["few embeddings"])
    with pytest.raises(ParaphrastError, match="has the shape .*Re-download"):
        open_model("Translator", folder, compute_type="int8", intra_threads=1)


def test_a_refusal_by_ctranslate2_is_one_line_with_its_reason():
    with pytest.raises(
        ParaphrastError, match=": .*model cannot be used as .*Re-d"
    ) as e:
        open_model("Generator", PACK, compute_type="int8", intra_threads=1)
    assert "\n" not in str(e.value)


def test_sound_models_pass():
    check_shapes(PACK)
    check_shapes(JUDGE / "small")


def test_attention_may_be_narrower_than_the_model(tmp_path):
    inside, outside = (f"{LAYER}/self_attention/linear_{n}/weight" for n in (0, 1))

    def narrow(a):
        return {
            inside: cut(a[inside], 72),
            f"{inside}_scale": cut(a[f"{inside}_scale"], 72),
            outside: cut(a[outside], columns=24),
        }

    check_shapes(change(tmp_path / "narrow", narrow))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "has no vocabulary"),
        ("[", "cannot read"),
        ("[" * 100_000, "cannot read"),
        ("{}", "is not a list of tokens"),
        ("[]", "is not a list of tokens"),
        ('["a"]', "the vocabulary of 1 tokens"),
    ],
)
def test_an_invalid_vocabulary_is_one_line(tmp_path, content, complaint):
    shutil.copyfile(PACK / WEIGHTS, tmp_path / WEIGHTS)
    if content is not None:
        (tmp_path / "shared_vocabulary.json").write_text(content)
    with pytest.raises(ParaphrastError, match=complaint) as caught:
        check_shapes(tmp_path)
    assert "\n" not in str(caught.value)


def test_an_array_that_does_not_fill_its_shape_is_refused(tmp_path):
    content = bytearray((PACK / WEIGHTS).read_bytes())
    name = b"decoder/layer_0/ffn/layer_norm/gamma\0"
    start = content.index(name) + len(name)
    assert content[start] == 1  # one dimension, of 48
    content[start + 1] = 47
    (tmp_path / WEIGHTS).write_bytes(content)
    for read in (ctranslate2_weights.read, ctranslate2_weights.read_shapes):
        with pytest.raises(ParaphrastError, match="gamma does not fill its shape"):
            read(tmp_path / WEIGHTS)


def test_cut_and_foreign_files_of_weights_are_one_line(tmp_path):
    content = (PACK / WEIGHTS).read_bytes()
    for part in (b"", content[:3], content[:100], content[:-1], b"\7" + content[1:]):
        (tmp_path / WEIGHTS).write_bytes(part)
        with pytest.raises(ParaphrastError, match="damaged, or from another version"):
            ctranslate2_weights.read_shapes(tmp_path / WEIGHTS)


def test_shapes_are_read_without_the_arrays():
    weights = ctranslate2_weights.read(PACK / WEIGHTS)
    shapes = ctranslate2_weights.read_shapes(PACK / WEIGHTS)
    assert shapes[EMBEDDINGS] == (89, 48)
    assert shapes["encoder/embeddings_0/weight"] == (89, 48)  # an alias
    assert {name: shapes[name] for name in weights.arrays} == {
        name: array.shape for name, array in weights.arrays.items()
    }


def test_a_pack_with_a_wrong_hash_is_refused_when_it_is_loaded(tmp_path):
    folder = tmp_path / "pack"
    shutil.copytree(PACK, folder)
    style = next(iter(packs.read(folder).about.styles))
    neural_packs.load_pack(folder, style)
    content = bytearray((folder / WEIGHTS).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / WEIGHTS).write_bytes(content)
    packs.read(folder)
    with pytest.raises(ParaphrastError, match="model.bin was changed since"):
        neural_packs.load_pack(folder, style)


def test_a_pack_of_another_kind_is_refused():
    with pytest.raises(ParaphrastError, match="a pack of 'neural', not of 'phrase'"):
        packs.read(PACK).require("phrase")


FORKED = """
import json, os, sys
from pathlib import Path
from paraphrast.judges.encoder.running import Int8Encoder
from paraphrast.neural.models import pack
from paraphrast.neural.models.generation import Decoding
from paraphrast.neural.models.generation import Request
from paraphrast.storage import packs

folder, judge = Path(sys.argv[1]), Path(sys.argv[2])
style = next(iter(packs.read(folder).about.styles))
engine = pack.load_pack(folder, style, threads=2).steps[-1].engine
encoder = Int8Encoder(judge / "small", hidden=384, threads=2)
unused = Int8Encoder(judge / "small", hidden=384, threads=2)

def use():
    found = [
        candidate.text
        for method in ("beam", "nucleus")
        for candidate in engine.candidates(
            [Request("you are here", style)], Decoding(method=method), seed=1
        )[0]
    ]
    states = encoder.states([[101, 2023, 102]])
    score = engine.score([Request("you are here", style)], ["thou art here"])
    return [found, [round(float(x), 1) for x in states[0, 0, :5]], round(score[0], 1)]

before = use()
unused.states([[101, 102]])
engine.score([Request("you", style)], ["thou"])
child = os.fork()
if child == 0:
    assert use() == before
    grandchild = os.fork()
    if grandchild == 0:
        assert use() == before
        sys.exit(0)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert use() == before
sys.exit(status)
"""


def test_models_work_in_a_forked_process_which_ends():
    arguments = [sys.executable, "-c", FORKED, str(PACK), str(JUDGE)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=240)
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_matrix_in_8_bits_has_a_scale_per_row():
    matrix = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [0.1, 0.2, -0.3]], np.float32)
    small, scale = ctranslate2_weights.in_8_bits(matrix)
    assert small.dtype == np.int8
    assert small.tolist() == [[64, -127, 32], [0, 0, 0], [42, 85, -127]]
    assert scale.tolist() == pytest.approx([63.5, 1.0, 127 / 0.3], rel=1e-6)


def test_weights_are_replaced_in_the_precision_that_they_had():
    matrix = np.array([[2.0, -1.0], [0.5, 0.25]], np.float32)
    small, scale = ctranslate2_weights.in_8_bits(matrix)
    arrays = {"a": small, "a_scale": scale, "b": np.zeros(2, np.float16)}
    weights = ctranslate2_weights.Weights("kind", 1, arrays, {"c": "a"})
    assert weights.dense("c") == pytest.approx(matrix, abs=0.01)
    changed = weights.replace_values({"a": -matrix, "b": np.ones(2, np.float32)})
    assert changed.dense("c") == pytest.approx(-matrix, abs=0.01)
    assert changed.arrays["a"].dtype == np.int8
    assert changed.arrays["b"].dtype == np.float16
    assert changed.dense("b").tolist() == [1.0, 1.0]
    assert weights.dense("c") == pytest.approx(matrix, abs=0.01)
