"""Charts as standalone SVG files: panels of dots and curves, and of columns.

`paraphrast.estimators.charts` has the parts, and the conventions of every chart.
"""

from collections.abc import Mapping, Sequence

from paraphrast.estimators.charts import (
    COLOURS,
    Axis,
    Point,
    axis_around,
    draw_points,
    escape_markup,
    horizontal_grid,
    standalone,
    text,
)

_SIZE, _LEFT, _TOP, _GAP, _BOTTOM = 330, 54, 40, 60, 46
_HEIGHT, _COLUMN, _SPACE = 200, 12, 14


def scatter(panels: Mapping[str, Sequence[Point]], *, across: str, up: str) -> str:
    """Draw panels side by side, each with its own scales."""
    body = []
    for number, (title, points) in enumerate(panels.items()):
        left = _LEFT + number * (_SIZE + _GAP)
        horizontal = _spanning_axis(points, "across", left, left + _SIZE)
        vertical = _spanning_axis(points, "up", _TOP + _SIZE, _TOP)
        body.append(text(title, left, _TOP - 16, kind="title"))
        body += draw_points(points, (horizontal, vertical), (across, up))
    width = _LEFT + len(panels) * (_SIZE + _GAP)
    return standalone(width, _TOP + _SIZE + _BOTTOM, f"{up} against {across}", body)


def columns(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    groups: Sequence[str],
    axis: str,
) -> str:
    """Draw panels side by side, each with columns of 0 to 1 for every group.

    A panel maps the name of a series to its value in each group; ``axis`` says what
    the groups are.
    """
    series = list(next(iter(panels.values())))
    step = len(series) * _COLUMN + _SPACE
    width = len(groups) * step + _SPACE
    up = Axis(0.0, 1.0, _TOP + _HEIGHT, _TOP)
    body = _legend(series)
    for number, (title, values) in enumerate(panels.items()):
        left = _LEFT + number * (width + _GAP / 2)
        body.append(text(title, left, _TOP - 16, kind="title"))
        body += horizontal_grid(up, left, left + width, labelled=number == 0)
        body.append(text(axis, left + width / 2, up.start + 32, anchor="middle"))
        for index, group in enumerate(groups):
            start = left + _SPACE + index * step
            middle = start + len(series) * _COLUMN / 2
            body.append(text(group, middle, up.start + 16, anchor="middle"))
            for offset, name in enumerate(series):
                told = f"{title}, {group}, {name}: {values[name][index]:.3f}"
                top = up.at(values[name][index])
                body.append(
                    f'<rect x="{start + offset * _COLUMN:g}" y="{top:.1f}" '
                    f'width="{_COLUMN - 1}" height="{up.start - top:.1f}" '
                    f'fill="{_colour(offset)}"><title>{escape_markup(told)}</title></rect>'
                )
    total = _LEFT + len(panels) * (width + _GAP / 2)
    return standalone(total, _TOP + _HEIGHT + 70, f"columns by {axis}", body)


def _spanning_axis(
    points: Sequence[Point], side: str, start: float, end: float
) -> Axis:
    """Return the axis that shows all values of a side and their intervals."""
    values = [getattr(point, side) for point in points]
    for point in points:
        values += getattr(point, f"{side}_interval") or ()
    return axis_around(min(values), max(values), start, end)


def _legend(names: Sequence[str]) -> list[str]:
    parts, x, y = [], float(_LEFT), _TOP + _HEIGHT + 46
    for index, name in enumerate(names):
        parts.append(
            f'<rect x="{x:g}" y="{y}" width="10" height="10" fill="{_colour(index)}"/>'
            + text(name, x + 14, y + 9)
        )
        x += 34 + 7 * len(name)
    return parts


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]
