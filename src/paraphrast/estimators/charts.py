"""Parts of charts as SVG without a library or a script: axes, dots, curves, labels.

They are for pages with a style sheet, whose classes the marks use; `standalone` writes
a separate file. Every mark has a title for hovering and for screen readers, and the
colours are safe for colour-blind readers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape as _escape

COLOURS = ("#4477aa", "#cc6677", "#117733", "#aa3377", "#000000", "#997700", "#88ccee",
           "#332288", "#ee8866", "#aaaaaa")  # fmt: skip
LETTER, LINE = 6.3, 14.0  # width of a letter and height of a line of a label
LABEL = 22  # letters
STYLE = (
    ".grid,.leader{stroke:#ddd}.curve,.whisker{fill:none;stroke-width:1.5}"
    ".tick,.label{font-size:10px}.title{font-weight:bold}"
)

ROOM = 30.0  # to the right of a panel, for labels


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from values to positions; values outside it are drawn at its edge."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value."""
        clipped = min(max(value, self.low), self.high)
        share = (clipped - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return the round values to write along it."""
        step = _round_step((self.high - self.low) / 5)
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
        """Say whether the two overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: "Box") -> bool:
        """Say whether the other lies inside this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


@dataclass(frozen=True, slots=True)
class Point:
    """A named dot; dots of one curve are joined by a line.

    A point without a name only bends its curve. Intervals are drawn as whiskers. The
    name is written beside the dot unless ``label`` is false.
    """

    name: str
    across: float
    up: float
    curve: str = ""
    across_interval: tuple[float, float] | None = None
    up_interval: tuple[float, float] | None = None
    colour: str = ""
    diamond: bool = False
    label: bool = True


def axis_around(low: float, high: float, start: float, end: float) -> Axis:
    """Return an axis with some padding around the values, but not past 0."""
    room = 0.08 * (high - low) or 1.0
    return Axis(0.0 if low >= 0 > low - room else low - room, high + room, start, end)


def draw_points(
    points: Sequence[Point],
    axes: tuple[Axis, Axis],
    names: tuple[str, str],
    labels: tuple[str, str] | None = None,
) -> list[str]:
    """Return the grid, the curves, the dots and their labels of one panel.

    ``names`` are the quantities; ``labels``, if given, are written along the axes
    instead.
    """
    across, up = axes
    horizontal, vertical = labels or names
    parts = [
        *vertical_grid(across, up.end, up.start),
        *horizontal_grid(up, across.start, across.end),
        text(
            horizontal, (across.start + across.end) / 2, up.start + 34, anchor="middle"
        ),
        f'<text class="axis" text-anchor="middle" transform="translate('
        f"{across.start - 39:.1f} {(up.start + up.end) / 2:.1f}) rotate(-90)"
        f'">{escape_markup(vertical)}</text>',
    ]
    spots = [(across.at(p.across), up.at(p.up)) for p in points]
    curves = list(dict.fromkeys(point.curve for point in points))
    colours = {c: COLOURS[i % len(COLOURS)] for i, c in enumerate(curves)}
    for curve in filter(None, curves):
        path = " ".join(
            f"{x:.1f},{y:.1f}"
            for point, (x, y) in zip(points, spots, strict=True)
            if point.curve == curve
        )
        colour = colours[curve]
        parts.append(f'<polyline class="curve" stroke="{colour}" points="{path}"/>')
    named = [(p, spot) for p, spot in zip(points, spots, strict=True) if p.name]
    for point, spot in named:
        colour = point.colour or colours[point.curve]
        parts.append(_mark(point, spot, axes, names, colour))
    page = Box(across.start, up.end - 8, across.end + ROOM, up.start)
    return parts + _labels(named, page)


def text(
    words: str, x: float, y: float, *, kind: str = "axis", anchor: str = "start"
) -> str:
    """Return a text at a position; ``kind`` is its class."""
    return (
        f'<text class="{kind}" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">'
        f"{escape_markup(words)}</text>"
    )


def picture(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """Return a chart for a page that has a style sheet."""
    return (
        f'<svg class="plot" role="group" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'aria-label="{escape_markup(title)}">{"".join(parts)}</svg>'
    )


def standalone(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """Return a chart as a file that needs no style sheet."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="{escape_markup(title)}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )


