"""Plots of a comparison as inline SVG, for an HTML page.

Colours are CSS variables (``--s0`` …, ``--control``) of the page, so that a plot
follows its dark mode. `paraphrast.estimators.charts` draws.
"""

from paraphrast.comparison.baselines import REFERENCE
from paraphrast.comparison.outcome import Cell, Comparison, Row
from paraphrast.estimators import charts
from paraphrast.estimators.charts import Axis, Point, escape_markup

COLOURS = 10

_WIDTH, _HEIGHT = 520, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 42, 18, 44
_BAR = 26.0


def trade_offs(comparison: Comparison) -> list[tuple[int, int]]:
    """Choose the pairs of columns worth plotting against each other."""
    index = {column.name: number for number, column in enumerate(comparison.columns)}
    telling = [
        ("acc", "sim_reference"),
        ("acc", "sim_source"),
        ("pinc", "bleu"),
        ("gm", "j"),
        ("pinc", "chrf"),
    ]
    pairs = [(index[x], index[y]) for x, y in telling if x in index and y in index]
    if not pairs and len(index) > 1:
        pairs = [(1, 0)]
    return pairs[:3]


def scatter(comparison: Comparison, x: int, y: int) -> str:
    """Plot one metric against another: a cross of intervals for every row."""
    axes = (
        axis(comparison, x, _LEFT, _WIDTH - _RIGHT),
        axis(comparison, y, _HEIGHT - _BOTTOM, _TOP),
    )
    names = comparison.columns[x].name, comparison.columns[y].name
    points = [
        Point(
            row.name,
            row.cells[x].value,
            row.cells[y].value,
            across_interval=(row.cells[x].low, row.cells[x].high),
            up_interval=(row.cells[y].low, row.cells[y].high),
            colour=colour(comparison, row),
            diamond=bool(row.control),
        )
        for row in comparison.rows
    ]
    labels = _label_axis(comparison, x), _label_axis(comparison, y)
    title = f"{names[1]} against {names[0]}"
    parts = charts.draw_points(points, axes, names, labels)
    return charts.picture(_WIDTH, _HEIGHT, title, parts)


def bars(comparison: Comparison, column: int) -> str:
    """Plot one metric as bars with their intervals, the best on top."""
    metric = comparison.columns[column]
    sign = -1 if metric.higher_is_better else 1
    ordered = sorted(comparison.rows, key=lambda row: sign * row.cells[column].value)
    height = _TOP + _BAR * len(ordered) + _BOTTOM
    left = 24 + charts.LETTER * max(len(charts.shorten(row.name)) for row in ordered)
    right = _WIDTH - 60
    top = axis(comparison, column, left, right).high
    scale = Axis(min(0.0, *(r.cells[column].low for r in ordered)), top, left, right)
    parts = charts.vertical_grid(scale, _TOP, height - _BOTTOM)
    for number, row in enumerate(ordered):
        middle = _TOP + _BAR * (number + 0.5)
        parts.append(_bar(comparison, row, column, scale, middle))
    label = _label_axis(comparison, column)
    parts.append(charts.text(label, (left + right) / 2, height - 6, anchor="middle"))
    return charts.picture(_WIDTH, height, f"{metric.name} with 95% intervals", parts)


def colour(comparison: Comparison, row: Row) -> str:
    """Return the CSS colour of a row, the same in every plot and table."""
    if row.control:
        return "var(--control)"
    systems = [other.name for other in comparison.rows if not other.control]
    return f"var(--s{systems.index(row.name) % COLOURS})"


def axis(comparison: Comparison, column: int, start: float, end: float) -> Axis:
    """Return the scale that best separates a column's rows."""
    # A reference held against itself scores 100 and would squeeze everything else
    # into a corner; when it lies far off, it is drawn at the edge.
    cells = [row.cells[column] for row in comparison.rows if row.name != REFERENCE]
    low, high = min(cell.low for cell in cells), max(cell.high for cell in cells)
    for row in comparison.rows:
        cell = row.cells[column]
        near = abs(cell.value - (low + high) / 2) <= 2.0 * (high - low)
        if row.name == REFERENCE and near:
            low, high = min(low, cell.low), max(high, cell.high)
    return charts.axis_around(low, high, start, end)


def _label_axis(comparison: Comparison, column: int) -> str:
    metric = comparison.columns[column]
    better = "higher" if metric.higher_is_better else "lower"
    return f"{metric.name} ({better} is better)"


def _bar(
    comparison: Comparison, row: Row, column: int, scale: Axis, middle: float
) -> str:
    cell = row.cells[column]
    zero, end = scale.at(0.0), scale.at(cell.value)
    beyond = "→ " if cell.value > scale.high else ""
    kind = "bar control-bar" if row.control else "bar"
    description = _describe_cell(comparison.columns[column].name, cell)
    short, left = charts.shorten(row.name), scale.start - 8
    name = charts.text(short, left, middle + 4, kind="label", anchor="end")
    value = charts.text(
        f"{beyond}{cell.value:.1f}",
        max(zero, scale.at(cell.high)) + 6,
        middle + 4,
        kind="value",
    )
    title = escape_markup(f"{row.name}: {description}")
    return (
        f'<g class="mark" tabindex="0"><title>{title}</title>'
        f'{name}<rect class="{kind}" fill="{colour(comparison, row)}" '
        f'x="{min(zero, end):.1f}" y="{middle - 8:.1f}" width="{abs(end - zero):.1f}" '
        f'height="16" rx="2"/><path class="over" d="M{scale.at(cell.low):.1f} '
        f'{middle:.1f}H{scale.at(cell.high):.1f}"/>{value}</g>'
    )


def _describe_cell(name: str, cell: Cell) -> str:
    return f"{name} {cell.value:.2f} [{cell.low:.2f}, {cell.high:.2f}]"
