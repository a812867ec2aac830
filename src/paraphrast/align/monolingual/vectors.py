"""Word vectors: a table of bytes, and the contextual vectors of a sentence's words.

The table holds one row of signed bytes per word, with a scale. A word that is not in it
is looked up again without its ending, by its parts, or by its stem; one that is still
unknown has the zero vector. `Vectors` is not changed by training an aligner.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from paraphrast.align.monolingual.features import Grids, Ids
from paraphrast.align.monolingual.forms import Floats, stem

_CACHED_WORDS: Final = 200_000
_SMALLEST_NORM: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Table:
    """The vectors of words."""

    words: dict[str, int]
    rows: npt.NDArray[np.int8]
    scales: Floats
    remembered: dict[str, int] = field(default_factory=dict, repr=False)

    def __call__(self, words: Sequence[str]) -> Floats:
        """Return one vector per word, zero for what is unknown."""
        result = np.array([self.row(word) for word in words])
        vectors = self.rows[result] * self.scales[result, None]
        return np.where((result >= 0)[:, None], vectors, np.float32(0))

    def row(self, word: str) -> int:
        """Return the row of a word, -1 for what is unknown."""
        result = self.remembered.get(word)
        if result is None:
            if len(self.remembered) >= _CACHED_WORDS:
                self.remembered.clear()
            rows = (self.words.get(form) for form in _alternatives(word))
            result = next((row for row in rows if row is not None), -1)
            self.remembered[word] = result
        return result


def _alternatives(word: str) -> tuple[str, ...]:
    return (
        word,
        *(word.removesuffix(ending) for ending in ("s", "ed", "ing", "'s")),
        word.replace(".", ""),
        word.split("-")[-1],
        stem(word),
    )


@dataclass(frozen=True, slots=True)
class Vectors:
    """The table, and the layers that compare words alone and in their context."""

    table: Table
    alone: Floats  # dimensions, heads, head's dimensions
    around: Floats
    layers: tuple[tuple[Floats, Floats], ...]  # weights: 3, dimensions, dimensions

    def similarities(self, grids: Grids) -> tuple[Floats, Floats, Floats]:
        """Return channels of cells, and the words in context of either side."""
        vectors = self.table(grids.words)
        sides = [
            (vectors[ids], self._in_context(vectors[ids], ids))
            for ids in (grids.sources, grids.targets)
        ]
        (left, left_context), (right, right_context) = sides
        channels = [
            _dots(left, right, self.alone),
            _dots(left_context, right_context, self.around),
            _dots(left, right, np.eye(left.shape[2], dtype=np.float32)[:, None]),
        ]
        return np.concatenate(channels), left_context, right_context

    def _in_context(self, vectors: Floats, ids: Ids) -> Floats:
        inside = (ids > 0)[..., None]
        for weights, bias in self.layers:
            padded = np.pad(vectors, ((0, 0), (1, 1), (0, 0)))
            count = vectors.shape[1]
            mixed = sum(padded[:, k : k + count] @ weights[k] for k in range(3)) + bias
            vectors = (vectors + np.maximum(mixed, 0)) * inside
        return vectors.astype(np.float32)


def _dots(left: Floats, right: Floats, heads: Floats) -> Floats:
    """Return the cosines of every two words, head by head."""
    first, second = (_normal(np.tensordot(side, heads, 1)) for side in (left, right))
    cosines: Floats = first.transpose(2, 0, 1, 3) @ second.transpose(2, 0, 3, 1)
    return cosines


def _normal(vectors: Floats) -> Floats:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    normal: Floats = vectors / np.maximum(norms, _SMALLEST_NORM)
    return normal