def shorten(name: str, limit: int = LABEL) -> str:
    """Shorten a long name in the middle, so that its ends remain distinctive."""
    half = (limit - 1) // 2
    return name if len(name) <= limit else f"{name[: limit - 1 - half]}…{name[-half:]}"


def printable(words: str) -> str:
    """Replace NUL, control characters and unpaired surrogates."""
    return "".join(
        sign if sign.isprintable() or sign in "\t\n" else "\ufffd" for sign in words
    )


def escape_markup(words: str) -> str:
    """Make any text safe within HTML and SVG."""
    return _escape(printable(words))


def vertical_grid(across: Axis, top: float, bottom: float) -> list[str]:
    """Return a line and its value for every tick of a horizontal axis."""
    return [
        f'<path class="grid" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
        + text(f"{tick:g}", x, bottom + 16, kind="tick", anchor="middle")
        for tick, x in ((tick, across.at(tick)) for tick in across.ticks())
    ]


def horizontal_grid(
    up: Axis, left: float, right: float, *, labelled: bool = True
) -> list[str]:
    """Return a line and, if asked, its value for every tick of a vertical axis."""
    return [
        f'<path class="grid" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
        + (
            text(f"{tick:g}", left - 6, y + 4, kind="tick", anchor="end")
            if labelled
            else ""
        )
        for tick, y in ((tick, up.at(tick)) for tick in up.ticks())
    ]


def _mark(
    point: Point,
    spot: tuple[float, float],
    axes: tuple[Axis, Axis],
    names: tuple[str, str],
    colour: str,
) -> str:
    x, y = spot
    values = (point.across, point.up)
    intervals = (point.across_interval, point.up_interval)
    told = ", ".join(
        f"{name} {value:.2f}" + (f" [{ends[0]:.2f}, {ends[1]:.2f}]" if ends else "")
        for name, value, ends in zip(names, values, intervals, strict=True)
    )
    whiskers = ""
    if intervals[0]:
        left, right = map(axes[0].at, intervals[0])
        whiskers += f"M{left:.1f} {y:.1f}H{right:.1f}"
    if intervals[1]:
        bottom, top = map(axes[1].at, intervals[1])
        whiskers += f"M{x:.1f} {bottom:.1f}V{top:.1f}"
    drawn = f'<path class="whisker" stroke="{colour}" d="{whiskers}"/>'
    shape = (
        f'<path class="control" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'
        if point.diamond
        else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    )
    return (
        f'<g class="mark" tabindex="0"><title>{escape_markup(f"{point.name}: {told}")}'
        f"</title>{drawn if whiskers else ''}{shape}</g>"
    )


def _labels(named: Sequence[tuple[Point, tuple[float, float]]], page: Box) -> list[str]:
    """Write each name beside its dot, or further away with a leader line."""
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for _, (x, y) in named]
    parts = []
    for point, (x, y) in sorted(named, key=lambda dot: dot[1][1]):
        if not point.label:
            continue
        name = shorten(point.name)
        options = _label_boxes(x, y, LETTER * len(name))
        inside = [box for box in options if page.holds(box)] or options
        free = (box for box in inside if not any(box.meets(other) for other in taken))
        box = next(free, inside[0])
        taken.append(box)
        parts.append(text(name, box.left, box.bottom - 3.5, kind="label"))
        if abs(box.bottom - LINE / 2 - y) > LINE:
            end = min(max(x, box.left), box.right)
            edge = box.top if box.top > y else box.bottom
            parts.append(
                f'<path class="leader" d="M{x:.1f} {y:.1f}L{end:.1f} {edge:.1f}"/>'
            )
    return parts


def _label_boxes(x: float, y: float, width: float) -> list[Box]:
    """Return where a dot's label may stand: beside it first, then further away."""
    return [
        Box(start, middle - LINE / 2, start + width, middle + LINE / 2)
        for step in range(12)
        for middle in dict.fromkeys((y + step * LINE, y - step * LINE))
        for start in (x + 8, x - 8 - width)
    ]


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * nice for nice in (1, 2, 5, 10) if power * nice >= rough * 0.999)
