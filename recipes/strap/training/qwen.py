"""Qwen2 in plain torch: what transformers computes, made for large batches.

Texts are filled up on the right and attention looks back only, so that learning needs
no mask. Writing keeps keys and values in a `Cache` of fixed size: the prompts are read
once and repeated for the candidates, new pieces go into the same place for all rows,
and rows that have ended are let go. `recipes/strap/tests` compare the logits with those
of transformers.
"""

# ruff: noqa: TID253
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

TABLE = "model.embed_tokens.weight"
WEIGHTS = "model.safetensors"
EVEN = 8  # attention kernels like masks whose rows are this aligned
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


@dataclass(frozen=True, eq=False)
class Qwen:
    """A model: its sizes and its weights, by their names in transformers."""

    shape: Shape
    weights: dict[str, Any]

    @property
    def device(self) -> Any:
        """Return where the weights are."""
        return self.weights[TABLE].device

    def states(self, ids: Any, positions: Any, attend: Attend) -> Any:
        """Return the last states, (rows, time, width), of pieces at positions."""
        turned = self._turned(positions)
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

    def logits(self, states: Any) -> Any:
        """Return the logits in 32 bits; the table of pieces is the output layer."""
        return functional.linear(states, self.weights[TABLE]).float()

    def read(self, ids: Any, keep: "Cache | None" = None) -> Any:
        """Return the states of texts filled up on the right; keep what was read.

        What the cache was begun with stands before each of the texts.
        """
        before = keep.before if keep is not None else 0
        time = torch.arange(ids.shape[1], device=ids.device)
        places = torch.arange(before + ids.shape[1], device=ids.device)
        mask = self._mask((places <= before + time[:, None])[None, None])

        def attend(layer: int, query: Any, key: Any, value: Any) -> Any:
            if keep is not None:
                keep.read(layer, key, value)
            if keep is None or not before:
                return functional.scaled_dot_product_attention(
                    query, key, value, is_causal=True, enable_gqa=True
                )
            return self._grouped(query, *keep.with_start(layer, key, value), mask)

        return self.states(ids, time[None] + before, attend)

    def _mask(self, seen: Any) -> Any:
        """Return what to add where (rows or 1, 1, time, places) is not seen."""
        mask = torch.zeros(
            seen.shape, dtype=self.weights[TABLE].dtype, device=seen.device
        )
        mask = mask.masked_fill(~seen, float("-inf"))
        few, heads = self.shape.num_key_value_heads, self.shape.num_attention_heads
        return mask.repeat(1, 1, heads // few, 1)

    def _grouped(self, query: Any, keys: Any, values: Any, mask: Any) -> Any:
        """Attend: heads that share keys are like so many pieces that ask at once."""
        rows, heads, time, size = query.shape
        few = self.shape.num_key_value_heads
        asking = query.reshape(rows, few, heads // few * time, size)
        found = functional.scaled_dot_product_attention(
            asking, keys, values, attn_mask=mask.expand(rows, few, -1, -1)
        )
        return found.reshape(query.shape)

    def go_on(self, ids: Any, positions: Any, cache: "Cache") -> Any:
        """Return the states, (rows, width), of the next piece of each row."""
        mask = self._mask(cache.seen())

        def attend(layer: int, query: Any, key: Any, value: Any) -> Any:
            keys, values = cache.add(layer, key, value)
            return self._grouped(query, keys, values, mask)

        states = self.states(ids[:, None], positions[:, None], attend)[:, 0]
        cache.used += 1
        return states

    def _attention(self, layer: int, states: Any, turned: Any, attend: Attend) -> Any:
        name, shape = f"model.layers.{layer}.self_attn", self.shape
        rows, time = states.shape[:2]

        def heads(part: str, number: int) -> Any:
            found = self._linear(states, f"{name}.{part}_proj", biased=True)
            return found.view(rows, time, number, shape.head_dim).transpose(1, 2)

        query = _rotated(heads("q", shape.num_attention_heads), turned)
        key = _rotated(heads("k", shape.num_key_value_heads), turned)
        value = heads("v", shape.num_key_value_heads)
        found = attend(layer, query, key, value).transpose(1, 2)
        return self._linear(found.reshape(rows, time, -1), f"{name}.o_proj")

    def _linear(self, states: Any, name: str, *, biased: bool = False) -> Any:
        bias = self.weights[f"{name}.bias"] if biased else None
        return functional.linear(states, self.weights[f"{name}.weight"], bias)

    def _norm(self, states: Any, name: str) -> Any:
        weight = self.weights[f"{name}.weight"]
        return functional.rms_norm(
            states, weight.shape, weight, self.shape.rms_norm_eps
        )

    def _turned(self, positions: Any) -> tuple[Any, Any]:
        """Return cosines and sines of positions: (rows, 1, time, size of a head)."""
        size = self.shape.head_dim
        powers = torch.arange(0, size, 2, device=positions.device).float() / size
        angles = positions[:, None, :, None] / self.shape.rope_theta**powers
        angles = torch.cat([angles, angles], -1)
        kind = self.weights[TABLE].dtype
        return angles.cos().to(kind), angles.sin().to(kind)


def _rotated(states: Any, turned: tuple[Any, Any]) -> Any:
    cosine, sine = turned
    first, second = states.chunk(2, -1)
    return states * cosine + torch.cat([-second, first], -1) * sine


class Cache:
    """Keys and values of what rows have read and written, and which places count.

    ``start`` is the cache of one text that stands before every row's.
    """

    def __init__(
        self, lengths: Any, width: int, more: int, *, each: int = 1,
        start: "Cache | None" = None,
    ) -> None:  # fmt: skip
        """Make room for prompts of these lengths, each repeated, and pieces to come."""
        self.start, self.each = start, each
        self.before = start.used if start else 0
        self.used = self.before + width
        self.room = _even(self.used + more)
        self.layers: list[tuple[Any, Any]] = []
        places = torch.arange(self.room, device=lengths.device)
        self.shown = places < self.before + lengths.repeat_interleave(each)[:, None]

    def read(self, layer: int, key: Any, value: Any) -> None:
        """Keep the prompts' keys and values of a layer, each for its candidates."""
        made = []
        for side, found in enumerate((key, value)):
            rows, heads, _, size = found.shape
            table = found.new_zeros(rows, self.each, heads, self.room, size)
            if self.start:
                table[..., : self.before, :] = self._start(layer)[side]
            table[..., self.before : self.used, :] = found[:, None]
            made.append(table.flatten(0, 1))
        self.layers.append((made[0], made[1]))

    def with_start(self, layer: int, key: Any, value: Any) -> tuple[Any, Any]:
        """Return keys and values with those of the start before them."""
        joined = [
            torch.cat([before.expand(len(found), -1, -1, -1), found], 2)
            for before, found in zip(self._start(layer), (key, value), strict=True)
        ]
        return joined[0], joined[1]

    def _start(self, layer: int) -> list[Any]:
        both = self.start.layers[layer]  # type: ignore[union-attr]
        return [side[:, :, : self.before] for side in both]

    def seen(self) -> Any:
        """Show the place of the piece to come; say what is seen: (rows, 1, 1, n)."""
        self.shown[:, self.used] = True
        return self.shown[:, None, None, : _even(self.used + 1)]

    def add(self, layer: int, key: Any, value: Any) -> tuple[Any, Any]:
        """Keep a new piece's key and value; return all of them."""
        keys, values = self.layers[layer]
        keys[:, :, self.used] = key[:, :, 0]
        values[:, :, self.used] = value[:, :, 0]
        end = _even(self.used + 1)
        return keys[:, :, :end], values[:, :, :end]

    def keep(self, rows: Any) -> None:
        """Let all other rows go."""
        self.shown = self.shown[rows]
        for place, (keys, values) in enumerate(self.layers):
            self.layers[place] = (keys[rows], values[rows])


def _even(number: int) -> int:
    return -(-number // EVEN) * EVEN


def load(folder: Path, device: str) -> Qwen:
    """Load a folder of transformers: 16 bits on a GPU, else 32."""
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    found = load_file(folder / WEIGHTS, device=device)
    weights = {name: value.to(kind) for name, value in found.items()}
    weights.pop("lm_head.weight", None)
    return Qwen(shape_of(folder), weights)


def shape_of(folder: Path) -> Shape:
    """Read the sizes in a model's ``config.json``."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    if config.get("model_type") != "qwen2" or not config.get("tie_word_embeddings"):
        raise SystemExit(f"{folder}: not a Qwen2 whose table is its output layer.")
    config.setdefault(
        "head_dim", config["hidden_size"] // config["num_attention_heads"]
    )
    theta = (config.get("rope_parameters") or config)["rope_theta"]
    sizes = {name: config.get(name) for name in Shape.__annotations__}
    return Shape(**(sizes | {"rope_theta": theta}))


def save(weights: Mapping[str, Any], folder: Path) -> None:
    """Write weights in 16 bits."""
    small = {name: value.detach().to(torch.bfloat16).cpu().contiguous()
             for name, value in weights.items()}  # fmt: skip
    save_file(small, folder / WEIGHTS, metadata={"format": "pt"})
