"""Low-rank adapters on linear layers (Hu et al. 2022, LoRA).

Each chosen layer gets two low-rank matrices whose product is added to its output. Only
they are trained, so that the model keeps its knowledge, a step is cheaper, and a
checkpoint is small. At the end `merge_weights` adds the products to the weights.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

RANK = 16
STRENGTH = 2.0  # times the product; LoRA's alpha divided by the rank


@dataclass(frozen=True)
class Adapters:
    """The pairs of low-rank matrices by layer name: (rank, in) and (out, rank)."""

    pairs: dict[str, tuple[Any, Any]]
    strength: float

    def parameters(self) -> list[Any]:
        """Return the parameters to train."""
        return [matrix for pair in self.pairs.values() for matrix in pair]

    def state(self) -> dict[str, Any]:
        """Return the matrices, to be saved."""
        return {name: [m.detach() for m in pair] for name, pair in self.pairs.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Load the values of saved matrices."""
        with torch.no_grad():
            for name, pair in self.pairs.items():
                for mine, saved in zip(pair, state[name], strict=True):
                    mine.copy_(saved)

    def merge_weights(self, model: Any) -> dict[str, Any]:
        """Return the weights of the adapted layers with the products in them."""
        with torch.no_grad():
            return {
                name: (
                    model.get_submodule(name).weight + self.strength * (second @ first)
                ).numpy()
                for name, (first, second) in self.pairs.items()
            }


def adapt(
    model: Any,
    layers: Iterable[str],
    *,
    rank: int = RANK,
    strength: float = STRENGTH,
    seed: int = 1,
) -> Adapters:
    """Freeze a model and add adapters to its layers, initialised to no change."""
    model.requires_grad_(False)
    draw = torch.Generator().manual_seed(seed)
    pairs = {}
    for name in layers:
        layer = model.get_submodule(name)
        out, into = layer.weight.shape
        first = torch.randn(rank, into, generator=draw) / into**0.5
        second = torch.zeros(out, rank)
        pairs[name] = first.requires_grad_(), second.requires_grad_()
        layer.register_forward_hook(_add_product(*pairs[name], strength))
    return Adapters(pairs, strength)


def _add_product(first: Any, second: Any, strength: float) -> Any:
    linear = torch.nn.functional.linear

    def add(_: Any, given: tuple[Any, ...], answer: Any) -> Any:
        return answer + strength * linear(linear(given[0], first), second)

    return add
