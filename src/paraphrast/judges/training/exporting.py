"""Write a trained encoder as CTranslate2 reads it: a folder, 8 bits per weight.

CTranslate2 does not support MPNet (Song et al., 2020), but all of its parts: it is a
BERT with T5's relative position bias, shared by all layers. As an encoder with such a
bias has no position embeddings there, the positions are its second embedding table, in
place of BERT's token types, and the caller provides the indices
(`encoder.running.Int8Encoder`, ``numbered``).

A Llama (SmolLM2) has a causal mask. As a judge reads whole texts, it is trained without
the mask (`backbones.Unbound`), and runs as CTranslate2's encoder, which supports its
norms, gates and rotary positions.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[Any]]

_BIAS = "encoder.relative_attention_bias.weight"
_FARTHEST = 128  # tokens; beyond, all distances are one
_FIRST_POSITION = 2  # MPNet numbers positions from behind its padding


@dataclass(frozen=True)
class _Names:
    """What Hugging Face calls the parts of a layer."""

    attention: tuple[str, str, str]
    output: str
    norm: str
    epsilon: float


_BERT = _Names(
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense",
    "attention.output.LayerNorm",
    1e-12,
)
_MPNET = _Names(
    ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
    "attention.attn.o",
    "attention.LayerNorm",
    1e-5,
)


def export(
    weights: Weights,
    tokens: Sequence[str],
    folder: Path,
    *,
    heads: int,
    quantization: str | None = "int8",
) -> None:
    """Write the encoder whose weights have the names of BertModel or MPNetModel.

    ``tokens`` is the vocabulary, in order. Without ``quantization`` weights are kept in
    single precision.
    """
    from ctranslate2.specs import common_spec, transformer_spec

    names = _MPNET if is_mpnet(weights) else _BERT
    layers = [n.split(".")[2] for n in weights if n.startswith("encoder.layer.")]
    encoder = transformer_spec.TransformerEncoderSpec(
        1 + max(map(int, layers)),
        heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
        relative_attention_bias=is_mpnet(weights),
    )
    encoder.scale_embeddings = False
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    _embeddings(encoder, weights)
    for number, layer in enumerate(encoder.layer):
        _layer(layer, weights, f"encoder.layer.{number}.", names)
    spec.config.unk_token = "[UNK]"
    spec.config.layer_norm_epsilon = names.epsilon
    save(spec, tokens, folder, quantization)


@dataclass(frozen=True)
class Shape:
    """What cannot be derived from the weights."""

    heads: int
    shared: int  # heads of keys and values
    size: int  # of a head
    base: float  # of the rotary positions
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
    del encoder.position_encodings  # rotary ones take their place
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    encoder.embeddings[0].weight = single(weights["embed_tokens.weight"])
    encoder.layer_norm.gamma = single(weights["norm.weight"])
    for number, layer in enumerate(encoder.layer):
        _llama_layer(layer, weights, f"layers.{number}.")
    spec.config.unk_token = tokens[0]  # none is unknown, and the field must be filled
    spec.config.layer_norm_epsilon = shape.epsilon
    save(spec, tokens, folder, quantization)


def save(
    spec: Any, tokens: Sequence[str], folder: Path, quantization: str | None
) -> None:
    """Write a filled specification, replacing the contents of the folder."""
    spec.register_vocabulary(list(tokens))
    spec.validate()
    spec.optimize(quantization=quantization)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    spec.save(str(folder))


def is_mpnet(weights: Weights) -> bool:
    """Say whether the weights are MPNet's; otherwise they are BERT's."""
    return _BIAS in weights


def _embeddings(encoder: Any, weights: Weights) -> None:
    words, others = encoder.embeddings
    words.weight = single(weights["embeddings.word_embeddings.weight"])
    positions = single(weights["embeddings.position_embeddings.weight"])
    if is_mpnet(weights):
        others.weight = positions[_FIRST_POSITION:].copy()
    else:
        others.weight = single(weights["embeddings.token_type_embeddings.weight"])
        encoder.position_encodings.encodings = positions
    _norm(encoder.layernorm_embedding, weights, "embeddings.LayerNorm")


def _layer(layer: Any, weights: Weights, name: str, names: _Names) -> None:
    parts = [name + part for part in names.attention]
    fused = layer.self_attention.linear[0]
    fused.weight = np.concatenate([single(weights[f"{p}.weight"]) for p in parts])
    fused.bias = np.concatenate([single(weights[f"{p}.bias"]) for p in parts])
    if is_mpnet(weights):
        farthest = np.dtype("int32").type(_FARTHEST)
        layer.self_attention.relative_attention_bias = single(weights[_BIAS])
        layer.self_attention.relative_attention_max_distance = farthest
    _linear(layer.self_attention.linear[1], weights, name + names.output)
    _norm(layer.self_attention.layer_norm, weights, name + names.norm)
    _linear(layer.ffn.linear_0, weights, f"{name}intermediate.dense")
    _linear(layer.ffn.linear_1, weights, f"{name}output.dense")
    _norm(layer.ffn.layer_norm, weights, f"{name}output.LayerNorm")


def _linear(linear: Any, weights: Weights, name: str) -> None:
    linear.weight = single(weights[f"{name}.weight"])
    linear.bias = single(weights[f"{name}.bias"])


def _norm(norm: Any, weights: Weights, name: str) -> None:
    norm.gamma = single(weights[f"{name}.weight"])
    norm.beta = single(weights[f"{name}.bias"])


def single(array: NDArray[Any]) -> NDArray[np.float32]:
    """Return a copy in single precision."""
    # A copy: CTranslate2 rounds in place.
    return np.array(array, dtype=np.float32, order="C")


def _llama_layer(layer: Any, weights: Weights, name: str) -> None:
    attention, gated = layer.self_attention, layer.ffn
    parts = [f"{name}self_attn.{part}_proj.weight" for part in "qkv"]
    attention.linear[0].weight = np.concatenate([single(weights[p]) for p in parts])
    attention.linear[1].weight = single(weights[f"{name}self_attn.o_proj.weight"])
    attention.layer_norm.gamma = single(weights[f"{name}input_layernorm.weight"])
    gated.layer_norm.gamma = single(weights[f"{name}post_attention_layernorm.weight"])
    gated.linear_0.weight = single(weights[f"{name}mlp.gate_proj.weight"])
    gated.linear_0_noact.weight = single(weights[f"{name}mlp.up_proj.weight"])
    gated.linear_1.weight = single(weights[f"{name}mlp.down_proj.weight"])
