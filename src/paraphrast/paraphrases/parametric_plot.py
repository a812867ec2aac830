"""LB-Precision against Rel-Recall as an SVG file that stands alone.

No library and no script. Each method is a line from its likeliest paraphrases, on the
left, to all of them, where it ends in a dot; every line has a title to hover over or
to be read aloud, and the colours are told apart by people who see no red or no green.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from paraphrast.paraphrases.parametric_curves import Curve

COLOURS = ("#4477aa", "#ee8866", "#228833", "#aa3377", "#000000", "#66ccee", "#bbbbbb")

_WIDTH, _HEIGHT = 620, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 170, 30, 48
_POINTS = 200
_STEPS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
_FIRST = 100  # a precision over fewer proposals is noise


def plot(curves: Mapping[str, Curve], *, title: str) -> str:
    """Draw a line a method."""
    shown = {name: _thinned(curve) for name, curve in curves.items()}
    every = [point for points in shown.values() for point in points]
    across = _nice(max((recall for recall, _ in every), default=0.0))
    up = _nice(max((precision for _, precision in every), default=0.0))
    body = [_text(title, _LEFT, 18, bold=True), *_grid(across, up)]
    for number, (name, points) in enumerate(shown.items()):
        body.append(_line(name, points, (across, up), COLOURS[number % len(COLOURS)]))
        body.append(_legend(name, number))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="12" '
        f'role="img" aria-label="{escape(title)}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def _thinned(curve: Curve) -> list[tuple[float, float]]:
    """Return points evenly spread over recall; a curve can have thousands."""
    if not len(curve.recall):
        return []
    enough = curve.proposed >= min(_FIRST, curve.proposed[-1])
    recall, precision = curve.recall[enough], curve.precision[enough]
    places = np.linspace(recall[0], recall[-1], _POINTS)
    chosen = np.unique(np.minimum(np.searchsorted(recall, places), len(recall) - 1))
    return list(zip(recall[chosen].tolist(), precision[chosen].tolist(), strict=True))


def _nice(value: float) -> float:
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in _STEPS if power * step >= value)


def _at(point: tuple[float, float], most: tuple[float, float]) -> tuple[float, float]:
    across, up = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    return (
        _LEFT + across * point[0] / most[0],
        _HEIGHT - _BOTTOM - up * point[1] / most[1],
    )


def _grid(across: float, up: float) -> list[str]:
    marks = []
    for step in range(6):
        x, y = _at((across * step / 5, up * step / 5), (across, up))
        marks += [
            f'<path stroke="#ddd" d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}'
            f'M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>',
            _text(f"{across * step / 5:.3g}", x, _HEIGHT - _BOTTOM + 16, "middle"),
            _text(f"{up * step / 5:.3g}", _LEFT - 6, y + 4, "end"),
        ]
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    marks.append(
        _text("Rel-Recall", (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, "middle")
    )
    marks.append(
        f'<text text-anchor="middle" transform="translate(16 {middle:.0f}) '
        'rotate(-90)">LB-Precision</text>'
    )
    return marks


def _line(
    name: str,
    points: Sequence[tuple[float, float]],
    most: tuple[float, float],
    colour: str,
) -> str:
    if not points:
        return ""
    places = [_at(point, most) for point in points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    recall, precision = points[-1]
    told = f"{name}: in all LB-Precision {precision:.3f}, Rel-Recall {recall:.3f}"
    return (
        f'<g><title>{escape(told)}</title><path fill="none" stroke="{colour}" '
        f'stroke-width="2" d="{path}"/><circle cx="{places[-1][0]:.1f}" '
        f'cy="{places[-1][1]:.1f}" r="3.5" fill="{colour}"/></g>'
    )


def _legend(name: str, number: int) -> str:
    x, y = _WIDTH - _RIGHT + 14, _TOP + 14 + 20 * number
    colour = COLOURS[number % len(COLOURS)]
    return (
        f'<path stroke="{colour}" stroke-width="3" d="M{x} {y}h18"/>'
        f"{_text(name, x + 24, y + 4)}"
    )


def _text(
    text: str, x: float, y: float, anchor: str = "start", *, bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>'
        f"{escape(text)}</text>"
    )
