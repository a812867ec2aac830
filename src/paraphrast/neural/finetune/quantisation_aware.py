"""Quantisation-aware training, with the rounding of a pack's int8 weights and inputs.

CTranslate2 keeps a scale for each row of a weight and, at run time, for each vector
that a layer reads. Here both are rounded in the same way in the forward pass, and not
in the backward pass (the straight-through estimator), so that training finds weights
that do as well in int8.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

STEPS = 127
SMALLEST = 1e-8


@contextmanager
def round_linear_layers(model: Any, *, enabled: bool = True) -> Iterator[None]:
    """Round the inputs and weights of every linear layer of a model."""
    layers = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    for layer in layers if enabled else ():
        layer.forward = _Rounded(layer)
    try:
        yield
    finally:
        for layer in layers if enabled else ():
            del layer.forward


class _Rounded:
    """A linear layer that computes as if in int8."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __call__(self, values: Any) -> Any:
        layer = self.layer
        return torch.nn.functional.linear(
            nearest(values), nearest(layer.weight), layer.bias
        )


def nearest(values: Any) -> Any:
    """Return values rounded to 255 levels, scaled by the largest of each row."""
    with torch.no_grad():
        scale = values.abs().amax(-1, keepdim=True).clamp(min=SMALLEST) / STEPS
        off = (values / scale).round() * scale - values
    return values + off
