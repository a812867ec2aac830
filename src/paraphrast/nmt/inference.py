"""The network in NumPy: encode sentences, then run the decoder's steps.

A pack's matrices are int8, and so are the inputs of each product, which are rounded row
by row. Sums of such products are exact in single precision up to `MOST_EXACT` inputs,
in any order, so that results do not depend on the batch size. The floating-point
products of attention and copying are computed sentence by sentence: a sentence has the
same result in any batch. On another processor they may differ in the last digit, as may
`tanh` and `exp`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paraphrast.nmt.vocabulary import UNKNOWN
from paraphrast.nmt.weights import LARGEST, Floats, Matrix, Weights, round_rows

MOST_EXACT = (1 << 24) // LARGEST**2  # products that single precision adds exactly


@dataclass(frozen=True, eq=False)
class Encoded:
    """A source after the encoder: S states, the same as keys, the decoder's start.

    ``states`` are h and c of each layer.
    """

    values: Floats
    keys: Floats
    states: tuple[tuple[Floats, Floats], ...]


@dataclass(eq=False)
class Decoding:
    """The decoder's rows between two steps, grouped by sentence."""

    states: list[tuple[Floats, Floats]]
    fed: Floats

    def select(self, rows: NDArray[np.int64]) -> "Decoding":
        """Return some of the rows, perhaps more than once."""
        return Decoding([(h[rows], c[rows]) for h, c in self.states], self.fed[rows])


@dataclass(frozen=True, eq=False)
class Step:
    """The result of a step for each row.

    ``words`` rows x V are probabilities of generating each word, ``copies`` those of
    copying each source word (or nothing without a copy mechanism), ``attention`` one
    array per sentence.
    """

    words: Floats
    copies: list[Floats]
    attention: list[Floats]


