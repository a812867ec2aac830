"""Train a network on several tasks at once, on a CPU or a GPU.

Every step takes rows of every task, of about the same length, through the encoder in
one batch, and adds up the tasks' losses. A task is one of: a head and its labels
(`Labelled`), pairs with a similarity (`Alike`), triples of a text, a paraphrase and a
text of another meaning (`Contrast`), or what a larger network said (`Taught`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from paraphrast.estimators.schedule import Schedule
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.network import Network, halved

_WINDOW = 0.08  # rows of a step come from this part of a table sorted by length
_TEMPERATURE = 0.05
_CHANGED = 0.6  # a text that says something else should not be nearer than this
_SHARPNESS = 20.0  # of the ranking of pairs


class Task(Protocol):
    """Something to learn."""

    table: Table
    rows: int
    weight: float

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return the loss of the chosen rows, whose texts were pooled in order."""
        ...


@dataclass
class Labelled:
    """A head is to say the table's labels; ``rows`` of them a step."""

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


@dataclass
class Steady:
    """A head of classes, asked twice, must say the label and twice the same (R-Drop).

    The table has every text twice a row; dropout makes the two differ.
    """

    head: str
    table: Table
    rows: int
    weight: float = 1.0
    agreement: float = 1.0

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return cross entropy, and how far the two answers are from one another."""
        logits = network.read(self.head, mean, first)
        labels = torch.from_numpy(self.table.labels[chosen]).to(mean.device).long()
        right = functional.cross_entropy(logits, labels.repeat_interleave(2))
        one, other = logits.log_softmax(1).view(len(chosen), 2, -1).unbind(1)
        apart = (one.exp() - other.exp()) * (one - other)
        return right + self.agreement * apart.sum(1).mean() / 2


@dataclass
class Alike:
    """Pairs and how alike people find them, 0 to 1: right in order and in size."""

    table: Table
    rows: int
    weight: float = 1.0

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return CoSENT's ranking loss and the squared error of the cosine."""
        vectors = network.vectors(mean).view(len(chosen), 2, -1)
        cosines = (vectors[:, 0] * vectors[:, 1]).sum(1)
        labels = torch.from_numpy(self.table.labels[chosen]).to(mean.device)
        apart = _SHARPNESS * (cosines[:, None] - cosines[None, :])
        wrong = apart[labels[:, None] < labels[None, :]]
        zero = torch.zeros(1, device=mean.device)
        ranking = torch.logsumexp(torch.cat([zero, wrong]), 0)
        return 0.1 * ranking + 2 * functional.mse_loss(cosines, labels)


@dataclass
class Contrast:
    """Triples: a text, a paraphrase, and one of another meaning or an empty one."""

    table: Table
    rows: int
    weight: float = 1.0

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return the contrast in the batch, and how near the changed ones are."""
        vectors = network.vectors(mean).view(len(chosen), 3, -1)
        one, same, other = vectors.unbind(1)
        there = np.array([len(self.table.texts[3 * row + 2]) > 0 for row in chosen])
        real = torch.from_numpy(there).to(mean.device)
        near = one @ torch.cat([same, other[real]]).T / _TEMPERATURE
        right = torch.arange(len(chosen), device=mean.device)
        loss = functional.cross_entropy(near, right)
        changed = torch.maximum((one * other).sum(1), (same * other).sum(1))
        too_near = functional.relu(changed - _CHANGED)[real]
        return 0.3 * loss + (too_near**2).sum() / max(1, int(there.sum())) * 2


@dataclass
class Taught:
    """What a larger network said of texts: logits by head, and vectors of meaning.

    Rows of a table with ``width`` 3 are triples whose cosines must be the teacher's.
    Without vectors only logits are taught; ``shares`` are heads' weights, 1 if missing.
    """

    table: Table
    rows: int
    logits: dict[str, Tensor]
    vectors: Tensor | None
    weight: float = 1.0
    shares: Mapping[str, float] = field(default_factory=dict)

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return how far every head and the vectors are from the teacher's."""
        width = self.table.width
        places = torch.from_numpy(
            (width * chosen[:, None] + np.arange(width)).reshape(-1)
        )
        total = torch.zeros((), device=mean.device)
        for name, said in self.logits.items():
            head = network.specification[name]
            wanted = said[places.to(said.device)].to(mean.device).float()
            seen = torch.zeros(len(places), head.features, device=mean.device)
            logits = network.read(name, mean, first, seen if head.features else None)
            share = self.shares.get(name, 1.0)
            total = total + share * _unlike(head.kind, logits, wanted)
        if self.vectors is None:
            return total
        wanted = self.vectors[places.to(self.vectors.device)].to(mean.device).float()
        return total + _meanings(network.vectors(mean), wanted, width)


