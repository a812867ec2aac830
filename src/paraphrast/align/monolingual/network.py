"""A small network over the grid of a sentence pair, in numpy.

Every cell starts from its features and its two words. Each layer then looks at the
cell's eight neighbours (one or two steps away) and at the strongest cells of its row
and its column, so that links support their neighbours and compete with their rivals.
The last layer gives two scores per cell: one for being a sure link, and one for being a
link at all. `backward` is the exact derivative of `forward`.

Grids are stored flat: the rows of a pair follow one another with ``MARGIN`` empty
columns between them, and pairs with as many empty rows. A neighbour is then a shift,
and a layer is a product of two matrices.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from paraphrast.align.monolingual.forms import Floats

MARGIN: Final = 2
STEPS: Final = (1, 2, 1, 2)  # how far off each layer's neighbours are
Weights: TypeAlias = Mapping[str, Floats]
Shape: TypeAlias = tuple[int, int, int]  # pairs, rows, columns


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the network sees of a batch of pairs."""

    channels: Floats  # channels, pairs, rows, columns: features and similarities
    sources: Floats  # pairs, rows, dimensions
    targets: Floats  # pairs, columns, dimensions
    mask: Floats  # pairs, rows, columns

    @property
    def shape(self) -> Shape:
        """Return the numbers of pairs, rows and columns."""
        pairs, rows, columns = self.mask.shape
        return pairs, rows, columns


@dataclass(frozen=True, slots=True)
class Pass:
    """The values of a forward pass that its derivative needs; ``scores`` is its end."""

    inputs: Inputs
    flat: Floats
    mask: Floats
    states: list[Floats]
    added: list[Floats]  # what each layer added to the state before it
    last: Floats
    scores: Floats  # 2, pairs, rows, columns


def forward(
    weights: Weights,
    inputs: Inputs,
    *,
    keep: bool = False,
    hopeless: float | None = None,
) -> Pass:
    """Score every cell twice, as a sure link and as a link at all.

    Only with ``keep`` does the result include what `backward` needs. With ``hopeless``
    the last layer skips the cells whose score before it is lower, nine in ten.
    """
    mask, flat = _flat(inputs.mask[None]), _flat(inputs.channels)
    start = weights["features"] @ flat
    left = (inputs.sources @ weights["sources"].T).transpose(2, 0, 1)
    right = (inputs.targets @ weights["targets"].T).transpose(2, 0, 1)
    _spread(start, left + weights["start"][:, None, None], right)
    start *= mask
    state, states, added = start, [start], []
    whole = len(STEPS) if hopeless is None else len(STEPS) - 1
    for number in range(whole):
        more = _layer(weights, state, inputs.shape, number)
        if keep:
            added.append(more.copy())
        more += state
        more *= mask
        state = more
        if keep:
            states.append(state)
    last, scores = _score_cells(weights, state)
    if hopeless is not None:
        chosen = np.flatnonzero((scores[1] > hopeless) & (mask[0] > 0))
        few = _last_layer(weights, state, inputs.shape, chosen)
        scores[:, chosen] = _score_cells(weights, few)[1]
    grid = grid_of(scores, inputs.shape)
    return Pass(inputs, flat, mask, states, added, last, grid)


def _score_cells(weights: Weights, state: Floats) -> tuple[Floats, Floats]:
    """Return the last hidden values of cells, and their scores."""
    last = weights["last"] @ state
    last += weights["last bias"][:, None]
    np.maximum(last, 0, out=last)
    return last, weights["scores"] @ last + weights["scores bias"][:, None]


def _layer(weights: Weights, state: Floats, shape: Shape, number: int) -> Floats:
    """Return what the neighbours and rivals of every cell add to its state."""
    narrow = weights[f"narrow {number}"] @ state
    around: Floats = weights[f"around {number}"] @ _neighbours(narrow, shape, number)
    _spread(around, *_rivals(weights, state, shape, number))
    return around


def _last_layer(
    weights: Weights, state: Floats, shape: Shape, chosen: npt.NDArray[np.int64]
) -> Floats:
    """Return the state of the chosen cells after the last layer."""
    number = len(STEPS) - 1
    narrow = weights[f"narrow {number}"] @ state
    # What lies before the first cell is found at the end, where all is margin.
    near = chosen + np.array(_shifts(shape, number))[:, None]
    stacked = narrow[:, near].transpose(1, 0, 2).reshape(9 * len(narrow), len(chosen))
    around = weights[f"around {number}"] @ stacked
    rows, columns = _rivals(weights, state, shape, number)
    height, width = shape[1] + MARGIN, shape[2] + MARGIN
    pair, row = chosen // (height * width), chosen // width % height
    around += rows[:, pair, row]
    around += columns[:, pair, chosen % width]
    after: Floats = state[:, chosen] + np.maximum(around, 0)
    return after


def _rivals(
    weights: Weights, state: Floats, shape: Shape, number: int
) -> tuple[Floats, Floats]:
    """Return what the strongest cells of every row and every column add."""
    grid = grid_of(state, shape)
    rows = np.tensordot(weights[f"row {number}"], _row_max(grid), 1)
    columns = np.tensordot(weights[f"column {number}"], _column_max(state, shape), 1)
    return rows + weights[f"bias {number}"][:, None, None], columns


def _column_max(state: Floats, shape: Shape) -> Floats:
    """Return ``grid.max(2)``, faster: whole rows are reduced pairwise."""
    pairs, rows, columns = shape
    width = columns + MARGIN
    flat = state.reshape(len(state), pairs, -1)[:, :, : rows * width]
    while rows > 1:
        half = (rows + 1) // 2
        upper, lower = flat[:, :, : half * width], flat[:, :, (rows - half) * width :]
        flat, rows = np.maximum(upper, lower), half
    return flat[:, :, :columns]


