"""An alignment as the grid of COHN08 Figure 1: black for sure, grey for possible.

Source words go down, target words across. As SVG several alignments of one sentence
pair stand side by side, each with its title. In the terminal, a grid too wide is cut
into several.
"""

from collections.abc import Sequence
from html import escape
from unicodedata import category, east_asian_width

import regex

from paraphrast.align.base import AlignedPair, Link
from paraphrast.errors import ParaphrastError

CELL, GAP, LETTER, MARGIN = 20, 30, 8.0, 12
SURE, POSSIBLE, LINE = "#000000", "#a9a9a9", "#d0d0d0"
# In the terminal a cell is two characters wide, about as wide as it is high.
MARKS = {True: "██", False: "▒▒", None: "· "}


def svg(alignments: Sequence[AlignedPair], *, titles: Sequence[str] = ()) -> str:
    """Draw alignments of one sentence pair side by side, with a title each."""
    first, *others = alignments
    if any(
        (other.source, other.target) != (first.source, first.target) for other in others
    ):
        raise ParaphrastError(
            "cannot draw alignments of different sentence pairs side by side. Check "
            "that both files contain the same pairs."
        )
    left = MARGIN + max(map(_width, first.source), default=0) + 6
    top = MARGIN + max(map(_width, first.target), default=0) + 6
    top += 24 if titles else 0
    across, down = len(first.target) * CELL, len(first.source) * CELL
    width = left + len(alignments) * (across + GAP) - GAP + MARGIN
    height = top + down + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'font-family="Georgia, serif" font-size="14">',
        f"<title>{_xml(' '.join((*first.source, '–', *first.target)))}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        *_row_words(first, left, top),
    ]
    for number, pair in enumerate(alignments):
        x = left + number * (across + GAP)
        if titles:
            parts.append(
                f'<text x="{x + across / 2:.0f}" y="{MARGIN + 8}" '
                f'text-anchor="middle" font-weight="bold">{_xml(titles[number])}</text>'
            )
        parts += [*_column_words(pair, x, top), *_cells(pair, x, top)]
    return "\n".join([*parts, "</svg>", ""])


def text(pair: AlignedPair, *, width: int | None = None) -> str:
    """Draw an alignment in characters, in parts that are at most ``width`` wide."""
    label = max(map(_cells_wide, pair.source), default=0)
    most = len(pair.target)
    if width is not None:
        most = max(1, (width - label - 1) // 2)
    parts = [
        _text_part(pair, range(start, min(start + most, len(pair.target))), label)
        for start in range(0, len(pair.target), most or 1)
    ]
    return "\n\n".join(parts)


def _text_part(pair: AlignedPair, columns: range, label: int) -> str:
    marks = {(k.source, k.target): MARKS[k.sure] for k in pair.links}
    words = [regex.findall(r"\X", _printable(pair.target[j])) for j in columns]
    height = max(map(len, words), default=0)
    lines = []
    for level in range(height, 0, -1):
        # Words are read downwards and end at the grid.
        letters = (word[-level] if level <= len(word) else " " for word in words)
        row = "".join(_pad(letter, 2) for letter in letters)
        lines.append(" " * (label + 1) + row)
    for i, word in enumerate(pair.source):
        shown = _printable(word)
        row = "".join(marks.get((i, j), MARKS[None]) for j in columns)
        lines.append(f"{' ' * (label - _cells_wide(word))}{shown} {row}")
    return "\n".join(line.rstrip() for line in lines)


def _row_words(pair: AlignedPair, left: float, top: float) -> list[str]:
    return [
        f'<text x="{left - 6:.0f}" y="{top + (i + 0.7) * CELL:.0f}" '
        f'text-anchor="end">{_xml(word)}</text>'
        for i, word in enumerate(pair.source)
    ]


def _column_words(pair: AlignedPair, left: float, top: float) -> list[str]:
    positions = (left + (j + 0.7) * CELL for j in range(len(pair.target)))
    return [
        f'<text transform="translate({x:.0f} {top - 6:.0f}) rotate(-90)">'
        f"{_xml(word)}</text>"
        for x, word in zip(positions, pair.target, strict=True)
    ]


def _cells(pair: AlignedPair, left: float, top: float) -> list[str]:
    across, down = len(pair.target) * CELL, len(pair.source) * CELL
    rows = (top + i * CELL for i in range(len(pair.source) + 1))
    columns = (left + j * CELL for j in range(len(pair.target) + 1))
    lines = [f"M{left:.0f} {y:.0f}h{across}" for y in rows]
    lines += [f"M{x:.0f} {top:.0f}v{down}" for x in columns]
    return [
        *(_square(pair, link, left, top) for link in pair.links),
        f'<path d="{"".join(lines)}" stroke="{LINE}" fill="none"/>',
    ]


def _square(pair: AlignedPair, link: Link, left: float, top: float) -> str:
    label = "sure" if link.sure else "possible"
    words = f"{pair.source[link.source]} – {pair.target[link.target]}"
    return (
        f'<rect x="{left + link.target * CELL:.0f}" y="{top + link.source * CELL:.0f}" '
        f'width="{CELL}" height="{CELL}" fill="{SURE if link.sure else POSSIBLE}">'
        f"<title>{_xml(f'{words} ({label}, {link.probability:.2f})')}</title></rect>"
    )


def _width(word: str) -> float:
    return LETTER * _cells_wide(word)


def _cells_wide(word: str) -> int:
    letters = (c for c in _printable(word) if category(c) not in ("Mn", "Me"))
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in letters)


def _pad(letter: str, width: int) -> str:
    return letter + " " * max(0, width - _cells_wide(letter))


def _printable(word: str) -> str:
    """Replace what would steer a terminal or break an XML file."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in word)


def _xml(text: str) -> str:
    return escape(_printable(text))
