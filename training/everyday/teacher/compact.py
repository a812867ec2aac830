"""Write a low-bit adapter, small enough for the package.

The product up·down of every layer is decomposed into its singular directions. The
numbers of a direction are rounded with a step that goes down with the root of its
singular value σ, both sides having the norm √σ: then one bit more or less, anywhere,
changes the error of all the products by the same. One factor for all steps sets the
size. The steps are then fitted by least squares to what was rounded.

Run    python -m training.everyday.teacher.compact --adapter FILE --megabytes 4.7
              [--rank 8] -o large.adapter
"""

import argparse
import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from paraphrast.instruct import adapter as compact
from paraphrast.instruct.adapter import MOST, Adapter, Layer
from training.everyday.teacher.blocks import to_gguf_name

SEARCH = 12  # halvings of the range of the factor

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Directions:
    """The singular directions of a layer: rows down and rows up, balanced."""

    layer: Layer
    down: Array
    up: Array

    @property
    def sizes(self) -> Array:
        """Return the singular values."""
        values: Array = np.square(self.down).sum(1)
        return values


def read_directions(path: Path, rank: int | None = None) -> list[Directions]:
    """Return a limited number of directions for each layer of an adapter."""
    result = []
    with safe_open(path, "np") as file:
        told = file.metadata()
        scale = float(told["alpha"]) / float(told["rank"])
        for name in sorted(file.keys()):
            layer, _, side = name.removesuffix(".weight").rpartition(".")
            if side == "lora_A":
                down = file.get_tensor(name).astype(np.float32)
                up = file.get_tensor(f"{layer}.lora_B.weight").astype(np.float32)
                own = Layer(to_gguf_name(layer), down.shape[1], up.shape[0])
                result.append(Directions(own, *decompose(down, up * scale, rank)))
    return result


def decompose(down: Array, up: Array, rank: int | None = None) -> tuple[Array, Array]:
    """Return rows down and rows up whose products add up to ``up @ down``."""
    left, inner = np.linalg.qr(up)
    right, other = np.linalg.qr(down.T)
    first, sizes, second = np.linalg.svd(inner @ other.T)
    root = np.sqrt(sizes)[:rank, None]
    return root * (second[:rank] @ right.T), root * (left @ first[:, :rank]).T


def quantise(directions: list[Directions], factor: float) -> Adapter:
    """Return the adapter whose steps are the factor over the root of each σ."""
    codes, steps = [], []
    for own in directions:
        for side in (own.down, own.up):
            for row, size in zip(side, own.sizes, strict=True):
                step = max(factor / np.sqrt(size), np.abs(row).max() / MOST)
                code = np.rint(row / step).astype(np.int8)
                levels = code.astype(np.float32)
                power = float(levels @ levels)
                codes.append(code)
                steps.append(float(row @ levels) / power if power else 0.0)
    return Adapter(
        tuple(own.layer for own in directions),
        len(directions[0].down),
        codes,
        np.array(steps, np.float32),
    )


def fit(directions: list[Directions], room: int) -> Adapter:
    """Return the best adapter whose file has at most the given size in bytes."""
    low, high = 1e-6, 1.0
    for _ in range(SEARCH):
        middle = float(np.sqrt(low * high))
        if measure_size(quantise(directions, middle)) <= room:
            high = middle
        else:
            low = middle
    return quantise(directions, high)


def measure_size(adapter: Adapter) -> int:
    """Return the size of an adapter's file in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adapter"
        compact.write(adapter, path)
        return path.stat().st_size


def compute_error(directions: list[Directions], adapter: Adapter) -> float:
    """Return the norm of the error of all products, relative to theirs."""
    lost = whole = 0.0
    made: Mapping[str, Any] = dict(adapter.matrices())
    for own in directions:
        down, up = (made[f"{own.layer.name}.{side}"] for side in compact.SIDES)
        # The norm of a difference of products, without making the products.
        cross = np.sum((own.up @ up) * (own.down @ down.T))
        lost += float(np.sum((up.T @ up) * (down @ down.T)) - 2 * cross)
        lost += float(np.square(own.sizes).sum())
        whole += float(np.square(own.sizes).sum())
    return float(np.sqrt(max(0.0, lost) / whole))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("--rank", type=int, help="keep the first directions only")
    parser.add_argument("--megabytes", type=float, default=4.7)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    directions = read_directions(options.adapter)
    kept = read_directions(options.adapter, options.rank)
    made = fit(kept, int(options.megabytes * 1e6))
    compact.write(made, options.output)
    print(json.dumps(describe(directions, made, options.output), indent=1))


def describe(
    directions: list[Directions], made: Adapter, path: Path
) -> dict[str, object]:
    """Return a description of a file, and its entry for `packs/large.toml`."""
    numbers = sum(own.size for own in made.codes)
    size = path.stat().st_size
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "adapter.gguf"
        compact.expand(path, whole)
        data = whole.read_bytes()
    return {
        "rank": made.rank,
        "bytes": size,
        "bits per number": round(8 * size / numbers, 3),
        "error": round(compute_error(directions, made), 4),
        "expanded": {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()},
    }


if __name__ == "__main__":
    main()
