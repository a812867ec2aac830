"""Plots of a comparison as inline SVG: no library, no script, no outside resource.

Colours are CSS variables (``--s0`` …, ``--control``) of the page that holds the plot,
so that it follows the page into the dark. Every mark has a title to hover over or to
be read aloud.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape as _escape

from paraphrast.comparison.baselines import REFERENCE
from paraphrast.comparison.outcome import Cell, Comparison, Row
from paraphrast.comparison.tables import shortened

COLOURS = 10

_WIDTH, _HEIGHT = 520, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 18, 18, 44
_LETTER, _LINE = 6.3, 14.0  # what a letter and a line of a label need
_BAR = 26.0


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from values to places; what lies outside is drawn at its edge."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of a value."""
        clipped = min(max(value, self.low), self.high)
        share = (clipped - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return the round values to write along it."""
        step = _step((self.high - self.low) / 5)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that a label or a mark takes up."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Say whether the two share some place."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def printable(text: str) -> str:
    """Replace what a page cannot hold: NUL, control signs, half a surrogate pair."""
    return "".join(
        sign if sign.isprintable() or sign in "\t\n" else "\ufffd" for sign in text
    )


def escaped(text: str) -> str:
    """Make any text safe within HTML and SVG."""
    return _escape(printable(text))


def trade_offs(comparison: Comparison) -> list[tuple[int, int]]:
    """Choose the pairs of columns worth plotting against each other."""
    index = {column.name: number for number, column in enumerate(comparison.columns)}
    telling = [("acc", "sim"), ("pinc", "bleu"), ("gm", "j"), ("pinc", "chrf")]
    found = [(index[x], index[y]) for x, y in telling if x in index and y in index]
    if not found and len(index) > 1:
        found = [(1, 0)]
    return found[:3]


def scatter(comparison: Comparison, x: int, y: int) -> str:
    """Plot one metric against another: a cross of intervals for every row."""
    across = axis(comparison, x, _LEFT, _WIDTH - _RIGHT)
    up = axis(comparison, y, _HEIGHT - _BOTTOM, _TOP)
    names = comparison.columns[x].name, comparison.columns[y].name
    points = [
        (across.at(r.cells[x].value), up.at(r.cells[y].value)) for r in comparison.rows
    ]
    marks = [
        _point(comparison, row, (x, y), (across, up), point)
        for row, point in zip(comparison.rows, points, strict=True)
    ]
    labels = _labels([shortened(row.name, 22) for row in comparison.rows], points)
    return _svg(
        f"{names[1]} against {names[0]}",
        _HEIGHT,
        [*_grid(across, up), *_axis_names(comparison, x, y), *marks, *labels],
    )


def bars(comparison: Comparison, column: int) -> str:
    """Plot one metric as bars with their intervals, the best on top."""
    metric = comparison.columns[column]
    sign = -1 if metric.higher_is_better else 1
    ordered = sorted(comparison.rows, key=lambda row: sign * row.cells[column].value)
    height = _TOP + _BAR * len(ordered) + _BOTTOM
    left = 24 + _LETTER * max(len(shortened(row.name, 22)) for row in ordered)
    top = axis(comparison, column, left, _WIDTH - 60).high
    scale = Axis(
        min(0.0, *(r.cells[column].low for r in ordered)), top, left, _WIDTH - 60
    )
    parts = [
        f'<line class="grid" x1="{scale.at(t):.1f}" x2="{scale.at(t):.1f}" '
        f'y1="{_TOP}" y2="{height - _BOTTOM:.1f}"/>'
        f'<text class="tick" text-anchor="middle" x="{scale.at(t):.1f}" '
        f'y="{height - _BOTTOM + 16:.1f}">{t:g}</text>'
        for t in scale.ticks()
    ]
    for number, row in enumerate(ordered):
        parts.append(
            _one_bar(comparison, row, column, scale, _TOP + _BAR * (number + 0.5))
        )
    parts.append(
        f'<text class="axis" text-anchor="middle" x="{(left + _WIDTH - 60) / 2:.1f}" '
        f'y="{height - 6:.1f}">{escaped(_directed(comparison, column))}</text>'
    )
    return _svg(f"{metric.name} with 95% intervals", height, parts)


def colour(comparison: Comparison, row: Row) -> str:
    """Return the CSS colour of a row, the same in every plot and table."""
    if row.control:
        return "var(--control)"
    systems = [found.name for found in comparison.rows if not found.control]
    return f"var(--s{systems.index(row.name) % COLOURS})"


def axis(comparison: Comparison, column: int, start: float, end: float) -> Axis:
    """Return the scale on which a column's rows are best told apart."""
    # A reference held against itself scores 100 and would squeeze everything else
    # into a corner; when it lies far off, it is drawn at the edge.
    cells = [row.cells[column] for row in comparison.rows if row.name != REFERENCE]
    low, high = min(cell.low for cell in cells), max(cell.high for cell in cells)
    for row in comparison.rows:
        value = row.cells[column].value
        if row.name == REFERENCE and abs(value - (low + high) / 2) <= 2.0 * (
            high - low
        ):
            low, high = (
                min(low, row.cells[column].low),
                max(high, row.cells[column].high),
            )
    room = 0.08 * (high - low) or 1.0
    floor = low - room
    return Axis(0.0 if low >= 0 > floor else floor, high + room, start, end)


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * nice for nice in (1, 2, 5, 10) if power * nice >= rough * 0.999)


