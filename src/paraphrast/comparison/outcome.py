"""What a comparison found: rows of systems, columns of metrics, and how it was made.

`comparison.compare` fills these in; `tables` and `report` show them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from paraphrast.comparison import gaming
from paraphrast.errors import unknown
from paraphrast.metrics.base import Matrix

Verdict: TypeAlias = Literal["better", "worse", "same"]
Test: TypeAlias = Literal["bootstrap", "randomisation"]
Correction: TypeAlias = Literal["holm", "bh", "none"]

TESTS = get_args(Test)
CORRECTIONS = get_args(Correction)
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Column:
    """A metric as it was used, with its signature on the systems' rows."""

    name: str
    higher_is_better: bool
    signature: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A row's score on one metric.

    ``p`` is the corrected p-value against the baseline (the baseline has none), and
    ``verdict`` the decision at the level `ALPHA`. Controls have no ``rank``.
    """

    value: float
    low: float
    high: float
    p: float | None
    verdict: Verdict
    rank: int | None
    each: Matrix = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Row:
    """A system or a control, its scores in the order of the columns, its gaming."""

    name: str
    control: bool
    note: str
    outputs: tuple[str, ...] = field(repr=False)
    cells: tuple[Cell, ...]
    panel: gaming.Panel = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on one metric: first minus second, with the corrected p-value."""

    metric: str
    first: str
    second: str
    difference: float
    p: float


@dataclass(frozen=True, slots=True)
class Setting:
    """How the comparison was made.

    ``resamples`` is for the intervals and ``trials`` for the p-values.
    """

    baseline: str
    main: str
    test: Test
    correction: Correction
    resamples: int
    trials: int
    seed: int


@dataclass(frozen=True, slots=True)
class File:
    """An input file, so that a table can be traced to its data."""

    role: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that a table, a plot or a paper needs; see the module's docstring."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    missing: Mapping[str, str]
    warnings: tuple[str, ...]
    setting: Setting
    sources: tuple[str, ...] = field(repr=False)
    references: tuple[tuple[str, ...], ...] = field(repr=False)
    targets: tuple[str, ...] = field(repr=False)
    files: tuple[File, ...] = ()

    def cell(self, row: str, column: str) -> Cell:
        """Return one score by its names."""
        names = [entry.name for entry in self.columns]
        if column not in names:
            raise unknown("metric", column, names)
        for entry in self.rows:
            if entry.name == row:
                return entry.cells[names.index(column)]
        raise unknown("system", row, [entry.name for entry in self.rows])

    def disagreement(self, column: int) -> Matrix:
        """Return the spread of the systems' values of a column, for each line."""
        values = np.stack(
            [row.cells[column].each for row in self.rows if not row.control]
        )
        return np.asarray(values.max(axis=0) - values.min(axis=0))

    def best(self, column: int) -> frozenset[str]:
        """Return the systems with the best value of a column, excluding controls."""
        systems = [row for row in self.rows if not row.control]
        sign = 1 if self.columns[column].higher_is_better else -1
        top = max(sign * row.cells[column].value for row in systems)
        return frozenset(
            row.name for row in systems if sign * row.cells[column].value == top
        )
