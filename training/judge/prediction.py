"""A trained network's predictions for texts."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paraphrast.judges.training.network import Network, use_half_precision


def predict(
    network: Network,
    texts: Sequence[NDArray[np.int64]],
    *,
    features: Mapping[str, NDArray[np.float32]] | None = None,
    device: str,
) -> dict[str, NDArray[np.float32]]:
    """Return every head's logits and ``vector``, in the order of the texts.

    A head with features gets those of its name, or zeros.
    """
    network.eval()
    rows = 1024 if device == "cuda" else 64  # at once
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    result: dict[str, list[Tensor]] = {}
    for start in range(0, len(order), rows):
        chosen = order[start : start + rows]
        ids, mask = network.batch([texts[i] for i in chosen], device)
        with torch.no_grad(), use_half_precision(device):
            mean, first = network.pool(ids, mask)
        with torch.no_grad():
            result.setdefault("vector", []).append(network.vectors(mean))
            for name, head in network.specification.items():
                seen = None
                if head.features:
                    given = (features or {}).get(name)
                    seen = torch.zeros(len(chosen), head.features, device=device)
                    if given is not None:
                        seen = torch.from_numpy(given[chosen]).to(device)
                result.setdefault(name, []).append(
                    network.read(name, mean, first, seen)
                )
    back = np.argsort(order)
    return {
        name: torch.cat(v).float().cpu().numpy()[back] for name, v in result.items()
    }
