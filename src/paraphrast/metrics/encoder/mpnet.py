"""MPNet (Song et al., 2020) in numpy, from weights of 8 bits with a scale a row.

CTranslate2 does not run this kind of encoder, and the large judge should not need
torch. Weights are widened to single precision on loading.
"""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.encoder.running import Ids, Single

_EPSILON = 1e-5
_FIRST_POSITION = 2  # MPNet numbers positions from behind its padding
_BUCKETS, _FARTHEST = 32, 128  # of distances between pieces
_PADDING = 1


class NumpyMpnet:
    """An MPNet whose weights are in a NumPy archive."""

    def __init__(self, path: Path, *, heads: int) -> None:
        """Load and widen the weights."""
        try:
            with np.load(path, allow_pickle=False) as archive:
                self._weights = widened({name: archive[name] for name in archive.files})
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise ParaphrastError(
                f"cannot read the encoder {path}: {error}. Copy the judge anew."
            ) from error
        self._heads = heads
        names = [
            n.split(".")[2] for n in self._weights if n.startswith("encoder.layer")
        ]
        self._layers = 1 + max(map(int, names))
        self.hidden = self._weights["embeddings.word_embeddings.weight"].shape[1]

    def states(self, batch: Sequence[Ids]) -> Single:
        """Return states of pieces with their marks: (texts, longest, hidden)."""
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), _PADDING)
        for row, text in enumerate(batch):
            ids[row, : len(text)] = text
        weights = self._weights
        found = weights["embeddings.word_embeddings.weight"][ids]
        places = np.arange(longest) + _FIRST_POSITION
        found = found + weights["embeddings.position_embeddings.weight"][places]
        found = self._norm(found, "embeddings.LayerNorm")
        bias = weights["encoder.relative_attention_bias.weight"][buckets(longest)]
        # (1, heads, longest, longest), and nothing is seen of padding
        apart = bias.transpose(2, 0, 1)[None] + np.where(
            ids == _PADDING, np.float32(-1e9), np.float32(0)
        ).reshape(len(batch), 1, 1, longest)
        for number in range(self._layers):
            found = self._layer(found, apart, f"encoder.layer.{number}.")
        return found

    def _layer(self, states: Single, apart: Single, name: str) -> Single:
        attended = self._attention(states, apart, f"{name}attention.attn.")
        states = self._norm(states + attended, f"{name}attention.LayerNorm")
        inner = gelu(self._linear(states, f"{name}intermediate.dense"))
        outer = self._linear(inner, f"{name}output.dense")
        return self._norm(states + outer, f"{name}output.LayerNorm")

    def _attention(self, states: Single, apart: Single, name: str) -> Single:
        batch, length, hidden = states.shape
        size = hidden // self._heads

        def parted(part: str) -> Single:
            found = self._linear(states, name + part)
            return found.reshape(batch, length, self._heads, size).transpose(0, 2, 1, 3)

        scores = parted("q") @ parted("k").transpose(0, 1, 3, 2) / np.float32(size**0.5)
        scores = scores + apart
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ parted("v")).transpose(0, 2, 1, 3)
        return self._linear(mixed.reshape(batch, length, hidden), f"{name}o")

    def _linear(self, states: Single, name: str) -> Single:
        matrix, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        flat = states.reshape(-1, states.shape[-1]) @ matrix.T + bias
        found: Single = flat.reshape(*states.shape[:-1], -1)
        return found

    def _norm(self, states: Single, name: str) -> Single:
        apart = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((apart**2).mean(axis=-1, keepdims=True) + _EPSILON)
        found: Single = apart / spread * self._weights[f"{name}.weight"]
        return found + self._weights[f"{name}.bias"]


def widened(arrays: dict[str, NDArray[Any]]) -> dict[str, Single]:
    """Return weights in single precision from 8 bits and a scale a row."""
    found = {}
    for key, array in arrays.items():
        name, _, kind = key.partition("|")
        if kind == "int8":
            found[name] = array.astype(np.float32) * arrays[f"{name}|scale"]
        elif not kind:
            found[name] = array.astype(np.float32)
    return found


def buckets(length: int) -> NDArray[np.int64]:
    """Return the bucket of the distance from each piece to each: near ones exactly."""
    places = np.arange(length)
    distance = places[:, None] - places[None, :]
    half = _BUCKETS // 2
    exact = half // 2
    size = np.abs(distance)
    far = np.log(np.maximum(size, 1) / exact) / np.log(_FARTHEST / exact)
    coarse = np.minimum(exact + (far * (half - exact)).astype(np.int64), half - 1)
    found = np.where(distance < 0, half, 0) + np.where(size < exact, size, coarse)
    return np.asarray(found, np.int64)


def gelu(values: Single) -> Single:
    """Return x times the normal distribution's share below x."""
    return values * np.float32(0.5) * (1 + _erf(values * np.float32(0.5**0.5)))


def _erf(values: Single) -> Single:
    # Abramowitz & Stegun 7.1.26: off by no more than 1.5e-7, single precision's own.
    size = np.abs(values)
    t = 1 / (1 + np.float32(0.3275911) * size)
    factors = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    total = np.zeros_like(t)
    for factor in factors:
        total = (total + np.float32(factor)) * t
    found: Single = np.sign(values) * (1 - total * np.exp(-size * size))
    return found
