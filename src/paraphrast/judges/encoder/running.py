"""Run an encoder: tokens in, pooled states out.

`Encoder` is the interface; `Int8Encoder` runs CTranslate2 in int8. `pool_texts` reads
texts of one length together, so that each gives the same in any batch, and splits long
ones into windows whose results are averaged, so that texts of any length are processed
in bounded memory.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.storage.ctranslate2_model import is_stale, make_batches, open_model

Ids: TypeAlias = list[int]
Single: TypeAlias = NDArray[np.float32]

WINDOW = 126  # tokens; an encoder was trained on no more
_TOKENS = 2048  # tokens of a batch


class Encoder(Protocol):
    """Turns tokens into states."""

    @property
    def hidden(self) -> int:
        """Return the size of a state."""

    def states(self, batch: Sequence[Ids]) -> Single:
        """Return the states of all tokens: (texts, longest, hidden)."""


class Int8Encoder:
    """An encoder that CTranslate2 runs from a folder, on ``threads`` cores.

    A ``numbered`` one needs the position of each token as input. The precision is int8
    by default.
    """

    def __init__(
        self,
        folder: Path,
        *,
        hidden: int,
        numbered: bool = False,
        threads: int = 1,
        precision: str = "int8",
    ) -> None:
        """Load the weights."""
        self.hidden = hidden
        self._numbered = numbered
        self._open = partial(
            open_model, "Encoder", folder, compute_type=precision, intra_threads=threads
        )
        self._encoder = self._open()

    def states(self, batch: Sequence[Ids]) -> Single:
        """Return the states of all tokens: (texts, longest, hidden)."""
        positions = [list(range(len(ids))) for ids in batch] if self._numbered else None
        if is_stale(self._encoder):  # in a forked process
            self._encoder = self._open()
        output = self._encoder.forward_batch(
            [list(ids) for ids in batch], token_type_ids=positions
        )
        return np.asarray(output.last_hidden_state, dtype=np.float32)


def pool_texts(
    encoder: Encoder,
    texts: Sequence[Ids],
    *,
    start: int,
    end: int,
    keep: Callable[[int, Ids, Single], None] | None = None,
) -> Single:
    """Return the mean of each text's states beside its first state: (texts, 2 hidden).

    ``start`` and ``end`` are the tokens added around each window. A text without tokens
    has zeros. ``keep`` is called for every window, in no order, with the number of its
    text, its tokens and their states, without the added tokens.
    """
    windows, owners = _windows(texts, start, end)
    sums = np.zeros((len(texts), 2 * encoder.hidden), np.float64)
    weights = np.zeros(len(texts))
    for (length,), chosen in make_batches([(len(own),) for own in windows], _TOKENS):
        states = encoder.states([windows[i] for i in chosen])
        weight = length - 2
        for row, own, i in zip(_pool(states), states, chosen, strict=True):
            sums[owners[i]] += weight * row
            weights[owners[i]] += weight
            if keep:
                keep(owners[i], windows[i][1:-1], own[1 : 1 + weight])
    return (sums / np.maximum(weights, 1)[:, None]).astype(np.float32)


def _windows(texts: Sequence[Ids], start: int, end: int) -> tuple[list[Ids], list[int]]:
    windows, owners = [], []
    for number, ids in enumerate(texts):
        # Windows of one text are of about equal length: a last one of two tokens
        # would say nothing.
        count = -(-len(ids) // WINDOW)
        for part in range(count):
            first, last = part * len(ids) // count, (part + 1) * len(ids) // count
            windows.append([start, *ids[first:last], end])
            owners.append(number)
    return windows, owners


def _pool(states: Single) -> Single:
    return np.concatenate([states.mean(axis=1), states[:, 0]], axis=1)
