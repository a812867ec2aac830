"""Models and texts in parts that travel, and back again.

What was rebuilt from eight bits (the base) travels in them without loss. What was
trained travels with eight bits a weight and a scale a row, which is just how
CTranslate2 will keep it.

Run    python transport.py pack FOLDER NAME -o PARTS [--part 15000000] [--only 0:4]
       python transport.py unpack PARTS NAME -o FOLDER
"""

# ruff: noqa: T201
import argparse
import io
import lzma
from pathlib import Path
from typing import Any

import numpy as np

WEIGHTS = "model.safetensors"
PART = 15_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("pack", "unpack"))
    parser.add_argument("source", type=Path)
    parser.add_argument("name")
    parser.add_argument("--part", type=int, default=PART)
    parser.add_argument("--only", default="0:999", help="which parts, first:last")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.verb == "pack":
        pack(options)
    else:
        unpack(options.source, options.name, options.output)


def pack(options: argparse.Namespace) -> None:
    arrays: dict[str, Any] = {}
    for path in sorted(options.source.rglob("*")):
        if path.is_file() and path.name != WEIGHTS:
            name = path.relative_to(options.source).as_posix()
            arrays[f"file|{name}"] = np.frombuffer(path.read_bytes(), np.uint8)
    if (options.source / WEIGHTS).exists():
        from safetensors.numpy import load_file

        for name, values in load_file(options.source / WEIGHTS).items():
            arrays |= small(name, values.astype(np.float32))
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    whole = lzma.compress(buffer.getvalue(), preset=1)
    first, last = map(int, options.only.split(":"))
    for number, start in enumerate(range(0, len(whole), options.part)):
        if first <= number < last:
            part = options.output / f"{options.name}.{number:02d}"
            part.write_bytes(whole[start : start + options.part])
    print(
        f"{options.name}: {len(whole)} bytes in {-(-len(whole) // options.part)} parts"
    )


def small(name: str, values: Any) -> dict[str, Any]:
    """Return a tensor in few bits: exactly if it was rounded before, else by rows."""
    if values.ndim < 2 or values.size < 10_000:
        return {f"whole|{name}": values}
    scale = np.abs(values[values != 0]).min()
    steps = np.rint(values / scale)
    if np.abs(steps).max() < 256 and np.array_equal(
        (steps * scale).astype(np.float32), values
    ):
        return {f"steps|{name}": steps.astype(np.int16), f"scale|{name}": scale}
    rows = np.abs(values).max(axis=1, keepdims=True) / 127
    rows[rows == 0] = 1
    return {
        f"rows|{name}": np.rint(values / rows).astype(np.int8),
        f"scale|{name}": rows.astype(np.float32),
    }


def unpack(parts: Path, name: str, folder: Path) -> None:
    whole = b"".join(
        path.read_bytes() for path in sorted(parts.glob(f"{name}.[0-9][0-9]"))
    )
    if not whole:
        raise SystemExit(f"{parts}: no parts of {name}.")
    weights = {}
    with np.load(io.BytesIO(lzma.decompress(whole))) as arrays:
        for key in arrays.files:
            kind, _, name = key.partition("|")
            if kind == "file":
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(arrays[key].tobytes())
            elif kind == "whole":
                weights[name] = arrays[key]
            elif kind in ("steps", "rows"):
                scale = arrays[f"scale|{name}"]
                weights[name] = (arrays[key] * scale).astype(np.float32)
    if weights:
        from safetensors.numpy import save_file

        save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


if __name__ == "__main__":
    main()
