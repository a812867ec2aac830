"""Write random rewrites of each style into a file, to be read by people.

Sources are held-out lines of the other styles, drawn by a seed and rewritten as a
user's text is, with repairs, guards and all search attempts. Text that comes back
unchanged is shown with the reason.

Run    python -m training.rewriter.reading_sample PACK --styles FOLDER -n 50 -o FILE.md
Needs  STYLE.dev.txt of style_texts.py
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.rewriting import offers
from training.rewriter.workspace import read_rows
from training.styles import STYLES

FEWEST_WORDS = 4  # of a line with enough content


@dataclass(frozen=True)
class Line:
    """A held-out line and the style it is of."""

    style: str
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack")
    parser.add_argument("--styles", type=Path, required=True)
    parser.add_argument("--to", nargs="+", choices=STYLES, default=STYLES)
    parser.add_argument("-n", "--number", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    parts = []
    for style in options.to:
        drawn = sources(options.styles, style, options.number, options.seed)
        parts += page(options.pack, style, drawn)
    options.output.write_text("\n".join(parts) + "\n", encoding="utf-8")


def sources(folder: Path, style: str, number: int, seed: int) -> list[Line]:
    """Draw lines of the other styles in turn, without repetition."""
    draw = random.Random(f"{seed}:{style}")
    others = [other for other in STYLES if other != style]
    waiting = {other: list(able(folder / f"{other}.dev.txt")) for other in others}
    for texts in waiting.values():
        draw.shuffle(texts)
    result = [
        Line(other, texts[index])
        for index in range(max(map(len, waiting.values())))
        for other, texts in waiting.items()
        if index < len(texts)
    ]
    return result[:number]


def able(path: Path) -> Iterator[str]:
    return (text for text in read_rows(path) if len(text.split()) >= FEWEST_WORDS)


def page(pack: str, style: str, drawn: Sequence[Line]) -> list[str]:
    """Return the Markdown of one style's rewrites."""
    rewriter = offers.load_pack(pack, to=style)
    result = rewriter.rewrite([line.text for line in drawn])
    parts = [f"## {style}", ""]
    for number, (line, rewrite) in enumerate(zip(drawn, result, strict=True), start=1):
        shown = f"(unchanged: {rewrite.why})" if rewrite.why else rewrite.text
        parts += [f"{number}. [{line.style}] {line.text}", f"   → {shown}"]
    return [*parts, ""]


if __name__ == "__main__":
    main()
