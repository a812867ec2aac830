"""Fit one or more heads on an encoder's frozen states."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor


def to_tensor(values: ArrayLike) -> Tensor:
    """Return a copy of an array in 32 bits."""
    return torch.from_numpy(np.asarray(values, np.float32).copy())


def minimise(
    loss: Callable[[], Tensor],
    parameters: Sequence[Tensor],
    steps: int,
    rate: float,
    *,
    decay: float = 0.01,
) -> None:
    """Take steps with a learning rate that decays to zero."""
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=decay)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate * (1 - step / steps)
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
