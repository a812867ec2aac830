"""Write a trained Llama (SmolLM2) as CTranslate2 reads it: an encoder in 8 bits.

A Llama was made to see only the tokens before each token. As a judge reads whole texts,
it is trained on with that bound taken away (`backbones.Unbound`), and CTranslate2's
encoder, which has its norms, gates and turning positions, is what runs it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.judges.training.exporting import Weights, save, single


@dataclass(frozen=True)
class Shape:
    """What the weights do not say of themselves."""

    heads: int
    shared: int  # heads of keys and values
    size: int  # of a head
    base: float  # of the turning positions
    epsilon: float


def export_llama(
    weights: Weights,
    tokens: Sequence[str],
    folder: Path,
    *,
    shape: Shape,
    quantization: str | None = "int8",
) -> None:
    """Write the encoder whose weights have the names of Hugging Face's LlamaModel."""
    from ctranslate2.specs import common_spec, transformer_spec

    layers = [n.split(".")[1] for n in weights if n.startswith("layers.")]
    encoder = transformer_spec.TransformerEncoderSpec(
        1 + max(map(int, layers)),
        shape.heads,
        pre_norm=True,
        activation=common_spec.Activation.SWISH,
        rms_norm=True,
        ffn_glu=True,
        num_heads_kv=shape.shared,
        head_dim=shape.size,
        rotary_dim=0,
        rotary_interleave=False,
        rotary_base=shape.base,
    )
    encoder.scale_embeddings = False
    del encoder.position_encodings  # the turning ones take their place
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    encoder.embeddings[0].weight = single(weights["embed_tokens.weight"])
    encoder.layer_norm.gamma = single(weights["norm.weight"])
    for number, layer in enumerate(encoder.layer):
        _layer(layer, weights, f"layers.{number}.")
    spec.config.unk_token = tokens[0]  # none is unknown, and the field must be filled
    spec.config.layer_norm_epsilon = shape.epsilon
    save(spec, tokens, folder, quantization)


def _layer(layer: Any, weights: Weights, name: str) -> None:
    attention, gated = layer.self_attention, layer.ffn
    parts = [f"{name}self_attn.{part}_proj.weight" for part in "qkv"]
    attention.linear[0].weight = np.concatenate([single(weights[p]) for p in parts])
    attention.linear[1].weight = single(weights[f"{name}self_attn.o_proj.weight"])
    attention.layer_norm.gamma = single(weights[f"{name}input_layernorm.weight"])
    gated.layer_norm.gamma = single(weights[f"{name}post_attention_layernorm.weight"])
    gated.linear_0.weight = single(weights[f"{name}mlp.gate_proj.weight"])
    gated.linear_0_noact.weight = single(weights[f"{name}mlp.up_proj.weight"])
    gated.linear_1.weight = single(weights[f"{name}mlp.down_proj.weight"])