def _grid(across: Axis, up: Axis) -> list[str]:
    bottom, right = up.start, across.end
    vertical = [
        f'<line class="grid" x1="{across.at(t):.1f}" x2="{across.at(t):.1f}" '
        f'y1="{up.end:.1f}" y2="{bottom:.1f}"/>'
        f'<text class="tick" text-anchor="middle" x="{across.at(t):.1f}" '
        f'y="{bottom + 15:.1f}">{t:g}</text>'
        for t in across.ticks()
    ]
    horizontal = [
        f'<line class="grid" x1="{across.start:.1f}" x2="{right:.1f}" '
        f'y1="{up.at(t):.1f}" y2="{up.at(t):.1f}"/>'
        f'<text class="tick" text-anchor="end" x="{across.start - 7:.1f}" '
        f'y="{up.at(t) + 4:.1f}">{t:g}</text>'
        for t in up.ticks()
    ]
    return vertical + horizontal


def _axis_names(comparison: Comparison, x: int, y: int) -> list[str]:
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    centre = (_LEFT + _WIDTH - _RIGHT) / 2
    return [
        f'<text class="axis" text-anchor="middle" x="{centre:.1f}" '
        f'y="{_HEIGHT - 6}">{escaped(_directed(comparison, x))}</text>',
        f'<text class="axis" text-anchor="middle" '
        f'transform="translate(13 {middle:.1f}) rotate(-90)">'
        f"{escaped(_directed(comparison, y))}</text>",
    ]


def _directed(comparison: Comparison, column: int) -> str:
    metric = comparison.columns[column]
    return (
        f"{metric.name} ({'higher' if metric.higher_is_better else 'lower'} is better)"
    )


def _point(
    comparison: Comparison,
    row: Row,
    columns: tuple[int, int],
    axes: tuple[Axis, Axis],
    point: tuple[float, float],
) -> str:
    (across, up), (x, y) = axes, point
    first, second = row.cells[columns[0]], row.cells[columns[1]]
    paint = colour(comparison, row)
    shape = (
        f'<path d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z" class="control"/>'
        if row.control
        else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{paint}"/>'
    )
    told = "; ".join(
        _told(comparison.columns[number].name, cell)
        for number, cell in zip(columns, (first, second), strict=True)
    )
    return (
        f'<g class="mark" tabindex="0"><title>{escaped(f"{row.name}: {told}")}</title>'
        f'<path class="whisker" stroke="{paint}" d="M{across.at(first.low):.1f} {y:.1f}'
        f"H{across.at(first.high):.1f}M{x:.1f} {up.at(second.low):.1f}"
        f'V{up.at(second.high):.1f}"/>{shape}</g>'
    )


def _one_bar(
    comparison: Comparison, row: Row, column: int, scale: Axis, middle: float
) -> str:
    cell = row.cells[column]
    zero, end = scale.at(0.0), scale.at(cell.value)
    paint = colour(comparison, row)
    beyond = "→ " if cell.value > scale.high else ""
    kind = "bar control-bar" if row.control else "bar"
    return (
        f'<g class="mark" tabindex="0"><title>{escaped(row.name)}: '
        f"{escaped(_told(comparison.columns[column].name, cell))}</title>"
        f'<text class="label" text-anchor="end" x="{scale.start - 8:.1f}" '
        f'y="{middle + 4:.1f}">{escaped(shortened(row.name, 22))}</text>'
        f'<rect class="{kind}" fill="{paint}" x="{min(zero, end):.1f}" '
        f'y="{middle - 8:.1f}" width="{abs(end - zero):.1f}" height="16" rx="2"/>'
        f'<path class="over" d="M{scale.at(cell.low):.1f} {middle:.1f}'
        f'H{scale.at(cell.high):.1f}"/>'
        f'<text class="value" x="{max(zero, scale.at(cell.high)) + 6:.1f}" '
        f'y="{middle + 4:.1f}">{beyond}{cell.value:.1f}</text></g>'
    )


def _told(name: str, cell: Cell) -> str:
    return f"{name} {cell.value:.2f} [{cell.low:.2f}, {cell.high:.2f}]"


def _labels(names: Sequence[str], points: Sequence[tuple[float, float]]) -> list[str]:
    taken = [Box(x - 7, y - 7, x + 7, y + 7) for x, y in points]
    shown = []
    for name, (x, y) in zip(names, points, strict=True):
        box = _place(_LETTER * len(name), x, y, taken)
        taken.append(box)
        shown.append(
            f'<text class="label" x="{box.left:.1f}" y="{box.bottom - 3.5:.1f}">'
            f"{escaped(name)}</text>"
        )
    return shown


def _place(width: float, x: float, y: float, taken: Sequence[Box]) -> Box:
    """Find room for a label near its point: the first of a few places that is free."""
    half = _LINE / 2
    places: list[Callable[[float], tuple[float, float]]] = [
        lambda shift: (x + 9, y - half + shift),
        lambda shift: (x - 9 - width, y - half + shift),
        lambda shift: (x - width / 2, y - 9 - _LINE + shift),
        lambda shift: (x - width / 2, y + 9 + shift),
    ]
    boxes = [
        Box(left, top, left + width, top + _LINE)
        for shift in (0, -_LINE, _LINE, -2 * _LINE, 2 * _LINE)
        for left, top in (place(shift) for place in places)
    ]
    page = Box(_LEFT, _TOP - 8, _WIDTH - 2, _HEIGHT - _BOTTOM)
    inside = [
        box
        for box in boxes
        if box.left >= page.left
        and box.right <= page.right
        and box.top >= page.top
        and box.bottom <= page.bottom
    ]
    free = [box for box in inside if not any(box.meets(other) for other in taken)]
    return next(iter(free or inside or boxes))


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg class="plot" role="group" viewBox="0 0 {_WIDTH} {height:.0f}" '
        f'aria-label="{escaped(title)}">{"".join(parts)}</svg>'
    )
