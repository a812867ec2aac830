"""Train a network on several tasks at once, on a CPU or a GPU.

Every step passes rows of every task, of about the same length, through the encoder in
one batch, and sums the tasks' losses. `Labelled` is a task of a head and its labels;
``training/judge/tasks.py`` has those of the shipped judges.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from paraphrast.estimators.schedule import Schedule
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.network import Network, use_half_precision

_WINDOW = 0.08  # rows of a step come from this part of a table sorted by length


class Task(Protocol):
    """Something to learn."""

    table: Table
    rows: int
    weight: float

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return the loss of the chosen rows, whose texts were pooled in order."""


@dataclass
class Labelled:
    """A head trained on the labels of a table, ``rows`` of them per step."""

    head: str
    table: Table
    rows: int
    weight: float = 1.0

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return cross entropy, or the squared error of a figure."""
        seen = self.table.extra.get("features")
        features = (
            None if seen is None else torch.from_numpy(seen[chosen]).to(mean.device)
        )
        if network.specification[self.head].features and features is None:
            raise ValueError(f"the head {self.head} needs features")
        logits = network.read(self.head, mean, first, features)
        labels = torch.from_numpy(self.table.labels[chosen]).to(mean.device)
        kind = network.specification[self.head].kind
        if kind == "classes":
            return functional.cross_entropy(logits, labels.long())
        if kind == "flag":
            return functional.binary_cross_entropy_with_logits(logits[:, 0], labels)
        return functional.mse_loss(logits[:, 0], labels)


@dataclass(frozen=True)
class Plan:
    """Training settings: number of steps, and a learning rate with warm-up and decay.

    With ``seconds`` training also ends after that time; the weights then depend on the
    machine. The texts of a step go through the encoder in ``groups`` of about the same
    length, so that there is little padding.
    """

    steps: int
    rate: float
    seed: int
    warm_up: float = 0.06
    decay: float = 0.01
    head_rate: float = 1e-3
    seconds: float = 0.0
    groups: int = 1


def fit(
    network: Network,
    tasks: Sequence[Task],
    plan: Plan,
    *,
    device: str,
    progress: Callable[[int, float], None] = lambda step, loss: None,
) -> None:
    """Train in place; the same seed on the same machine gives the same weights."""
    torch.manual_seed(plan.seed)
    draw = np.random.default_rng(plan.seed)
    network.to(device).train()
    optimiser = _optimiser(network, plan)
    rates = [group["lr"] for group in optimiser.param_groups]
    by_length = [_sort_rows(task.table) for task in tasks]
    schedule = Schedule(plan.steps, plan.seconds, plan.warm_up)
    began = time.monotonic()
    for step in range(plan.steps):
        elapsed = time.monotonic() - began
        if schedule.share_done(step, elapsed) >= 1:
            break
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * schedule.rate(step, elapsed)
        centre = draw.random()
        chosen = [
            _choose_rows(order, centre, task.rows, draw)
            for order, task in zip(by_length, tasks, strict=True)
        ]
        loss = _step(network, tasks, chosen, device, plan.groups)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 100 == 0 or step == plan.steps - 1:
            progress(step, loss.item())


def _step(
    network: Network,
    tasks: Sequence[Task],
    chosen: Sequence[NDArray[np.int64]],
    device: str,
    groups: int,
) -> Tensor:
    texts = [
        task.table.texts[task.table.width * row + column]
        for task, rows in zip(tasks, chosen, strict=True)
        for row in rows
        for column in range(task.table.width)
    ]
    mean, first = _pool(network, texts, device, groups)
    total = torch.zeros((), device=device)
    start = 0
    for task, rows in zip(tasks, chosen, strict=True):
        end = start + task.table.width * len(rows)
        part = task.loss(network, mean[start:end], first[start:end], rows)
        total = total + task.weight * part
        start = end
    return total


def _pool(
    network: Network, texts: Sequence[NDArray[np.int64]], device: str, groups: int
) -> tuple[Tensor, Tensor]:
    order = np.argsort([len(text) for text in texts], kind="stable")
    pooled = []
    for part in np.array_split(order, min(groups, len(texts))):
        ids, mask = network.batch([texts[i] for i in part], device)
        with use_half_precision(device):
            pooled.append(network.pool(ids, mask))
    back = torch.from_numpy(np.argsort(order)).to(device)
    mean, first = (torch.cat(several)[back] for several in zip(*pooled, strict=True))
    return mean, first


def _sort_rows(table: Table) -> NDArray[np.int64]:
    lengths = np.array([len(text) for text in table.texts])
    return np.argsort(lengths.reshape(len(table), -1).max(axis=1), kind="stable")


def _choose_rows(
    order: NDArray[np.int64], centre: float, rows: int, draw: np.random.Generator
) -> NDArray[np.int64]:
    size = len(order)
    width = max(min(size, 4 * rows), int(_WINDOW * size))
    # The centre may lie beyond the ends, so that the ends are met as often.
    start = int(np.clip(centre * (size + width) - width, 0, size - width))
    result: NDArray[np.int64] = order[start + draw.integers(0, width, rows)]
    return result


def _optimiser(network: Network, plan: Plan) -> Any:
    encoder = [p for _, p in network.encoder.named_parameters()]
    in_encoder = {id(p) for p in encoder}
    heads = [p for p in network.parameters() if id(p) not in in_encoder]
    if network.meaning is not None:
        heads = [p for p in heads if p is not network.meaning.weight]
        encoder.append(network.meaning.weight)
    matrices = [p for p in encoder if p.ndim > 1]
    vectors = [p for p in encoder if p.ndim < 2]
    groups = [
        {"params": matrices, "lr": plan.rate, "weight_decay": plan.decay},
        {"params": vectors, "lr": plan.rate, "weight_decay": 0.0},
        {"params": heads, "lr": plan.head_rate, "weight_decay": plan.decay},
    ]
    fused = next(network.parameters()).device.type == "cuda"
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6, fused=fused)
