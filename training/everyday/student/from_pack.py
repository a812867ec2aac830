"""A student as training reads it, from a pack that ships: its 8 bits become 32 again.

The weights that a student's training ended with are not in git; these are near enough
for training to go on from. Greedy outputs are those of the pack in CTranslate2 where
that computes in 32 bits too.

Run    python -m training.everyday.student.from_pack --pack FOLDER -o FOLDER
"""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from paraphrast.storage import ctranslate2_weights
from paraphrast.storage.ctranslate2_weights import Weights
from training.base_models import flan_config, save_untied

TOKENIZER = {
    "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "</s>",
    "unk_token": "<unk>", "pad_token": "<pad>", "model_max_length": 512,
}  # fmt: skip


def rename_weights(weights: Weights, layers: int) -> dict[str, Any]:
    """Return the weights in 32 bits by their names in transformers' T5."""
    table = weights.dense("decoder/embeddings/weight")
    scale = float(weights.arrays["decoder/scale_outputs"])
    result = {
        "shared.weight": table,
        "encoder.embed_tokens.weight": table,
        "decoder.embed_tokens.weight": table,
        "lm_head.weight": weights.dense("decoder/projection/weight") * scale,
    }
    for side in ("encoder", "decoder"):
        norm = weights.dense(f"{side}/layer_norm/gamma")
        result[f"{side}.final_layer_norm.weight"] = norm
        for layer in range(layers):
            result |= rename_layer(weights, side, layer)
    return result


def rename_layer(weights: Weights, side: str, layer: int) -> dict[str, Any]:
    """Return the weights of a layer by their names in transformers' T5."""

    def read(name: str) -> Any:
        return weights.dense(f"{side}/layer_{layer}/{name}")

    start = f"{side}.block.{layer}.layer"
    own = f"{start}.0.SelfAttention"
    result: dict[str, Any] = {}
    joined = np.split(read("self_attention/linear_0/weight"), 3)
    result |= {f"{own}.{p}.weight": m for p, m in zip("qkv", joined, strict=True)}
    result[f"{own}.o.weight"] = read("self_attention/linear_1/weight")
    result[f"{start}.0.layer_norm.weight"] = read("self_attention/layer_norm/gamma")
    if layer == 0:
        bias = read("self_attention/relative_attention_bias")
        result[f"{own}.relative_attention_bias.weight"] = bias
    last = 1
    if side == "decoder":
        last, other = 2, f"{start}.1.EncDecAttention"
        result[f"{other}.q.weight"] = read("attention/linear_0/weight")
        joined = np.split(read("attention/linear_1/weight"), 2)
        result |= {f"{other}.{p}.weight": m for p, m in zip("kv", joined, strict=True)}
        result[f"{other}.o.weight"] = read("attention/linear_2/weight")
        result[f"{start}.1.layer_norm.weight"] = read("attention/layer_norm/gamma")
    dense = f"{start}.{last}.DenseReluDense"
    result[f"{dense}.wi_0.weight"] = read("ffn/linear_0/weight")
    result[f"{dense}.wi_1.weight"] = read("ffn/linear_0_noact/weight")
    result[f"{dense}.wo.weight"] = read("ffn/linear_1/weight")
    result[f"{start}.{last}.layer_norm.weight"] = read("ffn/layer_norm/gamma")
    return result


def restore(pack: Path, output: Path) -> None:
    """Write the folder of a pack's student."""
    weights = ctranslate2_weights.read(pack / "model.bin")
    config = flan_config(len(weights.arrays["decoder/embeddings/weight"]))
    arrays = rename_weights(weights, config.num_layers)
    model: Any = transformers.T5ForConditionalGeneration(config)
    # A fresh model ties its output layer to its table of tokens; this one does not.
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    model.load_state_dict(
        {n: torch.from_numpy(np.ascontiguousarray(a)) for n, a in arrays.items()}
    )
    save_untied(model, output)
    shutil.copyfile(pack / "tokenizer.json", output / "tokenizer.json")
    (output / "tokenizer_config.json").write_text(json.dumps(TOKENIZER), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    restore(options.pack, options.output)


if __name__ == "__main__":
    main()
