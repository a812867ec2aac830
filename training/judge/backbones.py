"""The pretrained encoders as plain arrays: 16 bits per weight.

Run    python -m training.judge.backbones mpnet|minilm model.safetensors OUTPUT.npz
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from paraphrast.judges.training.network import Marks

BERT = Marks(start=101, end=102, padding=0)
MPNET = Marks(start=0, end=2, padding=1, shift=4)


def mpnet() -> tuple[Any, Marks]:
    config = MPNetConfig(
        vocab_size=30527, max_position_embeddings=514, layer_norm_eps=1e-5
    )
    return MPNetModel(config, add_pooling_layer=False), MPNET


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
    """Return arrays that were kept in 8 bits as they were, or nearly."""
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
