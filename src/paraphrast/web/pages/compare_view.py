"""The Compare page's view of a comparison: ordered lines, systems as columns.

In a blind view the systems are letters in random order, and no figures are shown; COPY
and REFERENCE keep their names.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from urllib.parse import urlencode

from paraphrast.comparison import plots, tables
from paraphrast.comparison.baselines import COPY, REFERENCE
from paraphrast.comparison.outcome import Comparison, Row
from paraphrast.errors import unknown
from paraphrast.rewriting.sections import find_changes

LINES = 20  # on a page
ORDERS = {"disagreement": "where the systems disagree most", "line": "as in the source"}
LOWEST = "lowest:"  # before a system's name


@dataclass(frozen=True, slots=True)
class Span:
    """A span of an output; ``new`` if it is not in the source."""

    text: str
    new: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A metric's value for one line."""

    name: str
    value: float
    best: bool


@dataclass(frozen=True, slots=True)
class Output:
    """One column of one line."""

    name: str
    colour: int | None
    spans: tuple[Span, ...]
    values: tuple[Value, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source with each system's output."""

    number: int
    outputs: tuple[Output, ...]


@dataclass(frozen=True)
class View:
    """A view of a comparison.

    ``order`` is one of `ORDERS`, or ``lowest:SYSTEM``; ``kind`` and ``system`` choose
    the lines on which one kind of gaming was seen.
    """

    comparison: Comparison
    token: str
    order: str = "disagreement"
    blind: bool = False
    kind: str = ""
    system: str = ""
    page: int = 1

    def address(self, **changed: object) -> str:
        """Return the address of this view with something changed."""
        own = {
            "order": self.order,
            "blind": "1" if self.blind else "",
            "kind": self.kind,
            "system": self.system,
            "page": self.page,
        } | {"page": 1}
        query = {key: value for key, value in (own | changed).items() if value}
        return f"/compare/{self.token}?{urlencode(query)}"

    @property
    def heading(self) -> str:
        """Say what was compared; blind, without a name."""
        if not self.blind:
            return tables.write_heading(self.comparison)
        return f"{len(self.systems)} systems · {len(self.comparison.sources):,} lines"

    @property
    def main(self) -> int:
        """Return the index of the main metric."""
        names = [column.name for column in self.comparison.columns]
        return names.index(self.comparison.setting.main)

    @cached_property
    def systems(self) -> list[Row]:
        """Return the systems in the order of their columns."""
        systems = [row for row in self.comparison.rows if not row.control]
        if self.blind:
            random.Random(self.token).shuffle(systems)
        return systems

    @cached_property
    def columns(self) -> list[Row]:
        """Return the rows that are columns: COPY, the systems, REFERENCE."""
        named = {row.name: row for row in self.comparison.rows}
        ends = [[named[name]] if name in named else [] for name in (COPY, REFERENCE)]
        return [*ends[0], *self.systems, *ends[1]]

    def name(self, row: Row) -> str:
        """Return what a row is called."""
        if row.control or not self.blind:
            return row.name
        return f"System {ascii_uppercase[self.systems.index(row)]}"

    def orders(self) -> dict[str, str]:
        """Return the orders to choose from."""
        if self.blind:
            return ORDERS
        main = self.comparison.setting.main
        return ORDERS | {
            f"{LOWEST}{row.name}": f"lowest {main} of {row.name} first"
            for row in self.systems
        }

    @cached_property
    def chosen(self) -> list[int]:
        """Return the indices of the lines that are shown, in their order."""
        indices = list(range(len(self.comparison.sources)))
        if self.kind:
            numbers = self._find_row(self.system).panel[self.kind].lines
            indices = [number - 1 for number in numbers]
        if self.order == "disagreement":
            apart = self.comparison.disagreement(self.main)
            return sorted(indices, key=lambda index: -apart[index])
        if self.order.startswith(LOWEST) and not self.blind:
            row = self._find_row(self.order.removeprefix(LOWEST))
            values = row.cells[self.main].each
            return sorted(indices, key=lambda index: values[index])
        return indices

    @property
    def pages(self) -> int:
        """Return how many pages there are, at least one."""
        return max(1, -(-len(self.chosen) // LINES))

    def lines(self) -> Iterator[Line]:
        """Yield the lines of the page."""
        start = (min(self.page, self.pages) - 1) * LINES
        for index in self.chosen[start : start + LINES]:
            yield Line(index + 1, tuple(self._outputs(index)))

    def _outputs(self, index: int) -> Iterator[Output]:
        tops = [
            (max if column.higher_is_better else min)(
                row.cells[number].each[index] for row in self.systems
            )
            for number, column in enumerate(self.comparison.columns)
        ]
        for row in self.columns:
            source, output = self.comparison.sources[index], row.outputs[index]
            values = [
                Value(column.name, float(cell.each[index]), cell.each[index] == top)
                for column, cell, top in zip(
                    self.comparison.columns, row.cells, tops, strict=True
                )
            ]
            yield Output(
                self.name(row),
                None if self.blind else self.colour(row),
                tuple(_mark(source, output)),
                () if self.blind else tuple(values),
                tuple(f.kind for f in row.panel.findings if index + 1 in f.lines)
                if not row.control
                else (),
            )

    def colour(self, row: Row) -> int | None:
        """Return the number of a system's colour; yardsticks have none."""
        if row.control:
            return None
        systems = [r.name for r in self.comparison.rows if not r.control]
        return systems.index(row.name) % plots.COLOURS

    def _find_row(self, name: str) -> Row:
        named = {row.name: row for row in self.comparison.rows}
        if name not in named:
            raise unknown("system", name, named)
        return named[name]


def _mark(source: str, output: str) -> Iterator[Span]:
    """Cut an output into what its source has and what is new."""
    position = 0
    for change in find_changes(source, output, ""):
        yield Span(source[position : change.start])
        yield Span(change.after, new=True)
        position = change.end
    yield Span(source[position:])


def list_kinds(rows: Sequence[Row]) -> list[str]:
    """Return the kinds of gaming that were looked for."""
    return [finding.kind for finding in rows[0].panel.findings]
