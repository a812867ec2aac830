"""Write a trained BERT as CTranslate2 reads it: a folder, 8 bits a weight."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[Any]]


def export(
    weights: Weights, pieces: Sequence[str], folder: Path, *, heads: int
) -> None:
    """Write the encoder whose weights have the names of Hugging Face's BertModel."""
    from ctranslate2.specs import common_spec, transformer_spec

    layers = 1 + max(int(n.split(".")[2]) for n in weights if n.startswith("encoder."))
    encoder = transformer_spec.TransformerEncoderSpec(
        layers,
        heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    _embeddings(encoder, weights)
    for number, layer in enumerate(encoder.layer):
        _layer(layer, weights, f"encoder.layer.{number}.")
    spec.config.unk_token = "[UNK]"
    spec.config.layer_norm_epsilon = 1e-12
    spec.register_vocabulary(list(pieces))
    spec.validate()
    spec.optimize(quantization="int8")
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    spec.save(str(folder))


def _embeddings(encoder: Any, weights: Weights) -> None:
    words, kinds = encoder.embeddings
    words.weight = _single(weights["embeddings.word_embeddings.weight"])
    kinds.weight = _single(weights["embeddings.token_type_embeddings.weight"])
    positions = weights["embeddings.position_embeddings.weight"]
    encoder.position_encodings.encodings = _single(positions)
    _norm(encoder.layernorm_embedding, weights, "embeddings.LayerNorm")


def _layer(layer: Any, weights: Weights, name: str) -> None:
    parts = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
    fused = layer.self_attention.linear[0]
    fused.weight = np.concatenate([_single(weights[f"{p}.weight"]) for p in parts])
    fused.bias = np.concatenate([_single(weights[f"{p}.bias"]) for p in parts])
    _linear(layer.self_attention.linear[1], weights, f"{name}attention.output.dense")
    _norm(layer.self_attention.layer_norm, weights, f"{name}attention.output.LayerNorm")
    _linear(layer.ffn.linear_0, weights, f"{name}intermediate.dense")
    _linear(layer.ffn.linear_1, weights, f"{name}output.dense")
    _norm(layer.ffn.layer_norm, weights, f"{name}output.LayerNorm")


def _linear(linear: Any, weights: Weights, name: str) -> None:
    linear.weight = _single(weights[f"{name}.weight"])
    linear.bias = _single(weights[f"{name}.bias"])


def _norm(norm: Any, weights: Weights, name: str) -> None:
    norm.gamma = _single(weights[f"{name}.weight"])
    norm.beta = _single(weights[f"{name}.bias"])


def _single(array: NDArray[Any]) -> NDArray[np.float32]:
    # A copy: CTranslate2 rounds in place.
    return np.array(array, dtype=np.float32, order="C")
