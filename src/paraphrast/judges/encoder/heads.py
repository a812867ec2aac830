"""Heads: scores read from an encoder's pooled states, in numpy.

A head is a matrix over the mean state, the first state and optionally the surface
features of the text. `Heads` has all heads of one encoder and the projection for
meaning vectors.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.judges.encoder.running import Single
from paraphrast.metrics.base import Matrix
from paraphrast.storage import weights

_KIND = "encoder-heads"


@dataclass(frozen=True, eq=False)
class Heads:
    """Matrices by head, ``name.weight`` (size, inputs) and ``name.bias`` (size,).

    ``meaning.weight`` (vector, hidden) is absent if the meaning vector is the mean
    itself.
    """

    hidden: int
    arrays: dict[str, NDArray[Any]]

    @cached_property
    def signature(self) -> str:
        """Name the heads by the hash of their weights."""
        return weights.digest(_KIND, {"hidden": self.hidden}, self.arrays)

    def logits(
        self, name: str, pooled: Single, features: Matrix | None = None
    ) -> Matrix:
        """Return a head's logits: (texts, size)."""
        matrix = self.arrays.get(f"{name}.weight")
        if matrix is None:
            names = [key.removesuffix(".bias") for key in self.arrays if "bias" in key]
            raise unknown("head", name, names)
        seen = pooled if features is None else np.concatenate([pooled, features], 1)
        return np.asarray(seen @ matrix.T + self.arrays[f"{name}.bias"], np.float64)

    def vectors(self, pooled: Single) -> Matrix:
        """Return meaning vectors of length 1, or zeros for unreadable texts."""
        return self.turn(pooled[:, : self.hidden])

    def turn(self, states: Single) -> Matrix:
        """Return states, of texts or of tokens, as meaning vectors of length 1."""
        vectors = np.asarray(states, np.float64)
        if "meaning.weight" in self.arrays:
            vectors = vectors @ self.arrays["meaning.weight"].T.astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))

    def add_to_meaning(self, change: NDArray[np.float32]) -> "Heads":
        """Return heads that turn states by their matrix and a change of it."""
        matrix = self.arrays.get("meaning.weight", np.eye(self.hidden))
        return Heads(self.hidden, {"meaning.weight": matrix + change})

    def save(self, path: Path) -> None:
        """Write the heads; see `weights.save`."""
        weights.save(path, _KIND, {"hidden": self.hidden}, self.arrays)


def load(path: Path) -> Heads:
    """Read heads that `Heads.save` wrote."""
    settings, arrays = weights.load(path, _KIND)
    heads = Heads(settings["hidden"], arrays)
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ParaphrastError(
                f"{path}: {name} is not finite. Re-download the judge."
            )
    return heads
