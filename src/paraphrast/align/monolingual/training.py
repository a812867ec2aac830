"""Train the network on sentence pairs with links, in numpy, on a CPU.

Every pair is seen in both directions. The loss is the cross-entropy of both scores of
every cell, divided by the number of links, and the optimiser is Adam with a one-cycle
learning rate. The word vectors do not change.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from paraphrast.align.base import AlignedPair
from paraphrast.align.monolingual.aligner import batches, inputs_of
from paraphrast.align.monolingual.features import NAMES, Truths
from paraphrast.align.monolingual.forms import Floats
from paraphrast.align.monolingual.network import (
    STEPS,
    Inputs,
    Weights,
    backward,
    forward,
)
from paraphrast.align.monolingual.weights import vectors
from paraphrast.errors import ParaphrastError

CHANNELS: Final = 48
NARROW: Final = 24


@dataclass(frozen=True, slots=True)
class Settings:
    """Training settings: epochs, batch size and learning rate."""

    epochs: int = 6
    rate: float = 1e-3
    batch_cells: int = 16_000
    decay: float = 0.01
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Example:
    """A batch and the labels of its cells."""

    inputs: Inputs
    labels: Floats  # 2, pairs, rows, columns


def fit(
    pairs: Sequence[AlignedPair],
    weights: Weights,
    *,
    settings: Settings | None = None,
    fixed: Mapping[str, Truths] | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Floats]:
    """Return weights that fit the links of the pairs, starting from ``weights``.

    Weights for which ``fixed`` is true are not updated.
    """
    settings = settings or Settings()
    usable = [pair for pair in pairs if pair.source and pair.target]
    if not any(pair.links for pair in usable):
        raise ParaphrastError(
            "there are no links to learn from. Give pairs with word links, such as "
            "those of a gold corpus."
        )
    examples = list(_examples(usable, settings))
    learner = _Adam({name: array.copy() for name, array in weights.items()}, settings)
    draw = np.random.default_rng(settings.seed)
    steps = settings.epochs * len(examples)
    for epoch in range(settings.epochs):
        losses = []
        for number in draw.permutation(len(examples)):
            loss, gradients = _gradients(learner.weights, examples[number])
            for name, still in (fixed or {}).items():
                gradients[name] = np.where(still, np.float32(0), gradients[name])
            learner.step(gradients, _rate_factor((learner.steps + 1) / (steps + 1)))
            losses.append(loss)
        tell(f"epoch {epoch + 1} of {settings.epochs}: loss {np.mean(losses):.4f}")
    return learner.weights


def random_weights(*, seed: int = 1) -> dict[str, Floats]:
    """Return random initial weights."""
    draw = np.random.default_rng(seed)
    word_vectors = vectors()
    dimensions, heads = word_vectors.alone.shape[0], word_vectors.alone.shape[1]
    channels = len(NAMES) + 2 * heads + 1
    shapes = {
        "features": (CHANNELS, channels),
        "sources": (CHANNELS, dimensions),
        "targets": (CHANNELS, dimensions),
        "last": (CHANNELS, CHANNELS),
        "scores": (2, CHANNELS),
    }
    for number in range(len(STEPS)):
        shapes[f"narrow {number}"] = (NARROW, CHANNELS)
        shapes[f"around {number}"] = (CHANNELS, 9 * NARROW)
        shapes[f"row {number}"] = shapes[f"column {number}"] = (CHANNELS, CHANNELS)
    weights = {
        name: (draw.uniform(-1, 1, shape) / math.sqrt(shape[1])).astype(np.float32)
        for name, shape in shapes.items()
    }
    biases = ["start", "last bias", *(f"bias {number}" for number in range(len(STEPS)))]
    zeros = {name: np.zeros(CHANNELS, dtype=np.float32) for name in biases}
    # Few cells are links, and the first guess should say so.
    return weights | zeros | {"scores bias": np.full(2, -2, dtype=np.float32)}


def _examples(pairs: Sequence[AlignedPair], settings: Settings) -> Iterator[Example]:
    both = [*pairs, *map(_swap_sides, pairs)]
    words = [(pair.source, pair.target) for pair in both]
    for batch in batches(words, settings.batch_cells):
        inputs = inputs_of([words[number] for number in batch], vectors())
        labels = np.zeros((2, *inputs.mask.shape), dtype=np.float32)
        for index, number in enumerate(batch):
            for link in both[number].links:
                labels[:, index, link.source, link.target] = (link.sure, 1)
        yield Example(inputs, labels)


def _swap_sides(pair: AlignedPair) -> AlignedPair:
    links = tuple(
        replace(link, source=link.target, target=link.source) for link in pair.links
    )
    return AlignedPair(pair.target, pair.source, links)


def _gradients(weights: Weights, example: Example) -> tuple[float, dict[str, Floats]]:
    """Return the loss and the gradients of the weights."""
    done = forward(weights, example.inputs, keep=True)
    scores, mask = done.scores, example.inputs.mask
    count = example.labels.sum() + 1
    softplus = np.maximum(scores, 0) + np.log1p(np.exp(-np.abs(scores)))
    loss = ((softplus - scores * example.labels) * mask).sum() / count
    probability = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    gradients = (probability - example.labels) * mask / count
    return float(loss), backward(weights, done, gradients.astype(np.float32))


def _rate_factor(progress: float) -> float:
    """Return the learning-rate factor: warm-up for a sixth, then a cosine."""
    rising = min(1.0, progress * 6)
    return rising * 0.5 * (1 + math.cos(math.pi * max(0.0, progress - 1 / 6) * 6 / 5))


class _Adam:
    """Loshchilov and Hutter's AdamW, with gradients clipped to a norm of 1."""

    def __init__(self, weights: dict[str, Floats], settings: Settings) -> None:
        self.weights = weights
        self.steps = 0
        self._settings = settings
        self._first = {name: np.zeros_like(array) for name, array in weights.items()}
        self._second = {name: np.zeros_like(array) for name, array in weights.items()}

    def step(self, gradients: dict[str, Floats], rate_factor: float) -> None:
        self.steps += 1
        norm = np.sqrt(
            sum(float((gradient**2).sum()) for gradient in gradients.values())
        )
        rate = self._settings.rate * rate_factor
        for name, gradient in gradients.items():
            gradient = gradient / max(1.0, norm)
            first, second = self._first[name], self._second[name]
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            corrected = first / (1 - 0.9**self.steps)
            spread = np.sqrt(second / (1 - 0.999**self.steps)) + 1e-8
            weight = self.weights[name]
            weight *= 1 - rate * self._settings.decay
            weight -= (rate * corrected / spread).astype(np.float32)
