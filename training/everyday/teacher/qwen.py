"""Qwen2 or Llama in plain torch with low-rank adapters, made for large batches.

It computes the same as transformers. An `Adapter` adds a low-rank product to every
linear layer; it is learnt while the weights stay frozen, and merged for generation.
Texts are padded on the right and attention is causal, so that training needs
no mask. Generation keeps keys and values in a `Cache` of fixed size: the prompts are
read once and repeated for the candidates, new tokens go to the same index in all
rows, and rows that have ended are dropped.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch.nn import functional

from paraphrast.instruct import adapter as compact
from training.everyday.teacher.blocks import to_hugging_face_name

TABLE, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
WEIGHTS = "model.safetensors"
COMPACT = ".adapter"  # suffix of a low-bit adapter's file name
LINEAR = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip
EVEN = 8  # attention kernels prefer mask rows with this alignment
Attend = Callable[[int, Any, Any, Any], Any]


@dataclass(frozen=True)
class Shape:
    """The sizes of a model, by their names in ``config.json``."""

    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float
    rope_theta: float


class Adapter:
    """Two trainable low-rank matrices for every linear layer, in 32 bits."""

    def __init__(
        self, matrices: dict[str, tuple[Any, Any]], scale: float, dropout: float = 0.0
    ) -> None:
        """Take matrices down (rank, in) and up (out, rank) by the layers' names."""
        self.matrices, self.scale, self.dropout = matrices, scale, dropout

    @classmethod
    def make_fresh(
        cls, model: "Qwen", rank: int, alpha: float, dropout: float
    ) -> "Adapter":
        """Return a new adapter, which changes nothing yet."""
        matrices = {}
        for layer in range(model.shape.num_hidden_layers):
            for part in LINEAR:
                name = f"model.layers.{layer}.{part}"
                wide, narrow = model.weights[f"{name}.weight"].shape
                down = torch.randn(rank, narrow, device=model.device) / narrow**0.5
                up = torch.zeros(wide, rank, device=model.device)
                matrices[name] = (down.requires_grad_(), up.requires_grad_())
        return cls(matrices, alpha / rank, dropout)

    def parameters(self) -> list[Any]:
        """Return all matrices."""
        return [matrix for pair in self.matrices.values() for matrix in pair]

    def compute_added(self, name: str, states: Any, *, learning: bool) -> Any:
        """Return the adapter's contribution to a layer's output."""
        down, up = self.matrices[name]
        given = functional.dropout(states, self.dropout, learning)
        inner = functional.linear(given, down.to(states.dtype))
        return functional.linear(inner, (up * self.scale).to(states.dtype))

    def truncate(self, rank: int) -> "Adapter":
        """Return the nearest adapter of a lower rank."""
        matrices = {}
        for name, (down, up) in self.matrices.items():
            left, inner = torch.linalg.qr(up.float())
            right, other = torch.linalg.qr(down.float().T)
            first, sizes, second = torch.linalg.svd(inner @ other.T)
            root = sizes[:rank].sqrt()
            matrices[name] = (
                (root[:, None] * second[:rank]) @ right.T,
                (left @ first[:, :rank]) * root,
            )
        return Adapter(matrices, self.scale)

    def average(self, other: "Adapter") -> "Adapter":
        """Return the adapter half-way to another: their ranks add up, nothing is lost.

        The mean of the products, not of the factors, which mean nothing apart.
        """
        matrices = {}
        for name, (down, up) in self.matrices.items():
            further, wider = other.matrices[name]
            share = other.scale / self.scale
            matrices[name] = (
                torch.cat([down, further]), torch.cat([up, share * wider], 1) / 2
            )  # fmt: skip
        return Adapter(matrices, self.scale)

    def state(self) -> dict[str, Any]:
        """Return copies of the matrices in 16 bits, with their names in peft."""
        result = {}
        for name, (down, up) in self.matrices.items():
            result[f"{name}.lora_A.weight"] = down.detach().half().cpu().contiguous()
            result[f"{name}.lora_B.weight"] = up.detach().half().cpu().contiguous()
        return result

    @classmethod
    def load(cls, path: Path, device: str) -> "Adapter":
        """Read a file that `save_adapter` or, in few bits, `compact` wrote."""
        if path.suffix == COMPACT:
            return cls._load_compact(path, device)
        with safe_open(path, "pt") as file:
            alpha, rank = (float(file.metadata()[key]) for key in ("alpha", "rank"))
        result = load_file(path, device=device)
        names = sorted({name.rsplit(".", 2)[0] for name in result})
        matrices = {
            name: (
                result[f"{name}.lora_A.weight"].float(),
                result[f"{name}.lora_B.weight"].float(),
            )
            for name in names
        }
        return cls(matrices, alpha / rank)

    @classmethod
    def _load_compact(cls, path: Path, device: str) -> "Adapter":
        small = compact.read(path)
        made = {n: torch.tensor(v, device=device) for n, v in small.matrices()}
        matrices = {}
        for layer in small.layers:
            down, up = (made[f"{layer.name}.{side}"] for side in compact.SIDES)
            name = to_hugging_face_name(layer.name).removesuffix(".weight")
            matrices[name] = (down, up)
        return cls(matrices, 1.0)