class Network:
    """The network, ready to run."""

    def __init__(self, model: Weights) -> None:
        """Load the weights of a model, in the layout for products."""
        laid_out = {
            name: Matrix(np.asfortranarray(matrix.values), matrix.scale)
            for name, matrix in model.matrices.items()
        }
        self.model = replace(model, matrices=laid_out)
        self.copies = model.architecture.copy
        self.layers = range(model.architecture.layers)

    def encode(self, sources: Sequence[Sequence[int]]) -> list[Encoded]:
        """Encode sources, given as word indices, of any lengths but not empty."""
        order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
        lengths = [len(sources[i]) for i in order]
        numbers = np.concatenate([np.array(sources[i]) for i in order])
        ends = np.cumsum(lengths)
        starts: NDArray[np.int64] = ends - np.array(lengths)
        value = self.model.matrices["embedding"].rows(numbers)
        finals: list[tuple[Floats, Floats]] = []
        for layer in self.layers:
            name = f"encoder.{layer}"
            there, h, c = self._read(f"{name}.forward", value, starts, lengths, 1)
            back, k, d = self._read(f"{name}.backward", value, starts, lengths, -1)
            value = np.concatenate([there, back], 1)
            finals.append((np.concatenate([h, k], 1), np.concatenate([c, d], 1)))
        keys = multiply(value, self.model.matrices["keys"])
        result: list[Encoded | None] = [None] * len(sources)
        for row, index in enumerate(order):
            own = slice(starts[row], ends[row])
            states = tuple((h[row], c[row]) for h, c in finals)
            result[index] = Encoded(
                np.ascontiguousarray(value[own]),
                np.ascontiguousarray(keys[own]),
                states,
            )
        return [encoded for encoded in result if encoded is not None]

    def begin(self, sources: Sequence[Encoded]) -> Decoding:
        """Return the decoder's start, one row per source."""
        states = [
            (
                np.stack([source.states[layer][0] for source in sources]),
                np.stack([source.states[layer][1] for source in sources]),
            )
            for layer in self.layers
        ]
        return Decoding(states, np.zeros_like(states[0][0]))

    def step(
        self,
        sources: Sequence[Encoded],
        decoding: Decoding,
        last: NDArray[np.int64],
    ) -> Step:
        """Run a step after the words ``last``, updating the rows in place.

        The rows are divided evenly among the sources.
        """
        numbers = np.where(last < len(self.model.vocabulary), last, UNKNOWN)
        word = self.model.matrices["embedding"].rows(numbers)
        value = np.concatenate([word, decoding.fed], 1)
        for layer in self.layers:
            name = f"decoder.{layer}"
            gates = multiply(value, self.model.matrices[f"{name}.input"])
            gates += self.model.vectors[f"{name}.bias"]
            decoding.states[layer] = self._cell(name, gates, *decoding.states[layer])
            value = decoding.states[layer][0]
        attention, contexts = _attend(sources, value)
        both = np.concatenate([contexts, value], 1)
        decoding.fed = np.tanh(multiply(both, self.model.matrices["attend"]))
        words = self._distribute(decoding.fed)
        if not self.copies:
            return Step(words, [], attention)
        vectors = self.model.vectors
        inputs = np.concatenate([both, word], 1)
        gate = _sigmoid((inputs * vectors["gate"]).sum(1) + vectors["gate.bias"][0])
        words *= gate[:, None]
        shares = np.split(1 - gate, len(sources))
        copies = [a * g[:, None] for a, g in zip(attention, shares, strict=True)]
        return Step(words, copies, attention)

    def _distribute(self, attended: Floats) -> Floats:
        """Return the probability of every word."""
        projected = multiply(attended, self.model.matrices["project"])
        scores = multiply(projected, self.model.matrices["embedding"])
        scores += self.model.vectors["bias"]
        return _softmax(scores)

    def _read(
        self,
        name: str,
        value: Floats,
        starts: NDArray[np.int64],
        lengths: Sequence[int],
        direction: int,
    ) -> tuple[Floats, Floats, Floats]:
        """Run a layer over consecutive sentences in order of decreasing length.

        Returns all its states, and the last h and c.
        """
        gates = multiply(value, self.model.matrices[f"{name}.input"])
        gates += self.model.vectors[f"{name}.bias"]
        size = gates.shape[1] // 4
        outputs = np.zeros((len(value), size), np.float32)
        h, c = np.zeros((2, len(lengths), size), np.float32)
        for position in range(lengths[0])[::direction]:
            active = sum(length > position for length in lengths)
            rows = starts[:active] + position
            state = self._cell(name, gates[rows], h[:active], c[:active])
            h[:active], c[:active] = state
            outputs[rows] = state[0]
        return outputs, h, c

    def _cell(
        self, name: str, gates: Floats, h: Floats, c: Floats
    ) -> tuple[Floats, Floats]:
        """Run a step of an LSTM, given the input part of its gates."""
        gates = gates + multiply(h, self.model.matrices[f"{name}.recurrent"])
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        c = _sigmoid(forget) * c + _sigmoid(enter) * np.tanh(new)
        return _sigmoid(leave) * np.tanh(c), c


def multiply(rows: Floats, matrix: Matrix) -> Floats:
    """Return ``rows`` times a matrix, exactly if the matrix is in 8 bits."""
    if matrix.scale is None:
        return rows @ matrix.values.T
    rounded, scale = round_rows(rows)
    result: Floats = rounded[:, :MOST_EXACT] @ matrix.values[:, :MOST_EXACT].T
    for start in range(MOST_EXACT, rows.shape[1], MOST_EXACT):
        part = slice(start, start + MOST_EXACT)
        result += rounded[:, part] @ matrix.values[:, part].T
    result *= scale[:, None]
    result *= matrix.scale
    return result


def _attend(sources: Sequence[Encoded], value: Floats) -> tuple[list[Floats], Floats]:
    """Return each sentence's attention and the contexts of all rows."""
    attention = [
        _softmax(rows @ source.keys.T)
        for source, rows in zip(sources, np.split(value, len(sources)), strict=True)
    ]
    contexts = [a @ s.values for a, s in zip(attention, sources, strict=True)]
    return attention, np.concatenate(contexts)


def _softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _sigmoid(value: Floats) -> Floats:
    # By the hyperbolic tangent, which cannot overflow.
    result: Floats = np.tanh(value * np.float32(0.5))
    result += 1
    result *= np.float32(0.5)
    return result
