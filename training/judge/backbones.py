"""The pretrained encoders as plain arrays: 16 bits per weight.

Run    python -m training.judge.backbones mpnet|minilm model.safetensors OUTPUT.npz
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from paraphrast.judges.training.network import Marks

BERT = Marks(start=101, end=102, padding=0)
MPNET = Marks(start=0, end=2, padding=1, shift=4)


def mpnet() -> tuple[Any, Marks]:
    config = MPNetConfig(
        vocab_size=30527, max_position_embeddings=514, layer_norm_eps=1e-5
    )
    model = MPNetModel(config, add_pooling_layer=False)
    fuse_attention(model)
    return model, MPNET


class FusedAttention(nn.Module):  # type: ignore[misc]
    """MPNet's attention in one kernel, which needs far less memory than its own.

    The relative position bias is frozen.
    """

    def __init__(self, attention: Any) -> None:
        """Take the matrices of an attention layer of transformers."""
        super().__init__()
        self.q, self.k, self.v, self.o = (getattr(attention, n) for n in "qkvo")
        self.size = attention.attention_head_size
        self.chance = attention.dropout.p
        self.train(attention.training)

    def forward(self, states: Tensor, *masks: Any, **_: Any) -> tuple[Tensor]:
        """Return the states after attention; ``masks`` are added to the scores."""
        shape = (*states.shape[:2], -1, self.size)
        query, key, value = (
            part(states).view(shape).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        bias = sum(to_scores(mask, query) for mask in masks if mask is not None)
        wide = bias.expand(-1, query.shape[1], -1, -1) if masks else None
        chance = self.chance if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=wide, dropout_p=chance
        )
        return (self.o(seen.transpose(1, 2).flatten(2)),)


def to_scores(mask: Tensor, like: Tensor) -> Tensor:
    """Return a mask, perhaps a Boolean one, as an additive mask."""
    if mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=like.dtype).masked_fill(~mask, -1e4)
    return mask.detach().to(like.dtype).clamp_min(-1e4)


def fuse_attention(model: Any) -> None:
    """Put `FusedAttention` into every layer of an MPNet."""
    for layer in model.encoder.layer:
        layer.attention.attn = FusedAttention(layer.attention.attn)


def minilm() -> tuple[Any, Marks]:
    config = BertConfig(
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
    )
    return BertModel(config, add_pooling_layer=False), BERT


MAKERS = {"mpnet": mpnet, "minilm": minilm}


def pack(name: str, safetensors: Path, output: Path) -> None:
    from safetensors.numpy import load_file

    model, _ = MAKERS[name]()
    weights = load_file(safetensors)
    wanted = model.state_dict()
    arrays = {}
    for key, value in wanted.items():
        result = weights.get(key, weights.get(f"{name}.{key}"))
        if result is None:
            if value.dtype.is_floating_point:
                raise SystemExit(f"{safetensors}: no weights for {key}")
            continue
        if "word_embeddings" in key:  # 8 bits do no harm to a table of words
            scales = np.abs(result).max(axis=1, keepdims=True) / 127 + 1e-12
            arrays[f"{key}|int8"] = np.rint(result / scales).astype(np.int8)
            arrays[f"{key}|scale"] = scales.astype(np.float32)
        else:
            arrays[key] = (
                result.astype(np.float16) if result.dtype.kind == "f" else result
            )
    np.savez(output, **arrays)


def dequantise(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return approximately the original arrays from those kept in 8 bits."""
    result = {}
    for key, value in arrays.items():
        name, _, kind = key.partition("|")
        if kind == "int8":
            result[name] = value.astype(np.float32) * arrays[f"{name}|scale"]
        elif not kind:
            result[key] = value
    return result


def load(name: str, path: Path) -> tuple[Any, Marks]:
    model, marks = MAKERS[name]()
    with np.load(path) as archive:
        weights = {k: torch.from_numpy(v) for k, v in dequantise(dict(archive)).items()}
    missing, unexpected = model.load_state_dict(
        {k: v.float() if v.dtype.is_floating_point else v for k, v in weights.items()},
        strict=False,
    )
    if unexpected or [k for k in missing if "position_ids" not in k]:
        raise SystemExit(f"{path}: {missing} missing, {unexpected} not known")
    return model, marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=MAKERS)
    parser.add_argument("safetensors", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    pack(options.name, options.safetensors, options.output)


if __name__ == "__main__":
    main()
