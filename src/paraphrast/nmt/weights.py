"""Trained weights on disk: matrices in 8 bits, one scale per row, in one file.

A row of a matrix computes one output, so that a scale per row loses little. The file
also has the vocabulary and the architecture: it is the complete model.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.nmt.settings import Architecture
from paraphrast.nmt.vocabulary import SPECIAL, Vocabulary
from paraphrast.storage import weights
from paraphrast.storage.weights import pack_texts, unpack_texts

KIND = "NMT model"
BITS, LARGEST = 8, 127  # of a whole number with a sign

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of outputs x inputs; ``scale`` per row, or none if it is exact.

    With a scale, ``values`` are 8-bit integers, stored as floats.
    """

    values: Floats
    scale: Floats | None = None

    def rows(self, numbers: NDArray[np.int64]) -> Floats:
        """Return some rows, dequantised."""
        rows = self.values[numbers]
        return rows if self.scale is None else rows * self.scale[numbers][:, None]


@dataclass(frozen=True, eq=False)
class Weights:
    """A model: its architecture, its vocabulary, its matrices and vectors by name."""

    architecture: Architecture
    vocabulary: Vocabulary
    matrices: Mapping[str, Matrix]
    vectors: Mapping[str, Floats]


def make_weights(
    architecture: Architecture, vocabulary: Vocabulary, arrays: Mapping[str, Floats]
) -> Weights:
    """Return a model with unquantised arrays, as exported by training."""
    matrices = {n: Matrix(a) for n, a in arrays.items() if a.ndim == 2}
    vectors = {n: a for n, a in arrays.items() if a.ndim == 1}
    return Weights(architecture, vocabulary, matrices, vectors)


def round_weights(model: Weights, bits: int = BITS) -> Weights:
    """Return the model with its matrices quantised to 8 bits, or fewer."""
    matrices = {
        name: Matrix(*round_rows(matrix.values, bits))
        for name, matrix in model.matrices.items()
    }
    return Weights(model.architecture, model.vocabulary, matrices, model.vectors)


def round_rows(values: Floats, bits: int = BITS) -> tuple[Floats, Floats]:
    """Return rows of signed integers, and the scale of each."""
    largest = np.abs(values).max(axis=1)
    steps = LARGEST >> (BITS - bits)
    scale = np.where(largest > 0, largest / steps, 1).astype(np.float32)
    return np.rint(values / scale[:, None]), scale


def save(path: Path, model: Weights) -> None:
    """Write a quantised model, atomically."""
    arrays: dict[str, NDArray[Any]] = {"words": pack_texts(model.vocabulary.words)}
    for name, matrix in model.matrices.items():
        if matrix.scale is None:
            raise ValueError(f"{name} is not rounded")
        arrays[name] = matrix.values.astype(np.int8)
        arrays[f"{name}.scale"] = matrix.scale
    weights.save(path, KIND, asdict(model.architecture), arrays | dict(model.vectors))


def load(path: Path) -> Weights:
    """Open a model; refuse one with inconsistent arrays."""
    settings, arrays = weights.load(path, KIND)
    architecture = config.build(settings, Architecture, where=str(path))
    try:
        words = unpack_texts(arrays.pop("words"))
        names = [name for name, array in arrays.items() if array.ndim == 2]
        matrices = {
            name: Matrix(arrays[name].astype(np.float32), arrays[f"{name}.scale"])
            for name in names
        }
        vectors = {n: a for n, a in arrays.items() if a.ndim == 1}
        model = Weights(architecture, Vocabulary(words), matrices, vectors)
        sound = words[: len(SPECIAL)] == SPECIAL and _shapes(model) == list_shapes(
            architecture, len(words)
        )
    except (KeyError, ValueError) as error:
        raise _damaged(path) from error
    if not sound:
        raise _damaged(path)
    return model


def list_shapes(architecture: Architecture, words: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every matrix and vector of such a model, without scales."""
    embedding, hidden = architecture.embedding, architecture.hidden
    half = hidden // 2
    shapes: dict[str, tuple[int, ...]] = {
        "embedding": (words, embedding),
        "bias": (words,),
        "keys": (hidden, hidden),
        "attend": (hidden, 2 * hidden),
        "project": (embedding, hidden),
    }
    for layer in range(architecture.layers):
        size = embedding if layer == 0 else hidden
        for direction in ("forward", "backward"):
            shapes |= _list_cell(f"encoder.{layer}.{direction}", size, half)
        size = embedding + hidden if layer == 0 else hidden
        shapes |= _list_cell(f"decoder.{layer}", size, hidden)
    if architecture.copy:
        shapes |= {"gate": (2 * hidden + embedding,), "gate.bias": (1,)}
    return shapes


def _list_cell(name: str, inputs: int, hidden: int) -> dict[str, tuple[int, ...]]:
    return {
        f"{name}.input": (4 * hidden, inputs),
        f"{name}.recurrent": (4 * hidden, hidden),
        f"{name}.bias": (4 * hidden,),
    }


def _shapes(model: Weights) -> dict[str, tuple[int, ...]]:
    vectors = {
        name: vector.shape
        for name, vector in model.vectors.items()
        if not name.endswith(".scale")
    }
    return {name: m.values.shape for name, m in model.matrices.items()} | vectors


def _damaged(path: Path) -> ParaphrastError:
    return ParaphrastError(f"{path} is damaged: its arrays do not fit. {weights.AGAIN}")
