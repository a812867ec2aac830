"""A small guide for a learned style, which reranks a pack's candidates.

Style is a logistic regression over word unigrams and bigrams, trained on the style's
sentences against other versions of the same sentences, so that it learns style rather
than topic. Meaning is the round-trip probability of the source given the candidate, by
the pack's own model. Fluency is left to the model's probability. The guide is used in
making outputs, so a pack names its hash, and it is never used to evaluate them.

It is trained online with AdaGrad over hashed n-grams, not by
`estimators.logistic_regression`: the published figures of `learn` were computed with
it.
"""

import hashlib
import math
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.neural.models.generation import Engine, Request
from paraphrast.storage import arrays as array_file
from paraphrast.storage.arrays import Kind
from paraphrast.text.tokens import tokenise

FILE = "guide.bin"
SIZE = 1 << 16  # weights; n-grams that share one are rare
EPOCHS = 12
RATE, PENALTY = 0.5, 1e-5
_KIND = Kind("style guide", 1, "Learn the style again with `paraphrast learn`.")


@dataclass(frozen=True, eq=False)
class StyleModel:
    """Scores the probability that a text has the style."""

    weights: Any  # (SIZE,)
    bias: float

    def probabilities(self, texts: Sequence[str]) -> list[float]:
        """Return for each text the probability that it has the style."""
        return [_sigmoid(self._score(_features(text))) for text in texts]

    @property
    def signature(self) -> str:
        """Return the sha256 of the weights."""
        content = self.weights.tobytes() + repr(self.bias).encode()
        return hashlib.sha256(content).hexdigest()

    def save(self, path: Path) -> None:
        """Write the model."""
        array_file.write(path, _KIND, {"weights": self.weights}, {"bias": self.bias})

    def _score(self, features: Any) -> float:
        if not len(features):
            return -1.0
        total = float(self.weights[features].sum())
        return self.bias + total / math.sqrt(len(features))


@dataclass(frozen=True, eq=False)
class StyleGuide:
    """The guide of a pack: its style model, and the round trip for meaning."""

    model: StyleModel
    engine: Engine
    plain: str  # the tag by which the engine writes plainly

    def style(self, texts: Sequence[str], style: str) -> list[float]:
        """Return for each text the probability that it has the style."""
        return self.model.probabilities(texts)

    def meaning(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return for each text the round-trip probability per word of its source."""
        requests = [Request(text, self.plain) for text in texts]
        totals = self.engine.score(requests, sources)
        sizes = [len(source.split()) + 1 for source in sources]
        return [math.exp(t / n) for t, n in zip(totals, sizes, strict=True)]

    def fluency(self, texts: Sequence[str]) -> list[float]:
        """Return 1 for each text, as its probability by the model is already used."""
        return [1.0] * len(texts)


def load(path: Path) -> StyleModel:
    """Read a model that was saved."""
    arrays, about = array_file.read(path, _KIND)
    return StyleModel(arrays["weights"], float(about["bias"]))


def learn(
    inside: Sequence[str], outside: Sequence[str], *, seed: int = 1
) -> StyleModel:
    """Train a classifier of a style against others, with equal class weights."""
    rows = [(_features(text), 1.0, 0.5 / len(inside)) for text in inside]
    rows += [(_features(text), 0.0, 0.5 / len(outside)) for text in outside]
    rows = [row for row in rows if len(row[0])]
    weights, squares = np.zeros(SIZE), np.full(SIZE, 1e-8)
    bias = 0.0
    draw = random.Random(seed)
    for _ in range(EPOCHS):
        draw.shuffle(rows)
        for features, label, weight in rows:
            norm = math.sqrt(len(features))
            score = bias + float(weights[features].sum()) / norm
            slope = (_sigmoid(score) - label) * weight * len(rows)
            bias -= 0.01 * slope
            steps = slope / norm + PENALTY * weights[features]
            squares[features] += steps**2
            weights[features] -= RATE * steps / np.sqrt(squares[features])
    return StyleModel(weights.astype(np.float32), bias)


def _features(text: str) -> Any:
    """Return the hashed features of a text's unigrams and bigrams, each once."""
    words = [word.lower() for word in tokenise(text)]
    grams = [*words, *map(" ".join, zip(["^", *words], [*words, "$"], strict=True))]
    places = {zlib.crc32(gram.encode()) % SIZE for gram in grams}
    return np.array(sorted(places), dtype=np.int64)


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))