def _row_max(grid: Floats) -> Floats:
    """Return ``grid.max(3)``, faster: rows are short, so they are halved repeatedly."""
    while (width := grid.shape[3]) > 1:
        half = (width + 1) // 2
        grid = np.maximum(grid[..., :half], grid[..., width - half :])
    return grid[..., 0]


def _spread(flat: Floats, rows: Floats, columns: Floats) -> None:
    """Add one value per row and one per column to every cell; apply the ReLU."""
    grid = grid_of(flat, (rows.shape[1], rows.shape[2], columns.shape[2]))
    grid += rows[:, :, :, None]
    grid += columns[:, :, None, :]
    np.maximum(flat, 0, out=flat)


def backward(weights: Weights, done: Pass, gradients: Floats) -> dict[str, Floats]:
    """Return the gradients of the weights, given those of the scores."""
    shape = done.inputs.shape
    result: dict[str, Floats] = {}
    flat = _flat(gradients)
    result["scores"] = flat @ done.last.T
    result["scores bias"] = flat.sum(1)
    last: Floats = weights["scores"].T @ flat
    last *= done.last > 0
    result["last"] = last @ done.states[-1].T
    result["last bias"] = last.sum(1)
    state: Floats = weights["last"].T @ last
    for number in reversed(range(len(STEPS))):
        state *= done.mask
        before, added = done.states[number], state * (done.added[number] > 0)
        state += _neighbour_gradients(weights, before, added, shape, number, result)
        _rival_gradients(weights, before, added, state, shape, number, result)
    state *= done.states[0] > 0
    grid = grid_of(state, shape)
    result["features"] = state @ done.flat.T
    result["start"] = grid.sum((1, 2, 3))
    result["sources"] = np.tensordot(grid.sum(3), done.inputs.sources, 2)
    result["targets"] = np.tensordot(grid.sum(2), done.inputs.targets, 2)
    return result


def _neighbour_gradients(
    weights: Weights,
    state: Floats,
    added: Floats,
    shape: Shape,
    number: int,
    gradients: dict[str, Floats],
) -> Floats:
    """Store the gradients of the neighbours' weights; return that of the state."""
    narrow = weights[f"narrow {number}"] @ state
    gradients[f"around {number}"] = added @ _neighbours(narrow, shape, number).T
    stacked = (weights[f"around {number}"].T @ added).reshape(9, *narrow.shape)
    by_narrow = np.zeros_like(narrow)
    for slot, shift in zip(stacked, _shifts(shape, number), strict=True):
        before, after = _shifted_slices(narrow.shape[1], shift)
        by_narrow[:, after] += slot[:, before]
    gradients[f"narrow {number}"] = by_narrow @ state.T
    by_state: Floats = weights[f"narrow {number}"].T @ by_narrow
    return by_state


def _rival_gradients(
    weights: Weights,
    state: Floats,
    added: Floats,
    into: Floats,
    shape: Shape,
    number: int,
    gradients: dict[str, Floats],
) -> None:
    """Store the gradients of the rivals' weights; add that of the state ``into``."""
    grid, by_cell = grid_of(state, shape), grid_of(added, shape)
    gradients[f"bias {number}"] = by_cell.sum((1, 2, 3))
    for name, axis in (("row", 3), ("column", 2)):
        strongest, sums = grid.max(axis, keepdims=True), by_cell.sum(axis)
        axes = ((1, 2), (1, 2))
        gradients[f"{name} {number}"] = np.tensordot(
            sums, strongest.squeeze(axis), axes
        )
        # Where several cells are strongest, each takes an equal share.
        where = (grid == strongest) & (strongest > 0)
        share = np.tensordot(weights[f"{name} {number}"].T, sums, 1)
        count = np.maximum(where.sum(axis, keepdims=True), 1).astype(np.float32)
        grid_of(into, shape)[...] += where * (np.expand_dims(share, axis) / count)


def _neighbours(state: Floats, shape: Shape, number: int) -> Floats:
    """Stack the nine cells around every cell, itself among them."""
    stacked = np.empty((9, *state.shape), dtype=np.float32)
    for slot, shift in zip(stacked, _shifts(shape, number), strict=True):
        before, after = _shifted_slices(state.shape[1], shift)
        slot[:, before] = state[:, after]
        slot[:, : before.start] = 0
        slot[:, before.stop :] = 0
    return stacked.reshape(-1, state.shape[1])


def _shifted_slices(count: int, shift: int) -> tuple[slice, slice]:
    """Return the cells that have one ``shift`` after them, and those."""
    low, high = max(0, -shift), count - max(0, shift)
    return slice(low, max(low, high)), slice(low + shift, max(low, high) + shift)


def _shifts(shape: Shape, number: int) -> list[int]:
    around = (-STEPS[number], 0, STEPS[number])
    width = shape[2] + MARGIN
    return [row * width + column for row in around for column in around]


def _flat(grid: Floats) -> Floats:
    channels, pairs, rows, columns = grid.shape
    padded = np.zeros(
        (channels, pairs, rows + MARGIN, columns + MARGIN), dtype=np.float32
    )
    padded[:, :, :rows, :columns] = grid
    return padded.reshape(channels, -1)


def grid_of(flat: Floats, shape: Shape) -> Floats:
    """Return a view of flat cells as a grid, without the margins."""
    pairs, rows, columns = shape
    padded = flat.reshape(-1, pairs, rows + MARGIN, columns + MARGIN)
    return padded[:, :, :rows, :columns]
