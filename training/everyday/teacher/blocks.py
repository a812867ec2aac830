"""A GGUF file: its metadata, and its weights in low-bit blocks.

`read_gguf` looks into the file without loading it; `dequantise` turns the blocks of a
tensor into numbers on any device, all at once. The kinds Q4_K and Q6_K share a
super-block of 256 numbers: 4 bits with a scale and a minimum for each 32, or 6
bits with a scale for each 16. Q4_1, Q5_0 and Q8_0 have blocks of 32 numbers: 4 bits
with a scale and a minimum, or 5 or 8 bits with a scale.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

BLOCK = 256  # numbers of a super-block
SIZES = {
    "F32": (1, 4), "F16": (1, 2), "Q4_1": (32, 20), "Q5_0": (32, 22),
    "Q8_0": (32, 34), "Q4_K": (BLOCK, 144), "Q6_K": (BLOCK, 210),
}  # numbers and bytes of a block  # fmt: skip
_KINDS = {
    0: "F32", 1: "F16", 3: "Q4_1", 6: "Q5_0", 8: "Q8_0", 12: "Q4_K", 14: "Q6_K"
}  # fmt: skip
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q",
            11: "q", 12: "d"}  # fmt: skip
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class Blocks:
    """A tensor as stored in the file: ``data`` has one row of bytes per row."""

    kind: str
    shape: tuple[int, ...]
    data: Any


def read_gguf(path: Path) -> tuple[dict[str, Any], dict[str, Blocks]]:
    """Return a file's metadata and its tensors."""
    with path.open("rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reader = _Reader(view)
    magic, version, tensors, facts = reader.take("4sIQQ")
    if magic != b"GGUF" or version != 3:
        raise SystemExit(f"{path}: not a GGUF file of version 3.")
    said = {reader.text(): reader.value(reader.take("I")[0]) for _ in range(facts)}
    listed = [reader.tensor() for _ in range(tensors)]
    align = said.get("general.alignment", 32)
    start = -(-reader.at // align) * align
    whole = np.frombuffer(view, np.uint8)
    return said, {
        name: _cut_blocks(whole, start + offset, kind, shape)
        for name, kind, shape, offset in listed
    }


class _Reader:
    """Takes values from the front of a file."""

    def __init__(self, view: mmap.mmap) -> None:
        self.view, self.at = view, 0

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{form}", self.view, self.at)
        self.at += struct.calcsize(f"<{form}")
        return values

    def text(self) -> str:
        (size,) = self.take("Q")
        self.at += size
        return self.view[self.at - size : self.at].decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            return self.take(_SCALARS[kind])[0]
        inner, size = self.take("IQ")
        if inner in _SCALARS:
            return list(self.take(f"{size}{_SCALARS[inner]}"))
        return [self.value(inner) for _ in range(size)]

    def tensor(self) -> tuple[str, str, tuple[int, ...], int]:
        name = self.text()
        (dimensions,) = self.take("I")
        shape = self.take(f"{dimensions}Q")[::-1]
        kind, offset = self.take("IQ")
        if kind not in _KINDS:
            raise SystemExit(f"{name}: blocks of kind {kind} are not known.")
        return name, _KINDS[kind], shape, offset


def _cut_blocks(whole: Any, start: int, kind: str, shape: tuple[int, ...]) -> Blocks:
    numbers, size = SIZES[kind]
    row = shape[-1] // numbers * size
    rows = int(np.prod(shape[:-1], dtype=np.int64))
    data = whole[start : start + rows * row].reshape(rows, row)
    return Blocks(kind, shape, data)


def dequantise(blocks: Blocks, device: str = "cpu") -> Any:
    """Return the numbers of a tensor in 32 bits."""
    data = torch.from_numpy(np.array(blocks.data)).to(device)
    if blocks.kind in ("F32", "F16"):
        form = {"F32": torch.float32, "F16": torch.float16}[blocks.kind]
        return data.view(form).float().reshape(blocks.shape)
    whole = {
        "Q4_1": _dequantise_q4_1, "Q5_0": _dequantise_q5_0,
        "Q8_0": _dequantise_q8_0, "Q4_K": _dequantise_q4, "Q6_K": _dequantise_q6,
    }[blocks.kind]  # fmt: skip
    return whole(data.reshape(-1, SIZES[blocks.kind][1])).reshape(blocks.shape)


def _read_halves(data: Any) -> Any:
    """Return the 16-bit numbers in pairs of bytes: (blocks, numbers)."""
    return data.contiguous().view(torch.float16).float()


def _dequantise_q4_1(data: Any) -> Any:
    """Return Q4_1: (blocks, 32); 2 + 2 bytes, 16 of 4 + 4 bits."""
    scale, least = _read_halves(data[:, :4])[:, :, None].unbind(1)  # (blocks, 1) each
    return scale * torch.cat([data[:, 4:] & 15, data[:, 4:] >> 4], 1) + least


def _dequantise_q5_0(data: Any) -> Any:
    """Return Q5_0: (blocks, 32); 2 bytes, 32 of the fifth bit, 16 of 4 + 4 bits."""
    places = torch.arange(8, device=data.device)
    fifth = ((data[:, 2:6, None] >> places) & 1).reshape(-1, 32)
    low = torch.cat([data[:, 6:] & 15, data[:, 6:] >> 4], 1)
    return _read_halves(data[:, :2]) * ((low | (fifth << 4)).to(torch.int8) - 16)


def _dequantise_q8_0(data: Any) -> Any:
    """Return Q8_0: (blocks, 32); 2 bytes, 32 of 8 bits."""
    return _read_halves(data[:, :2]) * data[:, 2:].contiguous().view(torch.int8)


def _dequantise_q4(data: Any) -> Any:
    """Return Q4_K: (blocks, 256); 2 + 2 bytes, 12 of scales, 128 of 4 + 4 bits."""
    size = len(data)
    scale, least = _read_halves(data[:, :4])[:, :, None].unbind(1)  # (blocks, 1) each
    packed = data[:, 4:16].reshape(size, 3, 4)
    first, second, third = packed.unbind(1)
    scales = torch.cat([first & 63, (third & 15) | ((first >> 6) << 4)], 1)
    leasts = torch.cat([second & 63, (third >> 4) | ((second >> 6) << 4)], 1)
    pairs = data[:, 16:].reshape(size, 4, 1, 32)
    values = torch.cat([pairs & 15, pairs >> 4], 2).reshape(size, 8, 32)
    scaled = (scale * scales)[:, :, None] * values
    return (scaled - (least * leasts)[:, :, None]).reshape(size, BLOCK)


def _dequantise_q6(data: Any) -> Any:
    """Return Q6_K: (blocks, 256); 128 bytes of low bits, 64 of high, 16 scales, one."""
    size = len(data)
    low = data[:, :128].reshape(size, 2, 1, 64)
    low = torch.cat([low & 15, low >> 4], 2).reshape(size, 2, 4, 32)
    high = data[:, 128:192].reshape(size, 2, 1, 32)
    high = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2)
    values = (low | (high << 4)).to(torch.int8) - 32
    scales = data[:, 192:208].contiguous().view(torch.int8).float()
    scales = _read_halves(data[:, 208:]) * scales
    return (scales[:, :, None] * values.reshape(size, 16, 16)).reshape(size, BLOCK)


def to_hugging_face_name(name: str) -> str:
    """Return the name in transformers of a tensor of a Qwen2 or a Llama."""
    if not name.startswith("blk."):
        return _OUTSIDE[name]
    _, layer, part, kind = name.split(".")
    return f"model.layers.{layer}.{_INSIDE[part]}.{kind}"


_OUTSIDE: Mapping[str, str] = {
    "output.weight": "lm_head.weight",
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
}
_INSIDE: Mapping[str, str] = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def to_gguf_name(name: str) -> str:
    """Return the name in a GGUF file of a layer's weight, from transformers' name."""
    _, _, layer, part = name.split(".", 3)
    (own,) = [key for key, value in _INSIDE.items() if value == part]
    return f"blk.{layer}.{own}.weight"
