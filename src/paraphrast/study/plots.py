"""Small plots as SVG files that stand alone: columns in groups, and dots by a line.

No library and no script. Every mark has a title to hover over or to be read aloud, and
the colours are told apart by people who see no red or no green.
"""

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#4477aa", "#ddcc77", "#cc6677", "#117733", "#88ccee")

_PLOT, _HEIGHT = 300, 200  # the drawing area of a panel
_LEFT, _TOP, _BOTTOM, _GAP = 46, 34, 70, 30
_COLUMN, _SPACE = 12, 14


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
    width = len(groups) * (len(series) * _COLUMN + _SPACE) + _SPACE
    body = [_legend(series)]
    for number, (title, values) in enumerate(panels.items()):
        left = _LEFT + number * (width + _GAP)
        body += [_title(title, left), *_scale(left, width, labelled=number == 0)]
        body.append(_text(axis, left + width / 2, _TOP + _HEIGHT + 32))
        for place, group in enumerate(groups):
            start = left + _SPACE + place * (len(series) * _COLUMN + _SPACE)
            middle = start + len(series) * _COLUMN / 2
            body.append(_text(group, middle, _TOP + _HEIGHT + 16))
            for index, name in enumerate(series):
                label = f"{title}, {group}, {name}"
                body.append(_column(values[name][place], start, index, label))
    total = _LEFT + len(panels) * (width + _GAP)
    return _document(total, body)


def recovery(
    points: Mapping[str, Sequence[tuple[float, float, float, float]]],
) -> str:
    """Draw what was found, with its interval, above what is true; both 0 to 1.

    A series has points (true, found, low, high); the line is where they are equal.
    """
    body = [_legend(list(points)), *_scale(_LEFT, _PLOT, labelled=True)]
    body.append(_text("true agreement", _LEFT + _PLOT / 2, _TOP + _HEIGHT + 32))
    body.append(_title("Ĉ", _LEFT))
    body.append(
        f'<line x1="{_LEFT}" y1="{_y(0.0):g}" x2="{_LEFT + _PLOT}" y2="{_y(1.0):g}" '
        'stroke="#999" stroke-dasharray="4 3"/>'
    )
    for step in range(0, 11, 2):
        x = _LEFT + _PLOT * step / 10
        body.append(_text(f"{step / 10:g}", x, _TOP + _HEIGHT + 16))
    for index, (name, series) in enumerate(points.items()):
        for true, found, low, high in series:
            x = _LEFT + _PLOT * true + (index - (len(points) - 1) / 2) * 6
            body.append(
                f'<g stroke="{COLOURS[index]}" fill="{COLOURS[index]}"><title>'
                f"{escape(name)}: true {true:.2f}, found {found:.3f} "
                f'[{low:.3f}, {high:.3f}]</title><line x1="{x:g}" x2="{x:g}" '
                f'y1="{_y(low):.1f}" y2="{_y(high):.1f}"/>'
                f'<circle cx="{x:g}" cy="{_y(found):.1f}" r="3"/></g>'
            )
    return _document(_LEFT + _PLOT + _GAP, body)


def _y(value: float) -> float:
    return _TOP + _HEIGHT * (1 - min(max(value, 0.0), 1.0))


def _column(value: float, start: float, index: int, label: str) -> str:
    top = _y(value)
    return (
        f'<rect x="{start + index * _COLUMN:g}" y="{top:.1f}" width="{_COLUMN - 1}" '
        f'height="{_TOP + _HEIGHT - top:.1f}" fill="{COLOURS[index]}">'
        f"<title>{escape(label)}: {value:.3f}</title></rect>"
    )


def _scale(left: float, width: float, *, labelled: bool) -> list[str]:
    marks = []
    for step in range(0, 11, 2):
        y = _y(step / 10)
        marks.append(
            f'<line x1="{left:g}" y1="{y:g}" x2="{left + width:g}" y2="{y:g}" '
            'stroke="#ddd"/>'
        )
        if labelled:
            marks.append(_text(f"{step / 10:g}", left - 16, y + 4))
    return marks


def _legend(names: Sequence[str]) -> str:
    marks, x = [], float(_LEFT)
    for index, name in enumerate(names):
        y = _TOP + _HEIGHT + 46
        marks.append(
            f'<rect x="{x:g}" y="{y}" width="10" height="10" fill="{COLOURS[index]}"/>'
            f'<text x="{x + 14:g}" y="{y + 9}">{escape(name)}</text>'
        )
        x += 34 + 7 * len(name)
    return "".join(marks)


def _title(text: str, left: float) -> str:
    return (
        f'<text x="{left:g}" y="{_TOP - 12}" font-weight="bold">{escape(text)}</text>'
    )


def _text(text: str, x: float, y: float) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle">{escape(text)}</text>'


def _document(width: float, body: Sequence[str]) -> str:
    height = _TOP + _HEIGHT + _BOTTOM
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" '
        f'width="{width:g}" height="{height}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )
