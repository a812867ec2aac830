"""The built-in classifier of styles behind ACC.

`LinearStyle` is a logistic regression over n-grams of words and characters, each
weighted by how unevenly the styles use it (naive-Bayes weighting: Wang & Manning,
2012). It knows two or more styles. Its probabilities are calibrated on held-out text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.estimators import logistic_regression
from paraphrast.estimators.logistic_regression import Labels, LinearModel, softmax
from paraphrast.estimators.ngram_features import (
    NgramKinds,
    Occurrences,
    Sparse,
    Vocabulary,
    beside,
    occurrences,
    uneven,
)
from paraphrast.judges.evaluator import StyleClassifier
from paraphrast.metrics.base import Matrix
from paraphrast.storage import weights

_KIND = "linear-style"
_WORDS = NgramKinds(words=(1, 3), characters=(0, 0))
_CHARACTERS = NgramKinds(words=(0, 0), characters=(2, 5))
_LENGTHS = (1.0, 0.5)  # how much words and characters count; docs/judges.md
_MINIMUM = 2  # sentences that an n-gram must be in


@dataclass(frozen=True, eq=False)
class LinearStyle:
    """The built-in classifier; make one with `train` or `load`.

    ``sharpness`` multiplies the scores before the softmax, to calibrate it.
    """

    styles: tuple[str, ...]
    vocabularies: tuple[Vocabulary, ...]
    linear: LinearModel
    sharpness: float

    @cached_property
    def signature(self) -> str:
        """Name the model by the hash of its weights."""
        return weights.digest(_KIND, self._settings(), self._arrays())

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return P(style | text): (texts, styles)."""
        return softmax(self.sharpness * self.scores(texts))

    def scores(self, texts: Sequence[str]) -> Matrix:
        """Return scores before calibration: (texts, styles)."""
        features = [occurrences(texts, v.kinds) for v in self.vocabularies]
        return self.linear.scores(_matrix(self.vocabularies, features))

    def save(self, path: Path) -> None:
        """Write the model; see `weights.save`."""
        weights.save(path, _KIND, self._settings(), self._arrays())

    def _settings(self) -> dict[str, Any]:
        blocks = [
            {
                "words": list(v.kinds.words),
                "characters": list(v.kinds.characters),
                "length": v.length,
            }
            for v in self.vocabularies
        ]
        return {
            "styles": list(self.styles),
            "sharpness": self.sharpness,
            "blocks": blocks,
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {
            "weights": self.linear.weights.astype(np.float32),
            "intercepts": self.linear.intercepts.astype(np.float32),
        }
        for i, vocabulary in enumerate(self.vocabularies):
            arrays[f"hashes{i}"] = vocabulary.hashes
            arrays[f"worth{i}"] = vocabulary.worth.astype(np.float32)
        return arrays


def load(path: Path) -> LinearStyle:
    """Read a model that `LinearStyle.save` wrote."""
    settings, arrays = weights.load(path, _KIND)
    vocabularies = tuple(
        Vocabulary(
            arrays[f"hashes{i}"],
            weights.single(arrays[f"worth{i}"]),
            NgramKinds(tuple(block["words"]), tuple(block["characters"])),
            block["length"],
        )
        for i, block in enumerate(settings["blocks"])
    )
    linear = LinearModel(
        weights.single(arrays["weights"]), weights.single(arrays["intercepts"])
    )
    return LinearStyle(
        tuple(settings["styles"]), vocabularies, linear, settings["sharpness"]
    )


def train(
    styles: Mapping[str, Sequence[str]],
    *,
    valid: Mapping[str, Sequence[str]],
    strength: float = 10.0,
) -> LinearStyle:
    """Train a classifier on texts of each style; ``valid`` calibrates it.

    ``strength`` is the weight of the likelihood against the L2 penalty.
    """
    refuse_poor(styles)
    texts, labels = _label_texts(styles, tuple(styles))
    features = [occurrences(texts, kinds) for kinds in (_WORDS, _CHARACTERS)]
    vocabularies = tuple(
        uneven(f, kinds, labels, classes=len(styles), minimum=_MINIMUM, length=length)
        for f, kinds, length in zip(
            features, (_WORDS, _CHARACTERS), _LENGTHS, strict=True
        )
    )
    linear = logistic_regression.train(
        _matrix(vocabularies, features), labels, classes=len(styles), strength=strength
    )
    rounded = LinearModel(
        weights.single(linear.weights), weights.single(linear.intercepts)
    )
    raw = LinearStyle(tuple(styles), vocabularies, rounded, 1.0)
    held_out, right = _label_texts(valid, raw.styles)
    if not held_out:
        return raw
    sharpness = logistic_regression.temperature(raw.scores(held_out), right)
    return LinearStyle(raw.styles, vocabularies, rounded, sharpness)


def accuracy(classifier: StyleClassifier, styles: Mapping[str, Sequence[str]]) -> float:
    """Return the share of texts that are assigned to their own style, 0 to 1."""
    texts, labels = _label_texts(styles, classifier.styles)
    if not texts:
        raise ParaphrastError("no texts to measure the accuracy on.")
    return float(np.mean(classifier.probabilities(texts).argmax(axis=1) == labels))


def calibration_error(
    classifier: StyleClassifier, styles: Mapping[str, Sequence[str]], *, bins: int = 10
) -> float:
    """Return the expected calibration error, over equal-width bins."""
    texts, labels = _label_texts(styles, classifier.styles)
    probabilities = classifier.probabilities(texts)
    confidence = probabilities.max(axis=1)
    gaps = confidence - (probabilities.argmax(axis=1) == labels)
    group = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(np.abs(np.bincount(group, weights=gaps)).sum() / len(texts))


def refuse_poor(styles: Mapping[str, Sequence[str]]) -> None:
    """Refuse fewer than two styles, or a style without text."""
    if len(styles) < 2:
        raise ParaphrastError(
            "a classifier needs at least two styles. Give a file for each."
        )
    for name, texts in styles.items():
        if not any(text.strip() for text in texts):
            raise ParaphrastError(f"style {name!r} has no text.")


def _label_texts(
    texts_of: Mapping[str, Sequence[str]], styles: tuple[str, ...]
) -> tuple[list[str], Labels]:
    for name in texts_of:
        if name not in styles:
            raise unknown("style", name, styles)
    texts = [text for texts in texts_of.values() for text in texts]
    labels = [styles.index(name) for name, own in texts_of.items() for _ in own]
    return texts, np.array(labels, dtype=np.int64)


def _matrix(
    vocabularies: Sequence[Vocabulary], features: Sequence[Occurrences]
) -> Sparse:
    words, characters = (
        vocabulary.matrix(f)
        for vocabulary, f in zip(vocabularies, features, strict=True)
    )
    return beside(words, characters)
