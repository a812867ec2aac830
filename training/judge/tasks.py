"""The judges' training tasks beside labels: similarities, contrasts, a teacher."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.network import Network

_TEMPERATURE = 0.05
_CHANGED = 0.6  # maximum cosine of a text that says something else
_SHARPNESS = 20.0  # of the ranking of pairs


@dataclass
class Alike:
    """Pairs and their human similarity, 0 to 1, for ranking and for regression."""

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
        return rank_pairs(cosines, labels)


def rank_pairs(cosines: Tensor, labels: Tensor) -> Tensor:
    """Return CoSENT's ranking loss and the squared error of cosines."""
    apart = _SHARPNESS * (cosines[:, None] - cosines[None, :])
    wrong = apart[labels[:, None] < labels[None, :]]
    zero = torch.zeros(1, device=cosines.device)
    ranking = torch.logsumexp(torch.cat([zero, wrong]), 0)
    return 0.1 * ranking + 2 * functional.mse_loss(cosines, labels)


@dataclass
class Ordered:
    """Pairs whose first text a head must score higher, by the label or more.

    With ``exact``, by the label exactly. One row has the features of both texts.
    """

    head: str
    table: Table
    rows: int
    weight: float = 1.0
    exact: bool = False

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return the squared error of the difference, or of its shortfall."""
        seen = self.table.extra.get("features")
        features = None
        if seen is not None:
            both = seen[chosen].reshape(2 * len(chosen), -1)
            features = torch.from_numpy(both).to(mean.device)
        scores = network.read(self.head, mean, first, features)[:, 0].view(-1, 2)
        labels = torch.from_numpy(self.table.labels[chosen]).to(mean.device)
        error = labels - (scores[:, 0] - scores[:, 1])
        return ((error if self.exact else functional.relu(error)) ** 2).mean()


@dataclass
class Contrast:
    """Triples: a text, a paraphrase, and one of another meaning or an empty one."""

    table: Table
    rows: int
    weight: float = 1.0

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return the in-batch contrastive loss, and the nearness of changed texts."""
        vectors = network.vectors(mean).view(len(chosen), 3, -1)
        anchor, same, other = vectors.unbind(1)
        there = np.array([len(self.table.texts[3 * row + 2]) > 0 for row in chosen])
        real = torch.from_numpy(there).to(mean.device)
        near = anchor @ torch.cat([same, other[real]]).T / _TEMPERATURE
        right = torch.arange(len(chosen), device=mean.device)
        loss = functional.cross_entropy(near, right)
        changed = torch.maximum((anchor * other).sum(1), (same * other).sum(1))
        too_near = functional.relu(changed - _CHANGED)[real]
        return 0.3 * loss + (too_near**2).sum() / max(1, int(there.sum())) * 2


@dataclass
class Nearer:
    """Triples: a text, a paraphrase, and a less similar, changed paraphrase."""

    table: Table
    rows: int
    weight: float = 1.0
    margin: float = 0.15

    def loss(
        self, network: Network, mean: Tensor, first: Tensor, chosen: NDArray[np.int64]
    ) -> Tensor:
        """Return the squared shortfall of the difference of cosines."""
        anchor, same, other = network.vectors(mean).view(len(chosen), 3, -1).unbind(1)
        apart = (anchor * same).sum(1) - (anchor * other).sum(1)
        return 40 * (functional.relu(self.margin - apart) ** 2).mean()


@dataclass
class Taught:
    """A larger network's outputs for texts: logits by head, and vectors of meaning.

    Where it knew fewer classes, those are the first. Rows of a table with ``width`` 3
    are triples whose cosines must be the teacher's. Without vectors only logits are
    taught; ``shares`` are heads' weights, 1 if missing.
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
            trained = logits[:, : wanted.shape[1]]
            total = total + share * _unlike(head.kind, trained, wanted)
        if self.vectors is None:
            return total
        wanted = self.vectors[places.to(self.vectors.device)].to(mean.device).float()
        return total + match_vectors(network.vectors(mean), wanted, width)


def _unlike(kind: str, logits: Tensor, wanted: Tensor) -> Tensor:
    if kind == "classes":
        return 1.5 * functional.cross_entropy(logits, wanted.softmax(1))
    if kind == "flag":
        right = wanted[:, 0].sigmoid()
        near = functional.binary_cross_entropy_with_logits(logits[:, 0], right)
        bounded = wanted[:, 0].clamp(-6, 6)
        return near + 0.05 * functional.mse_loss(logits[:, 0], bounded)
    return functional.mse_loss(logits, wanted)


def match_vectors(vectors: Tensor, wanted: Tensor, width: int = 1) -> Tensor:
    """Return how far vectors, and their cosines, are from a teacher's.

    Of ``width`` texts in a row, cosines among them count most.
    """
    loss = 4 * (1 - (vectors * wanted).sum(1)).mean()
    most = min(len(vectors), 512)
    ours, theirs = vectors[:most], wanted[:most]
    loss = loss + 10 * functional.mse_loss(ours @ ours.T, theirs @ theirs.T)
    if width > 1:
        ours, theirs = (v.view(-1, width, v.shape[1]) for v in (vectors, wanted))
        result, right = ours @ ours.mT, theirs @ theirs.mT
        loss = loss + 40 * functional.mse_loss(result, right)
    return loss
