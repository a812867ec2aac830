"""A LoRA adapter quantised to few bits, and its conversion to GGUF for llama.cpp.

The update of a layer is a sum of rank-one products, its singular directions, each of a
down vector (over the layer's inputs) and an up vector (over its outputs). A file stores
these vectors as integers from -127 to 127 with a scale per vector. The integers of all
vectors, those with the widest spread first, are one stream of bytes, which is
Huffman-coded (zlib). `training.everyday.teacher.compact` chooses the scales and writes
the file.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.storage import arrays, atomic

KIND = arrays.Kind("adapter", 1, "Reinstall paraphrast.")
SIDES = ("lora_a", "lora_b")  # down and up, as GGUF names them
MOST = 127  # of a whole number

_MAGIC, _VERSION, _ALIGNMENT = b"GGUF", 3, 32
_FLOAT32, _STRING, _F16 = 6, 8, 1  # GGUF's numbers for types


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: its name in GGUF, and the numbers of its inputs and outputs."""

    name: str
    inputs: int
    outputs: int


@dataclass(frozen=True)
class Adapter:
    """The integers of the vectors of all layers, and the vectors' scales.

    The vectors of a layer are adjacent: first the down vectors, then the up vectors, as
    many of each as the rank.
    """

    layers: tuple[Layer, ...]
    rank: int
    codes: Sequence[NDArray[np.int8]]
    steps: NDArray[np.float32]

    def matrices(self) -> Iterator[tuple[str, NDArray[np.float32]]]:
        """Yield the down (rank, inputs) and up (outputs, rank) matrices by name."""
        at = 0
        for layer in self.layers:
            for side in SIDES:
                own = slice(at, at + self.rank)
                rows = np.stack(self.codes[own]) * self.steps[own, None]
                yield f"{layer.name}.{side}", rows if side == SIDES[0] else rows.T
                at += self.rank


def write(adapter: Adapter, path: Path) -> None:
    """Write an adapter atomically."""
    order = np.argsort([-float(own.std()) for own in adapter.codes], kind="stable")
    coder = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    stream = b"".join(coder.compress(adapter.codes[at].tobytes()) for at in order)
    stream += coder.flush()
    about = {
        "layers": [[own.name, own.inputs, own.outputs] for own in adapter.layers],
        "rank": adapter.rank,
    }
    parts: arrays.Arrays = {
        "order": order.astype(np.int32),
        "steps": adapter.steps,
        "codes": np.frombuffer(stream, np.uint8),
    }
    arrays.write(path, KIND, parts, about)


def read(path: Path) -> Adapter:
    """Read what `write` wrote."""
    parts, about = arrays.read(path, KIND)
    try:
        layers = tuple(Layer(*own) for own in about["layers"])
        rank, order = about["rank"], parts["order"]
        sizes = [
            size
            for layer in layers
            for size in [layer.inputs] * rank + [layer.outputs] * rank
        ]
        stream = zlib.decompressobj().decompress(parts["codes"].tobytes(), sum(sizes))
        ends = accumulate(sizes[at] for at in order)
        codes = [np.empty(0, np.int8)] * len(sizes)
        for at, end in zip(order, ends, strict=True):
            codes[at] = np.frombuffer(stream, np.int8, sizes[at], end - sizes[at])
        if sorted(order) != list(range(len(sizes))) or len(parts["steps"]) != len(
            codes
        ):
            raise ValueError("vectors are missing")
    except (KeyError, TypeError, ValueError, IndexError, zlib.error) as error:
        raise ParaphrastError(
            f"{path} is not an adapter: {error}. {KIND.again}"
        ) from error
    return Adapter(layers, rank, codes, parts["steps"])


def expand(path: Path, output: Path) -> None:
    """Write the adapter of a file as GGUF, deterministically."""
    adapter = read(path)
    write_gguf(
        output,
        {name: own.astype(np.float16) for name, own in adapter.matrices()},
        alpha=float(adapter.rank),  # so that the product counts as it is
    )


def write_gguf(
    path: Path, tensors: Mapping[str, NDArray[np.float16]], *, alpha: float
) -> None:
    """Write an adapter as 16-bit matrices for a model of the Qwen2 family."""
    told = [
        _text("general.architecture") + struct.pack("<I", _STRING) + _text("qwen2"),
        _text("general.type") + struct.pack("<I", _STRING) + _text("adapter"),
        _text("adapter.type") + struct.pack("<I", _STRING) + _text("lora"),
        _text("adapter.lora.alpha") + struct.pack("<If", _FLOAT32, alpha),
    ]
    head = struct.pack("<4sIQQ", _MAGIC, _VERSION, len(tensors), len(told))
    head += b"".join(told)
    offset = 0
    for name, values in tensors.items():
        shape = values.shape[::-1]  # the quickest index first
        head += _text(name) + struct.pack("<IQQIQ", 2, *shape, _F16, offset)
        offset += _fill(values.nbytes)
    with atomic.bytes_writer(path) as file:
        file.write(head.ljust(_fill(len(head)), b"\0"))
        for values in tensors.values():
            file.write(
                values.astype("<f2").tobytes().ljust(_fill(values.nbytes), b"\0")
            )


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _fill(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
