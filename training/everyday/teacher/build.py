"""Join the parts of `shrink` and write a folder with 16-bit weights.

Run    python -m training.everyday.teacher.build --parts PARTS -o FOLDER [--device cuda]
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load as load_arrays
from safetensors.torch import save_file

from training.everyday.teacher import blocks, qwen
from training.everyday.teacher.blocks import Blocks
from training.everyday.teacher.shrink import NAME

FILES = ("config.json", "tokenizer.json")


def build(parts: Path, output: Path, device: str) -> None:
    """Write the folder; a damaged part stops it."""
    data = b"".join(read_parts(parts))
    arrays = load_arrays(data)
    (size,) = np.frombuffer(data[:8], "<u8")
    kinds = json.loads(json.loads(data[8 : 8 + int(size)])["__metadata__"]["kinds"])
    unfinished = output.with_name(f"{output.name}.unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (unfinished / name).write_bytes(arrays[f"file|{name}"].tobytes())
    weights = {
        name: blocks.dequantise(Blocks(kind, tuple(shape), arrays[name]), device)
        .to(torch.bfloat16).cpu().contiguous()
        for name, (kind, shape) in kinds.items()
    }  # fmt: skip
    save_file(weights, unfinished / qwen.WEIGHTS, metadata={"format": "pt"})
    unfinished.replace(output)


def read_parts(parts: Path) -> Iterator[bytes]:
    """Yield the parts in order; each must have the expected checksum."""
    for line in (parts / f"{NAME}.sha256").read_text().splitlines():
        wanted, name = line.split()
        data = (parts / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != wanted:
            raise SystemExit(f"{parts / name}: damaged on the way. Send it again.")
        yield data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    build(options.parts, options.output, options.device)


if __name__ == "__main__":
    main()
