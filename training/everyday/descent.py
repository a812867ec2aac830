"""What the training loops of this folder share: the optimizer, and settings as options.

A loop tells how far a run is, by time, steps or epochs, and computes gradients; the
order of examples is `neural.finetune.batches.plan`'s.
"""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import torch

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Settings = TypeVar("Settings", bound=DataclassInstance)


class Descent:
    """AdamW with linear warm-up over ``warmup`` steps and linear decay to ``floor``."""

    def __init__(
        self, weights: Sequence[torch.Tensor], rate: float, *, warmup: int,
        floor: float = 0.02, betas: tuple[float, float] = (0.9, 0.98),
    ) -> None:  # fmt: skip
        """Start from the current weights."""
        self.weights, self.rate, self.warmup, self.floor = weights, rate, warmup, floor
        fused = weights[0].device.type == "cuda"
        self._adam = torch.optim.AdamW(
            weights, lr=rate, weight_decay=0.01, betas=betas, fused=fused
        )

    def follow(self, step: int, done: float) -> None:
        """Take a step, counted from 1, along the gradients, and clear them.

        ``done`` is the share of the run before it. Gradients that are not finite are
        not followed.
        """
        rising, falling = min(1.0, step / self.warmup), max(self.floor, 1 - done)
        for group in self._adam.param_groups:
            group["lr"] = self.rate * rising * falling
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(self.weights, 1.0)):
            self._adam.step()
        self._adam.zero_grad(set_to_none=True)


def add_settings(
    parser: argparse.ArgumentParser, *settings: "DataclassInstance"
) -> None:
    """Add an option for each field of settings, with its value as the default."""
    for own in settings:
        for name, value in vars(own).items():
            parser.add_argument(f"--{name}", type=type(value), default=value)


def read_settings(options: argparse.Namespace, kind: "type[Settings]") -> "Settings":
    """Return the settings given by the options of `add_settings`."""
    names = kind.__dataclass_fields__
    return kind(**{name: getattr(options, name) for name in names})