def _unlike(kind: str, logits: Tensor, wanted: Tensor) -> Tensor:
    if kind == "classes":
        return 1.5 * functional.cross_entropy(logits, wanted.softmax(1))
    if kind == "flag":
        right = wanted[:, 0].sigmoid()
        near = functional.binary_cross_entropy_with_logits(logits[:, 0], right)
        bounded = wanted[:, 0].clamp(-6, 6)
        return near + 0.05 * functional.mse_loss(logits[:, 0], bounded)
    return functional.mse_loss(logits, wanted)


def _meanings(vectors: Tensor, wanted: Tensor, width: int) -> Tensor:
    loss = 4 * (1 - (vectors * wanted).sum(1)).mean()
    most = min(len(vectors), 512)
    ours, theirs = vectors[:most], wanted[:most]
    loss = loss + 10 * functional.mse_loss(ours @ ours.T, theirs @ theirs.T)
    if width > 1:
        ours, theirs = (v.view(-1, width, v.shape[1]) for v in (vectors, wanted))
        found, right = ours @ ours.mT, theirs @ theirs.mT
        loss = loss + 40 * functional.mse_loss(found, right)
    return loss


@dataclass(frozen=True)
class Plan:
    """How to train: so many steps at a rate that rises, then falls to nothing.

    With ``seconds`` it ends after that time if the steps are not done before; weights
    then depend on the machine.
    """

    steps: int
    rate: float
    seed: int
    warm_up: float = 0.06
    decay: float = 0.01
    head_rate: float = 1e-3
    seconds: float = 0.0


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
    by_length = [_sorted(task.table) for task in tasks]
    schedule = Schedule(plan.steps, plan.seconds, plan.warm_up)
    began = time.monotonic()
    for step in range(plan.steps):
        elapsed = time.monotonic() - began
        if schedule.done(step, elapsed) >= 1:
            break
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * schedule.rate(step, elapsed)
        centre = draw.random()
        chosen = [
            _chosen(order, centre, task.rows, draw)
            for order, task in zip(by_length, tasks, strict=True)
        ]
        loss = _step(network, tasks, chosen, device)
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
) -> Tensor:
    texts = [
        task.table.texts[task.table.width * row + column]
        for task, rows in zip(tasks, chosen, strict=True)
        for row in rows
        for column in range(task.table.width)
    ]
    ids, mask = network.batch(texts, device)
    with halved(device):
        mean, first = network.pooled(ids, mask)
    total = torch.zeros((), device=device)
    start = 0
    for task, rows in zip(tasks, chosen, strict=True):
        end = start + task.table.width * len(rows)
        part = task.loss(network, mean[start:end], first[start:end], rows)
        total = total + task.weight * part
        start = end
    return total


def _sorted(table: Table) -> NDArray[np.int64]:
    lengths = np.array([len(text) for text in table.texts])
    return np.argsort(lengths.reshape(len(table), -1).max(axis=1), kind="stable")


def _chosen(
    order: NDArray[np.int64], centre: float, rows: int, draw: np.random.Generator
) -> NDArray[np.int64]:
    size = len(order)
    width = max(min(size, 4 * rows), int(_WINDOW * size))
    # The centre may lie beyond the ends, so that the ends are met as often.
    start = int(np.clip(centre * (size + width) - width, 0, size - width))
    found: NDArray[np.int64] = order[start + draw.integers(0, width, rows)]
    return found


def _optimiser(network: Network, plan: Plan) -> Any:
    encoder = [p for _, p in network.encoder.named_parameters()]
    known = {id(p) for p in encoder}
    heads = [p for p in network.parameters() if id(p) not in known]
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
