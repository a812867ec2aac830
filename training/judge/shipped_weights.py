"""The shipped small judge as training reads it: where a student may begin.

Its 8-bit weights become 32-bit again, which is close enough to continue training from.

Run    python -m training.judge.shipped_weights [--judge FOLDER] -o FOLDER
Makes  FOLDER/shipped-0.npz and so on, as `pack_weights` packs
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import paraphrast.judges
from paraphrast.judges.encoder.heads import load as load_heads
from paraphrast.storage import ctranslate2_weights
from paraphrast.storage.ctranslate2_weights import Weights
from training.judge.coarse_weights import split_arrays
from training.judge.pack_weights import quantise
from training.judge.packed_weights import widen_weights

SHIPPED = Path(paraphrast.judges.__file__).parent / "data/judge"
_PARTS = {
    "self_attention/linear_1": "attention.output.dense",
    "self_attention/layer_norm": "attention.output.LayerNorm",
    "ffn/linear_0": "intermediate.dense",
    "ffn/linear_1": "output.dense",
    "ffn/layer_norm": "output.LayerNorm",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", type=Path, default=SHIPPED)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    arrays: dict[str, Any] = {}
    for name, values in restore(options.judge).items():
        arrays |= quantise(name, values, bits=8)
    options.output.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(split_arrays(arrays)):
        np.savez(options.output / f"shipped-{number}.npz", **part)


def restore(judge: Path) -> dict[str, Any]:
    """Return the weights of a small judge by their names in a `Network`."""
    weights = ctranslate2_weights.read(judge / "small/model.bin")
    result = {f"encoder.{name}": values for name, values in name_weights(weights)}
    for path in find_heads(judge):
        for name, values in load_heads(path).arrays.items():
            prefix = "" if name.startswith("meaning.") else "heads."
            result[prefix + name] = values.astype(np.float32)
    return result


def find_heads(judge: Path) -> list[Path]:
    """Return the files of a judge's heads; those that replace others come last."""
    manifest = json.loads((judge / "judge.json").read_text("utf-8"))
    files = manifest["encoders"]["small"]["files"]
    own = [judge / "small" / name for name in files if name.startswith("heads.")]
    return own + [judge / more["file"] for more in manifest.get("heads", {}).values()]


def name_weights(weights: Weights) -> Iterator[tuple[str, Any]]:
    """Yield the weights of an encoder by their names in transformers' BERT."""
    read = weights.dense
    yield "embeddings.word_embeddings.weight", read("encoder/embeddings_0/weight")
    yield "embeddings.token_type_embeddings.weight", read("encoder/embeddings_1/weight")
    positions = read("encoder/position_encodings/encodings")
    yield "embeddings.position_embeddings.weight", positions
    yield "embeddings.LayerNorm.weight", read("encoder/layernorm_embedding/gamma")
    yield "embeddings.LayerNorm.bias", read("encoder/layernorm_embedding/beta")
    layer = 0
    while f"encoder/layer_{layer}/ffn/linear_0/weight" in weights.arrays:
        theirs, ours = f"encoder/layer_{layer}", f"encoder.layer.{layer}"
        for kind in ("weight", "bias"):
            fused = np.split(read(f"{theirs}/self_attention/linear_0/{kind}"), 3)
            for part, values in zip(("query", "key", "value"), fused, strict=True):
                yield f"{ours}.attention.self.{part}.{kind}", values
        for part, name in _PARTS.items():
            norm = part.endswith("norm")
            for kind, found in (("weight", "gamma"), ("bias", "beta")):
                found = found if norm else kind
                yield f"{ours}.{name}.{kind}", read(f"{theirs}/{part}/{found}")
        layer += 1


def read_shipped(folder: Path) -> dict[str, Any]:
    """Return the weights that this script wrote, in 32 bits."""
    arrays: dict[str, Any] = {}
    for path in sorted(folder.glob("shipped-*.npz")):
        with np.load(path) as archive:
            arrays |= {name: archive[name] for name in archive.files}
    return dict(widen_weights(arrays))


if __name__ == "__main__":
    main()
