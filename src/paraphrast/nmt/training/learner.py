"""Train a network on prepared pairs, on a CPU or a GPU.

The pairs come as `TrainingData`, the trained weights leave as NumPy arrays. The loop is
the one that fine-tuning shares (`neural.finetune.trainer`): early stopping on the
held-out loss, gradient clipping, checkpoints. The same data and settings give the same
weights on one machine.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paraphrast.errors import ParaphrastError
from paraphrast.estimators.schedule import Schedule
from paraphrast.neural.finetune.batches import batches, plan
from paraphrast.neural.finetune.trainer import (
    NetworkTrainer,
    Progress,
    device_named,
    quiet,
)
from paraphrast.nmt.settings import Architecture, Training
from paraphrast.nmt.training.network import Network
from paraphrast.nmt.training_data import IdPair, TrainingData
from paraphrast.nmt.vocabulary import BEGIN, END, PAD

Arrays: TypeAlias = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Trained:
    """The weights with the lowest held-out loss, and the losses on the way."""

    arrays: Arrays
    history: list[dict[str, float]]

    @property
    def perplexity(self) -> float | None:
        """Return the lowest held-out perplexity, if any pairs were held out."""
        losses = [entry["held_out"] for entry in self.history if "held_out" in entry]
        return math.exp(min(losses)) if losses else None


def train(
    data: TrainingData,
    architecture: Architecture,
    settings: Training,
    folder: Path,
    *,
    progress: Progress = quiet,
    take_best: Callable[[Arrays], None] | None = None,
) -> Trained:
    """Train to the end, with checkpoints in ``folder`` for resuming.

    ``take_best`` is called with the weights after each new lowest held-out loss.
    """
    if not data.train:
        raise ParaphrastError("there are no pairs to learn from. Check the files.")
    learner = _Learner(data, architecture, settings, folder, progress)
    learner.take_best = take_best
    history = learner.run()
    return Trained(export_arrays(learner.network), history)


def export_arrays(network: Network) -> Arrays:
    """Return the weights under the names that `inference` knows."""
    state = {n: p.detach().cpu().float().numpy() for n, p in network.named_parameters()}
    arrays = {
        "embedding": state["embedding.weight"],
        "bias": state["bias"],
        "keys": state["keys.weight"],
        "attend": state["attend.weight"],
        "project": state["project.weight"],
    }
    for layer in range(network.architecture.layers):
        for name, end in (("forward", ""), ("backward", "_reverse")):
            prefix = f"encoder.{layer}.{name}"
            arrays[f"{prefix}.input"] = state[f"encoder.weight_ih_l{layer}{end}"]
            arrays[f"{prefix}.recurrent"] = state[f"encoder.weight_hh_l{layer}{end}"]
            arrays[f"{prefix}.bias"] = (
                state[f"encoder.bias_ih_l{layer}{end}"]
                + state[f"encoder.bias_hh_l{layer}{end}"]
            )
        cell = f"decoder.{layer}"
        arrays[f"{cell}.input"] = state[f"{cell}.weight_ih"]
        arrays[f"{cell}.recurrent"] = state[f"{cell}.weight_hh"]
        arrays[f"{cell}.bias"] = state[f"{cell}.bias_ih"] + state[f"{cell}.bias_hh"]
    if network.gate is not None:
        arrays |= {"gate": state["gate.weight"][0], "gate.bias": state["gate.bias"]}
    return arrays


class _Learner(NetworkTrainer):
    """Trains all weights of a network."""

    take_best: Callable[[Arrays], None] | None = None

    def __init__(
        self,
        data: TrainingData,
        architecture: Architecture,
        settings: Training,
        folder: Path,
        progress: Progress,
    ) -> None:
        super().__init__(settings, folder, progress)
        self.settings = settings
        self.pairs, self.held = data.train, data.held
        self.lengths = [_length(pair) for pair in data.train]
        self.device = device_named(settings.device)
        torch.manual_seed(settings.seed)
        words = len(data.vocabulary)
        network = Network(architecture, words, dropout=settings.dropout)
        if data.vectors is not None:
            _place_vectors(network, data.vectors)
        self.network = network.to(self.device)
        self.parameters = list(self.network.parameters())
        self.optimizer = torch.optim.Adam(self.parameters, lr=settings.learning_rate)
        steps = settings.epochs * len(self.batches(0))
        self.schedule = Schedule(steps, settings.seconds, settings.warmup)

    def run(self, *, evaluate_first: bool = False) -> list[dict[str, float]]:
        """Train to the end and leave the best weights in place."""
        if self.device == "cuda":
            torch.set_float32_matmul_precision("high")
        self.network.train()
        return super().run(evaluate_first=evaluate_first)

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the indices of the pairs of each batch."""
        most, seed = self.settings.batch_tokens, self.settings.seed
        return plan(self.lengths, most, seed=seed, epoch=epoch)

    def accumulate(self, batch: Sequence[int]) -> tuple[float, int]:
        """Add the gradient of a batch."""
        tensors = collate([self.pairs[index] for index in batch], self.device)
        tokens = sum(len(self.pairs[index][1]) + 1 for index in batch)
        loss = self.network.loss(*tensors) / tokens
        loss.backward()
        return float(loss.detach()), tokens

    def held_out_loss(self) -> float:
        """Return the loss per word of the held-out pairs, without dropout."""
        self.network.eval()
        total, tokens = 0.0, 0
        lengths = [_length(pair) for pair in self.held]
        for batch in batches(lengths, self.settings.batch_tokens):
            pairs = [self.held[index] for index in batch]
            with torch.no_grad():
                total += float(self.network.loss(*collate(pairs, self.device)))
            tokens += sum(len(target) + 1 for _, target in pairs)
        self.network.train()
        return total / tokens

    def keep_best(self) -> None:
        """Write the weights to a file, and pass them on."""
        super().keep_best()
        if self.take_best is not None:
            self.take_best(export_arrays(self.network))


def collate(
    pairs: Sequence[IdPair], device: str
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return padded sources, their lengths, and targets as shown and as wanted."""
    sources = [source for source, _ in pairs]
    shown = [[BEGIN, *target] for _, target in pairs]
    wanted = [[*target, END] for _, target in pairs]
    lengths = torch.tensor([len(source) for source in sources])
    source, before, after = (_pad(s).to(device) for s in (sources, shown, wanted))
    return source, lengths, before, after


def _pad(sentences: Sequence[Sequence[int]]) -> Tensor:
    """Return sentences as rows of equal length, filled in one go."""
    lengths = np.array([len(sentence) for sentence in sentences])
    padded = np.full((len(sentences), lengths.max()), PAD)
    words = np.fromiter(chain.from_iterable(sentences), np.int64, lengths.sum())
    padded[np.arange(padded.shape[1]) < lengths[:, None]] = words
    return torch.from_numpy(padded)


def _length(pair: IdPair) -> int:
    """Return the size of a pair as batches count it."""
    return max(len(pair[0]), len(pair[1]) + 1)


def _place_vectors(network: Network, vectors: NDArray[np.float32]) -> None:
    """Initialise embeddings from pretrained vectors, rescaled."""
    given = torch.from_numpy(vectors)
    has_vector = given.abs().sum(1) > 0
    if not has_vector.any():
        return
    with torch.no_grad():
        spread = network.embedding.weight[has_vector].std() / given[has_vector].std()
        network.embedding.weight[has_vector] = given[has_vector] * spread
