"""A pack's T5 as a torch model that can be trained, and back into the pack.

A pack has its weights only in int8; no second copy ships. `open_model` turns them into
a Hugging Face T5 in fp32, and `replace_layers` writes new values of some layers back in
int8 and leaves every other byte unchanged. The attention's three matrices are one array
in the file, as CTranslate2 multiplies them at once.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from paraphrast.errors import ParaphrastError
from paraphrast.storage import ctranslate2_weights
from paraphrast.storage.ctranslate2_model import WEIGHTS
from paraphrast.storage.ctranslate2_weights import Weights

CONFIG, VOCABULARY = "config.json", "shared_vocabulary.json"
# CTranslate2's numbers of activations that T5 comes with.
ACTIVATIONS = {0: "relu", 1: "gelu_new", 2: "silu", 3: "gelu"}
DROPOUT = 0.1  # in training only


@dataclass(frozen=True)
class Place:
    """An array of the file and the names of the layers whose weights it stacks."""

    array: str
    layers: tuple[str, ...]


def open_model(folder: Path) -> tuple[Any, Weights]:
    """Return a pack's model for torch, not training, and the file it came from."""
    weights = ctranslate2_weights.read(folder / WEIGHTS)
    try:
        config = transformers.T5Config(**_config(weights), **_marks(folder))
        state = dict(_state(weights))
    except KeyError as error:
        raise ParaphrastError(
            f"{folder}: its model is not a T5 ({error} is missing), and only T5 packs "
            "can be fine-tuned. Name another with --from."
        ) from error
    with torch.device("meta"):
        model = transformers.T5ForConditionalGeneration(config)
    tensors = {name: torch.from_numpy(value) for name, value in state.items()}
    model.load_state_dict(tensors, strict=True, assign=True)
    return model.eval(), weights


def replace_layers(weights: Weights, layers: Mapping[str, Any]) -> Weights:
    """Return the file's weights with those of some layers, given by name, changed."""
    values = {}
    for layer in places(weights):
        if not set(layers) & set(layer.layers):
            continue
        before = np.split(weights.dense(layer.array), _cuts(weights, layer))
        values[layer.array] = np.concatenate(
            [
                layers.get(name, old)
                for name, old in zip(layer.layers, before, strict=True)
            ]
        )
    return weights.replace_values(values)


def places(weights: Weights) -> Iterator[Place]:
    """Yield where the weights of the linear layers of both stacks are."""
    gated = "encoder/layer_0/ffn/linear_0_noact/weight" in weights.arrays
    for side in ("encoder", "decoder"):
        for layer in range(_layers(weights, side)):
            here, there = f"{side}/layer_{layer}", f"{side}.block.{layer}.layer"
            attention = f"{there}.0.SelfAttention"
            query, key, value, out = (f"{attention}.{x}" for x in "qkvo")
            yield Place(f"{here}/self_attention/linear_0/weight", (query, key, value))
            yield Place(f"{here}/self_attention/linear_1/weight", (out,))
            if side == "decoder":
                attention = f"{there}.1.EncDecAttention"
                query, key, value, out = (f"{attention}.{x}" for x in "qkvo")
                yield Place(f"{here}/attention/linear_0/weight", (query,))
                yield Place(f"{here}/attention/linear_1/weight", (key, value))
                yield Place(f"{here}/attention/linear_2/weight", (out,))
            dense = f"{there}.{2 if side == 'decoder' else 1}.DenseReluDense"
            first = f"{dense}.wi_0" if gated else f"{dense}.wi"
            yield Place(f"{here}/ffn/linear_0/weight", (first,))
            if gated:
                yield Place(f"{here}/ffn/linear_0_noact/weight", (f"{dense}.wi_1",))
            yield Place(f"{here}/ffn/linear_1/weight", (f"{dense}.wo",))


def _cuts(weights: Weights, layer: Place) -> list[int]:
    rows, number = weights.arrays[layer.array].shape[0], len(layer.layers)
    return [rows // number * part for part in range(1, number)]


def _state(weights: Weights) -> Iterator[tuple[str, Any]]:
    for layer in places(weights):
        parts = np.split(weights.dense(layer.array), _cuts(weights, layer))
        for name, value in zip(layer.layers, parts, strict=True):
            yield f"{name}.weight", np.ascontiguousarray(value)
    shared = weights.dense("decoder/embeddings/weight")
    for name in ("shared", "encoder.embed_tokens", "decoder.embed_tokens"):
        yield f"{name}.weight", shared
    yield "lm_head.weight", weights.dense("decoder/projection/weight")
    for side in ("encoder", "decoder"):
        yield from _norms(weights, side)


def _norms(weights: Weights, side: str) -> Iterator[tuple[str, Any]]:
    parts = ["self_attention", "ffn"]
    if side == "decoder":
        parts.insert(1, "attention")
    for layer in range(_layers(weights, side)):
        for index, part in enumerate(parts):
            result = weights.dense(f"{side}/layer_{layer}/{part}/layer_norm/gamma")
            yield f"{side}.block.{layer}.layer.{index}.layer_norm.weight", result
    last = weights.dense(f"{side}/layer_norm/gamma")
    yield f"{side}.final_layer_norm.weight", last
    bias = weights.dense(f"{side}/layer_0/self_attention/relative_attention_bias")
    name = "SelfAttention.relative_attention_bias.weight"
    yield f"{side}.block.0.layer.0.{name}", bias


def _layers(weights: Weights, side: str) -> int:
    number = 0
    while f"{side}/layer_{number}/ffn/linear_0/weight" in weights.arrays:
        number += 1
    return number


def _marks(folder: Path) -> dict[str, int]:
    """Return the ids of the padding, start and end tokens."""
    names = json.loads((folder / CONFIG).read_text("utf-8"))
    vocabulary = json.loads((folder / VOCABULARY).read_text("utf-8"))
    numbers = {token: number for number, token in enumerate(vocabulary)}
    start = numbers[names["decoder_start_token"]]
    end = numbers[names["eos_token"]]
    # T5 begins with its padding, and CTranslate2 calls that the first of a sentence.
    padding = numbers[names["bos_token"]]
    return {
        "pad_token_id": padding,
        "eos_token_id": end,
        "decoder_start_token_id": start,
    }


def _config(weights: Weights) -> dict[str, Any]:
    vocabulary, width = weights.arrays["decoder/embeddings/weight"].shape
    heads = int(weights.arrays["encoder/num_heads"])
    first = "encoder/layer_0/self_attention"
    gated = "encoder/layer_0/ffn/linear_0_noact/weight" in weights.arrays
    activation = ACTIVATIONS[int(weights.arrays["encoder/activation"])]
    return {
        "vocab_size": vocabulary,
        "d_model": width,
        "d_kv": weights.arrays[f"{first}/linear_0/weight"].shape[0] // (3 * heads),
        "d_ff": weights.arrays["encoder/layer_0/ffn/linear_0/weight"].shape[0],
        "num_heads": heads,
        "num_layers": _layers(weights, "encoder"),
        "num_decoder_layers": _layers(weights, "decoder"),
        "relative_attention_num_buckets": weights.arrays[
            f"{first}/relative_attention_bias"
        ].shape[0],
        "relative_attention_max_distance": int(
            weights.arrays[f"{first}/relative_attention_max_distance"]
        ),
        "feed_forward_proj": f"gated-{activation}" if gated else activation,
        "dropout_rate": DROPOUT,
        "tie_word_embeddings": False,
        "scale_decoder_outputs": "decoder/scale_outputs" in weights.arrays,
    }
