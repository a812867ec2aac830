"""Learn in the rounding of 8 bits, which a pack's weights and sums will have.

CTranslate2 keeps a scale for each row of a weight and, as it goes, for each vector that
a layer reads. Here both are rounded just so on the way forward, and on the way back as
if they were not (the straight-through estimator), so that training finds weights which
do as well in 8 bits.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

STEPS = 127
SMALLEST = 1e-8


@contextmanager
def round_linear_layers(model: Any, *, enabled: bool = True) -> Iterator[None]:
    """Round what every linear layer of a model reads and holds."""
    layers = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    for layer in layers if enabled else ():
        layer.forward = _Rounded(layer)
    try:
        yield
    finally:
        for layer in layers if enabled else ():
            del layer.forward


class _Rounded:
    """A linear layer that computes in 8 bits."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __call__(self, values: Any) -> Any:
        layer = self.layer
        return torch.nn.functional.linear(
            nearest(values), nearest(layer.weight), layer.bias
        )


def nearest(values: Any) -> Any:
    """Return values rounded to 255 steps of the largest of each row."""
    with torch.no_grad():
        scale = values.abs().amax(-1, keepdim=True).clamp(min=SMALLEST) / STEPS
        off = (values / scale).round() * scale - values
    return values + off
