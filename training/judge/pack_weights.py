"""Weights as they travel: 8 bits a weight with a scale a row, in parts of 15 MB.

Run    python packing.py NETWORK.pt NAME -o FOLDER [--bits 16]
"""

import argparse
import io
from pathlib import Path
from typing import Any

import numpy as np
import torch

PART = 15_000_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("network", type=Path)
    parser.add_argument("name")
    parser.add_argument("--bits", type=int, default=8)
    parser.add_argument("--parts", default="0:99", help="which parts, first:last")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    state = torch.load(options.network, map_location="cpu", weights_only=True)
    arrays: dict[str, Any] = {}
    for name, tensor in state.items():
        if tensor.dtype.is_floating_point:
            arrays |= rounded(name, tensor.float().numpy(), options.bits)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    whole = buffer.getvalue()
    first, last = map(int, options.parts.split(":"))
    for number, start in enumerate(range(0, len(whole), PART)):
        if first <= number < last:
            part = options.output / f"{options.name}.{number:02d}"
            part.write_bytes(whole[start : start + PART])
    print(options.name, len(whole))


def rounded(name: str, values: np.ndarray, bits: int) -> dict[str, np.ndarray]:
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
