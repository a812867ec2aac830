"""SmolLM2-135M as the guide's encoder: its blocks of four bits, and its layers.

The file that travels keeps the GGUF's own blocks (Q4_1: 32 weights, a scale and a
least value; Q8_0: 32 weights and a scale), so nothing is rounded twice. Texts are
padded at their ends and every piece sees only those before it, so no mask is needed.

Run    python smollm2.py MODEL.gguf OUTPUT.npz [--layers 24]
Needs  gguf
"""

# ruff: noqa: T201, TID253
import argparse
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

HIDDEN, INNER, HEADS, SHARED, SIZE, PIECES = 576, 1536, 9, 3, 64, 49_152
LAYERS, BASE, EPSILON = 24, 100_000.0, 1e-5
SPARED = 24_000  # pieces of a batch beyond which memory is spared
_PARTS = {
    "attn_norm": "before.weight",
    "attn_q": "query.weight",
    "attn_k": "key.weight",
    "attn_v": "value.weight",
    "attn_output": "out.weight",
    "ffn_norm": "between.weight",
    "ffn_gate": "gate.weight",
    "ffn_up": "up.weight",
    "ffn_down": "down.weight",
}


class Norm(nn.RMSNorm):
    """Root mean square norm in the states' own precision, which is one kernel."""

    def forward(self, states: Tensor) -> Tensor:
        """Return the states, scaled."""
        weight = self.weight.to(states.dtype)
        return functional.rms_norm(states, (HIDDEN,), weight, EPSILON)


class Layer(nn.Module):
    """Attention to what came before, then a gated step for each piece."""

    def __init__(self) -> None:
        """Make the matrices."""
        super().__init__()
        self.before = Norm(HIDDEN, eps=EPSILON)
        self.between = Norm(HIDDEN, eps=EPSILON)
        self.query = nn.Linear(HIDDEN, HEADS * SIZE, bias=False)
        self.key = nn.Linear(HIDDEN, SHARED * SIZE, bias=False)
        self.value = nn.Linear(HIDDEN, SHARED * SIZE, bias=False)
        self.out = nn.Linear(HEADS * SIZE, HIDDEN, bias=False)
        self.gate = nn.Linear(HIDDEN, INNER, bias=False)
        self.up = nn.Linear(HIDDEN, INNER, bias=False)
        self.down = nn.Linear(INNER, HIDDEN, bias=False)

    def forward(self, states: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        """Return the next states: (batch, pieces, hidden)."""
        batch, count, _ = states.shape
        seen = self.before(states)
        query = self.query(seen).view(batch, count, HEADS, SIZE)
        key = self.key(seen).view(batch, count, SHARED, SIZE)
        value = self.value(seen).view(batch, count, SHARED, SIZE)
        several = HEADS // SHARED
        key = turned(key, turns).repeat_interleave(several, 2)
        value = value.repeat_interleave(several, 2)
        found = functional.scaled_dot_product_attention(
            turned(query, turns).transpose(1, 2),
            key.transpose(1, 2),
            value.transpose(1, 2),
            is_causal=True,
        )
        states = states + self.out(found.transpose(1, 2).reshape(batch, count, -1))
        seen = self.between(states)
        step: Tensor = self.down(functional.silu(self.gate(seen)) * self.up(seen))
        return states + step


def turned(states: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    """Turn neighbouring figures by their piece's place, as GGUF orders them."""
    cosine, sine = (turn[None, :, None].to(states.dtype) for turn in turns)
    even, odd = states[..., ::2], states[..., 1::2]
    both = (even * cosine - odd * sine, even * sine + odd * cosine)
    return torch.stack(both, -1).flatten(-2)


class SmolLM2(nn.Module):
    """The first layers of SmolLM2, called as Hugging Face's encoders are."""

    def __init__(self, layers: int = LAYERS) -> None:
        """Make the layers."""
        super().__init__()
        self.config = SimpleNamespace(hidden_size=HIDDEN)
        self.words = nn.Embedding(PIECES, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.last = Norm(HIDDEN, eps=EPSILON)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        """Return the states of every piece; texts are padded at their ends."""
        states = self.words(input_ids)
        if torch.is_autocast_enabled(states.device.type):
            states = states.to(torch.get_autocast_dtype(states.device.type))
        turns = places(input_ids.shape[1], input_ids.device)
        spare = self.training and input_ids.numel() > SPARED
        for layer in self.layers:
            if spare:  # the states are computed again on the way back
                states = checkpoint(layer, states, turns, use_reentrant=False)
            else:
                states = layer(states, turns)
        return SimpleNamespace(last_hidden_state=self.last(states))


def places(count: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return cosines and sines of each place: (pieces, size / 2)."""
    speeds = torch.arange(0, SIZE, 2, device=device) * (-math.log(BASE) / SIZE)
    angles = torch.arange(count, device=device)[:, None] * speeds.exp()[None]
    return angles.cos(), angles.sin()


def load(path: Path) -> SmolLM2:
    """Return the network with the weights of a file that this script wrote."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    weights = {
        name.partition("|")[0]: torch.from_numpy(whole(name, values))
        for name, values in arrays.items()
    }
    layers = 1 + max(int(n.split(".")[1]) for n in weights if n.startswith("layers."))
    network = SmolLM2(layers)
    network.load_state_dict(weights)
    return network


def whole(name: str, values: Any) -> Any:
    """Return the weights of packed blocks: (rows, columns)."""
    kind = name.partition("|")[2]
    if kind == "Q4_1":
        blocks = values.reshape(len(values), -1, 20)
        scales = np.ascontiguousarray(blocks[..., :4]).view(np.float16)
        low, high = blocks[..., 4:] & 15, blocks[..., 4:] >> 4
        steps = np.concatenate([low, high], -1).astype(np.float32)
        found = steps * scales[..., :1] + scales[..., 1:]
    elif kind == "Q8_0":
        blocks = values.reshape(len(values), -1, 34)
        scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
        steps = np.ascontiguousarray(blocks[..., 2:]).view(np.int8)
        found = steps.astype(np.float32) * scales
    else:
        return values.astype(np.float32)
    return found.reshape(len(values), -1).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("gguf", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--layers", type=int, default=LAYERS)
    options = parser.parse_args()
    from gguf import GGUFReader

    arrays = {}
    for tensor in GGUFReader(options.gguf).tensors:
        name = renamed(tensor.name, options.layers)
        if name:
            kind = tensor.tensor_type.name
            mark = "" if kind == "F32" else f"|{kind}"
            arrays[f"{name}{mark}"] = np.array(tensor.data)
    np.savez(options.output, **arrays)
    print(len(arrays), sum(values.nbytes for values in arrays.values()))


def renamed(name: str, layers: int) -> str:
    """Return our name of a tensor, or nothing for a layer that is left out."""
    if name == "token_embd.weight":
        return "words.weight"
    if name == "output_norm.weight":
        return "last.weight"
    _, number, part, _ = name.split(".")
    return f"layers.{number}.{_PARTS[part]}" if int(number) < layers else ""


if __name__ == "__main__":
    main()