def save_adapter(adapter: Adapter, path: Path) -> None:
    """Write the matrices of an adapter with their scale."""
    rank = len(next(iter(adapter.matrices.values()))[0])
    told = {"format": "pt", "rank": str(rank), "alpha": str(adapter.scale * rank)}
    save_file(adapter.state(), path, metadata=told)


@dataclass(eq=False)
class Qwen:
    """A model: its sizes and its weights, by their names in transformers."""

    shape: Shape
    weights: dict[str, Any]
    adapter: Adapter | None = None
    learning: bool = False

    def merge(self, adapter: Adapter) -> "Qwen":
        """Return a model with the adapter merged into its weights."""
        weights = dict(self.weights)
        with torch.no_grad():
            for name, (down, up) in adapter.matrices.items():
                before = weights[f"{name}.weight"]
                whole = before.float() + adapter.scale * (up @ down)
                weights[f"{name}.weight"] = whole.to(before.dtype)
        return Qwen(self.shape, weights)

    @property
    def device(self) -> Any:
        """Return the device of the weights."""
        return self.weights[TABLE].device

    def compute_states(self, ids: Any, positions: Any, attend: Attend) -> Any:
        """Return the last states, (rows, time, width), of tokens at positions."""
        turned = self._compute_rotation(positions)
        states = functional.embedding(ids, self.weights[TABLE])
        for layer in range(self.shape.num_hidden_layers):
            name = f"model.layers.{layer}"
            normed = self._norm(states, f"{name}.input_layernorm")
            states = states + self._attention(layer, normed, turned, attend)
            normed = self._norm(states, f"{name}.post_attention_layernorm")
            gate = functional.silu(self._linear(normed, f"{name}.mlp.gate_proj"))
            inner = gate * self._linear(normed, f"{name}.mlp.up_proj")
            states = states + self._linear(inner, f"{name}.mlp.down_proj")
        return self._norm(states, "model.norm")

    def compute_logits(self, states: Any) -> Any:
        """Return the logits in 32 bits."""
        weight = self.weights.get(OUTPUT, self.weights[TABLE])  # tied if there is none
        return functional.linear(states, weight).float()

    def read(self, ids: Any, keep: "Cache | None" = None) -> Any:
        """Return the states of texts padded on the right; cache their keys and values.

        The cache's prefix stands before each of the texts.
        """
        before = keep.before if keep is not None else 0
        time = torch.arange(ids.shape[1], device=ids.device)
        indices = torch.arange(before + ids.shape[1], device=ids.device)
        mask = self._mask((indices <= before + time[:, None])[None, None])

        def attend(layer: int, query: Any, key: Any, value: Any) -> Any:
            if keep is not None:
                keep.read(layer, key, value)
            if keep is None or not before:
                return functional.scaled_dot_product_attention(
                    query, key, value, is_causal=True, enable_gqa=True
                )
            return self._attend_grouped(
                query, *keep.join_start(layer, key, value), mask
            )

        return self.compute_states(ids, time[None] + before, attend)

    def _mask(self, seen: Any) -> Any:
        """Return the additive mask for what is seen: (rows or 1, 1, time, indices)."""
        mask = torch.zeros(
            seen.shape, dtype=self.weights[TABLE].dtype, device=seen.device
        )
        mask = mask.masked_fill(~seen, float("-inf"))
        few, heads = self.shape.num_key_value_heads, self.shape.num_attention_heads
        return mask.repeat(1, 1, heads // few, 1)

    def _attend_grouped(self, query: Any, keys: Any, values: Any, mask: Any) -> Any:
        """Attend with grouped queries: heads that share keys act as further queries."""
        rows, heads, time, size = query.shape
        few = self.shape.num_key_value_heads
        asking = query.reshape(rows, few, heads // few * time, size)
        result = functional.scaled_dot_product_attention(
            asking, keys, values, attn_mask=mask.expand(rows, few, -1, -1)
        )
        return result.reshape(query.shape)

    def read_next(self, ids: Any, positions: Any, cache: "Cache") -> Any:
        """Return the states, (rows, width), of the next token of each row."""
        mask = self._mask(cache.seen())

        def attend(layer: int, query: Any, key: Any, value: Any) -> Any:
            keys, values = cache.add(layer, key, value)
            return self._attend_grouped(query, keys, values, mask)

        states = self.compute_states(ids[:, None], positions[:, None], attend)[:, 0]
        cache.used += 1
        return states

    def _attention(self, layer: int, states: Any, turned: Any, attend: Attend) -> Any:
        name, shape = f"model.layers.{layer}.self_attn", self.shape
        rows, time = states.shape[:2]

        def heads(part: str, number: int) -> Any:
            result = self._linear(states, f"{name}.{part}_proj", biased=True)
            return result.view(rows, time, number, shape.head_dim).transpose(1, 2)

        query = _rotate(heads("q", shape.num_attention_heads), turned)
        key = _rotate(heads("k", shape.num_key_value_heads), turned)
        value = heads("v", shape.num_key_value_heads)
        result = attend(layer, query, key, value).transpose(1, 2)
        return self._linear(result.reshape(rows, time, -1), f"{name}.o_proj")

    def _linear(self, states: Any, name: str, *, biased: bool = False) -> Any:
        bias = self.weights.get(f"{name}.bias") if biased else None
        result = functional.linear(states, self.weights[f"{name}.weight"], bias)
        if self.adapter is None:
            return result
        return result + self.adapter.compute_added(name, states, learning=self.learning)

    def _norm(self, states: Any, name: str) -> Any:
        weight = self.weights[f"{name}.weight"]
        return functional.rms_norm(
            states, weight.shape, weight, self.shape.rms_norm_eps
        )

    def _compute_rotation(self, positions: Any) -> tuple[Any, Any]:
        """Return cosines and sines of positions: (rows, 1, time, size of a head)."""
        size = self.shape.head_dim
        powers = torch.arange(0, size, 2, device=positions.device).float() / size
        angles = positions[:, None, :, None] / self.shape.rope_theta**powers
        angles = torch.cat([angles, angles], -1)
        kind = self.weights[TABLE].dtype
        return angles.cos().to(kind), angles.sin().to(kind)


def _rotate(states: Any, turned: tuple[Any, Any]) -> Any:
    cosine, sine = turned
    first, second = states.chunk(2, -1)
    return states * cosine + torch.cat([-second, first], -1) * sine


class Cache:
    """Keys and values of the tokens that rows have read and written, and their mask.

    ``start`` is the cache of one text that stands before every row's.
    """

    def __init__(
        self, lengths: Any, width: int, more: int, *, each: int = 1,
        start: "Cache | None" = None,
    ) -> None:  # fmt: skip
        """Allocate room for prompts of these lengths, each repeated, and new tokens."""
        self.start, self.each = start, each
        self.before: int = start.used if start else 0
        self.used: int = self.before + width
        self.room = _round_up(self.used + more)
        self.layers: list[tuple[Any, Any]] = []
        indices = torch.arange(self.room, device=lengths.device)
        self.shown = indices < self.before + lengths.repeat_interleave(each)[:, None]

    def read(self, layer: int, key: Any, value: Any) -> None:
        """Store a layer's keys and values of prompts, each repeated per candidate."""
        made = []
        for side, result in enumerate((key, value)):
            rows, heads, _, size = result.shape
            table = result.new_zeros(rows, self.each, heads, self.room, size)
            if self.start:
                table[..., : self.before, :] = self._start(layer)[side]
            table[..., self.before : self.used, :] = result[:, None]
            made.append(table.flatten(0, 1))
        self.layers.append((made[0], made[1]))

    def join_start(self, layer: int, key: Any, value: Any) -> tuple[Any, Any]:
        """Return keys and values with those of the start before them."""
        joined = [
            torch.cat([before.expand(len(result), -1, -1, -1), result], 2)
            for before, result in zip(self._start(layer), (key, value), strict=True)
        ]
        return joined[0], joined[1]

    def _start(self, layer: int) -> list[Any]:
        both = self.start.layers[layer]  # type: ignore[union-attr]
        return [side[:, :, : self.before] for side in both]

    def seen(self) -> Any:
        """Unmask the next token's index; return the mask: (rows, 1, 1, n)."""
        self.shown[:, self.used] = True
        return self.shown[:, None, None, : _round_up(self.used + 1)]

    def add(self, layer: int, key: Any, value: Any) -> tuple[Any, Any]:
        """Store a new token's key and value; return all of them."""
        keys, values = self.layers[layer]
        keys[:, :, self.used] = key[:, :, 0]
        values[:, :, self.used] = value[:, :, 0]
        end = _round_up(self.used + 1)
        return keys[:, :, :end], values[:, :, :end]

    def keep(self, rows: Any) -> None:
        """Drop all other rows."""
        self.shown = self.shown[rows]
        for layer, (keys, values) in enumerate(self.layers):
            self.layers[layer] = (keys[rows], values[rows])


def _round_up(number: int) -> int:
    return -(-number // EVEN) * EVEN


def load(folder: Path, device: str) -> Qwen:
    """Load a folder that `build` wrote: 16 bits on a GPU, else 32."""
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    result = load_file(folder / WEIGHTS, device=device)
    return Qwen(
        read_shape(folder), {name: value.to(kind) for name, value in result.items()}
    )


def read_shape(folder: Path) -> Shape:
    """Read the sizes in a model's ``config.json``."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    return Shape(**{name: config[name] for name in Shape.__annotations__})
