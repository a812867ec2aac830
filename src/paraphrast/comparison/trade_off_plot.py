"""Closeness against change as an SVG file that stands alone (XU12, Figures 1 and 4).

Each system is a dot at its PINC (how much it changed) and BLEU (how close it came to
the reference), and systems that are one system at several settings are joined by a
line. No library and no script; every mark has a title to hover over or be read aloud.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from paraphrast.comparison.plots import Box

COLOURS = ("#4477aa", "#cc6677", "#117733", "#aa3377", "#000000", "#997700")

_SIZE, _LEFT, _TOP, _GAP, _BOTTOM = 330, 54, 40, 60, 46
_LETTER, _LINE = 6.0, 12.0  # what a letter and a line of a label need
_LABEL = 10


@dataclass(frozen=True, slots=True)
class Point:
    """A system's name, its place across and up, and which curve it belongs to."""

    name: str
    across: float
    up: float
    curve: str = ""


def plot(panels: Mapping[str, Sequence[Point]], *, across: str, up: str) -> str:
    """Draw panels side by side, each with its own scales."""
    body = []
    for number, (title, points) in enumerate(panels.items()):
        left = _LEFT + number * (_SIZE + _GAP)
        body += _panel(title, points, left=left, names=(across, up))
    width = _LEFT + len(panels) * (_SIZE + _GAP)
    height = _TOP + _SIZE + _BOTTOM
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12" '
        f'role="img" aria-label="{escape(up)} against {escape(across)}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    step: float
    high: float

    @classmethod
    def around(cls, values: Sequence[float]) -> "_Scale":
        low, high = min(values), max(values)
        room = max(high - low, 1.0) * 0.08
        power = 10.0 ** math.floor(math.log10((high - low + 2 * room) / 4))
        wanted = (high - low + 2 * room) / 6
        step = next(power * s for s in (0.5, 1, 2, 5, 10) if power * s >= wanted)
        first = math.floor((low - room) / step) * step
        if low >= 0:
            first = max(first, 0.0)
        return cls(first, step, math.ceil((high + room) / step) * step)

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        count = round((self.high - self.low) / self.step)
        return [self.low + number * self.step for number in range(count + 1)]


def _panel(
    title: str, points: Sequence[Point], *, left: float, names: tuple[str, str]
) -> list[str]:
    x, y = (
        _Scale.around([getattr(point, side) for point in points])
        for side in ("across", "up")
    )
    placed = [
        (left + _SIZE * x.share(p.across), _TOP + _SIZE * (1 - y.share(p.up)))
        for p in points
    ]
    curves = list(dict.fromkeys(point.curve for point in points))
    colours = {c: COLOURS[i % len(COLOURS)] for i, c in enumerate(curves)}
    parts = [_text(title, left, _TOP - 16, bold=True), *_grid(x, y, left, names)]
    for curve in filter(None, curves):
        line = [
            spot for p, spot in zip(points, placed, strict=True) if p.curve == curve
        ]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in line)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colours[curve]}" '
            'stroke-width="1.5"/>'
        )
    for point, (a, b) in zip(points, placed, strict=True):
        parts.append(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colours[point.curve]}">'
            f"<title>{escape(point.name)}: {escape(names[0])} {point.across:.2f}, "
            f"{escape(names[1])} {point.up:.2f}</title></circle>"
        )
    return parts + _labels([point.name for point in points], placed, left)


def _grid(x: _Scale, y: _Scale, left: float, names: tuple[str, str]) -> list[str]:
    bottom = _TOP + _SIZE
    parts = []
    for tick in x.ticks():
        place = left + _SIZE * x.share(tick)
        parts.append(_rule(place, _TOP, place, bottom))
        parts.append(_text(f"{tick:g}", place, bottom + 16, anchor="middle"))
    for tick in y.ticks():
        place = bottom - _SIZE * y.share(tick)
        parts.append(_rule(left, place, left + _SIZE, place))
        parts.append(_text(f"{tick:g}", left - 6, place + 4, anchor="end"))
    parts.append(_text(names[0], left + _SIZE / 2, bottom + 34, anchor="middle"))
    parts.append(_text(names[1], left - 6, _TOP - 16, anchor="end"))
    return parts


def _labels(
    names: Sequence[str], places: Sequence[tuple[float, float]], left: float
) -> list[str]:
    """Write each name beside its dot, or away from it at the end of a line."""
    right = left + _SIZE + _GAP - 8
    taken = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    parts = []
    for name, (x, y) in sorted(zip(names, places, strict=True), key=lambda n: n[1][1]):
        if not name:
            continue
        options = _spots(x, y, _LETTER * len(name))
        inside = [box for box in options if left < box.left and box.right < right]
        free = (b for b in inside if not any(b.meets(other) for other in taken))
        box = next(free, inside[0] if inside else options[0])
        taken.append(box)
        parts.append(_text(name, box.left, box.bottom - 3, size=_LABEL))
        if abs(box.bottom - _LINE / 2 - y) > _LINE:
            end = min(max(x, box.left), box.right)
            parts.append(_rule(x, y, end, box.top if box.top > y else box.bottom))
    return parts


def _spots(x: float, y: float, width: float) -> list[Box]:
    """Return where a dot's label may stand: beside it first, then further away."""
    spots = []
    for step in range(12):
        for away in (step, -step) if step else (0,):
            line = y + away * _LINE
            for start in (x + 7, x - 7 - width):
                spots.append(
                    Box(start, line - _LINE / 2, start + width, line + _LINE / 2)
                )
    return spots


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'
    )


def _text(
    text: str,
    x: float,
    y: float,
    *,
    anchor: str = "start",
    size: int = 12,
    bold: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
        f"{weight}>{escape(text)}</text>"
    )
