"""Trained weights in int8 with one scale per row, as NAME.npz.

Run    python -m training.judge.pack_weights NETWORK.pt NAME -o FOLDER [--bits 16]
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("network", type=Path)
    parser.add_argument("name")
    parser.add_argument("--bits", type=int, default=8)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    state = torch.load(options.network, map_location="cpu", weights_only=True)
    arrays: dict[str, Any] = {}
    for name, tensor in state.items():
        if tensor.dtype.is_floating_point:
            arrays |= quantise(name, tensor.float().numpy(), options.bits)
    options.output.mkdir(parents=True, exist_ok=True)
    np.savez(options.output / f"{options.name}.npz", **arrays)


def quantise(name: str, values: np.ndarray, bits: int) -> dict[str, np.ndarray]:
    if bits == 16 or values.ndim < 2 or "heads" in name or values.size < 100_000:
        kind = np.float16 if values.ndim > 1 and "heads" not in name else np.float32
        return {name: values.astype(kind)}
    scales = np.abs(values).max(axis=1, keepdims=True) / 127
    scales[scales == 0] = 1
    return {
        f"{name}|int8": np.rint(values / scales).astype(np.int8),
        f"{name}|scale": scales.astype(np.float32),
    }


if __name__ == "__main__":
    main()
