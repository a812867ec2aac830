"""Examples for the rater: rewrites with the marks that a reader gives them.

A row has ``source``, ``style``, ``output`` and ``marks``: meaning, style and fluency,
0 to 2, or the first of them alone. Beside the ratings stand authored versions
(2, 2, 2), versions of another style than the one asked for (2, 0, 2), and, for their
meaning alone, examples of `checker.pairs`. Ratings whose source is held out
(`training.everyday.ratings`) become ``held.jsonl``.

Run    python -m training.everyday.teacher.marks --ratings FILE --pairs FILE -o FOLDER
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus
from training.everyday.ratings import RATED, read_ratings

RIGHT, STYLELESS = (2, 2, 2), (2, 0, 2)
# Another style's version may pass as the one asked for where both are near to plain.
APART = frozenset(("shakespeare", "bible", "poetry", "joyce", "tweet", "conversation"))
FEW = 1200  # held-out ratings by which training stops
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--ratings", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--authored", type=int, default=8000)
    parser.add_argument("--others", type=int, default=4000)
    parser.add_argument("--compared", type=int, default=9000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    draw = random.Random(options.seed)
    rated = read_ratings(options.ratings)
    learnt = [
        text for text in corpus.read_texts(options.texts) if text.split == "train"
    ]
    rows = [mark_rating(row) for row in rated if not row["held"]]
    rows += draw_authored(learnt, options.authored, draw)
    rows += draw_others(learnt, options.others, draw)
    rows += draw_compared(corpus.read_rows(options.pairs), options.compared, draw)
    draw.shuffle(rows)
    corpus.write_rows(options.output / "train.jsonl", rows)
    held = [mark_rating(row) for row in rated if row["held"]]
    corpus.write_rows(options.output / "held.jsonl", held)
    corpus.write_rows(
        options.output / "held-few.jsonl", held[:: max(1, len(held) // FEW)]
    )
    print(len(rows), len(held))


def mark_rating(row: Row) -> Row:
    """Return a rating as an example."""
    kept = {key: row[key] for key in ("source", "style", "output", "systems")}
    return kept | {"marks": [row[name] for name in RATED]}


def draw_authored(
    texts: Sequence[corpus.Text], most: int, draw: random.Random
) -> list[Row]:
    """Return versions as their author wrote them, from plain or another style."""
    return [
        _mark(text.versions[source], style, text.versions[style], RIGHT)
        for text, source, style in _draw_pairs(texts, most, draw)
    ]


def draw_others(
    texts: Sequence[corpus.Text], most: int, draw: random.Random
) -> list[Row]:
    """Return versions of a style that was not asked for, or the plain text itself."""
    result: list[Row] = []
    for text, other, style in _draw_pairs(texts, 4 * most, draw):
        output = text.plain if draw.random() < 0.5 else text.versions[other]
        plain = output == text.plain
        told = style in corpus.OLD or (style in APART and not plain) or other in APART
        if len(result) < most and told and output != text.versions[style]:
            result.append(_mark(text.plain, style, output, STYLELESS))
    return result


def draw_compared(rows: Sequence[Row], most: int, draw: random.Random) -> list[Row]:
    """Return pairs with the mark of their meaning alone, two thirds of them written."""
    own = [r for r in rows if r["style"] in corpus.STYLES and r["kind"] != "rated"]
    written = [row for row in own if row["kind"].startswith("written")]
    others = [row for row in own if not row["kind"].startswith("written")]
    chosen = draw.sample(written, min(len(written), 2 * most // 3))
    chosen += draw.sample(others, min(len(others), most - len(chosen)))
    return [
        _mark(row["first"], row["style"], row["second"], (2 if row["same"] else 0,))
        for row in chosen
    ]


def _draw_pairs(
    texts: Sequence[corpus.Text], most: int, draw: random.Random
) -> list[tuple[corpus.Text, str, str]]:
    """Return texts, each with the style of a source and another to be written."""
    result: list[tuple[corpus.Text, str, str]] = []
    for _ in range(most):
        text = draw.choice(texts)
        style = draw.choice([own for own in text.versions if own != "plain"])
        others = [own for own in text.versions if own not in (style, "plain")]
        result.append((text, draw.choice(["plain", draw.choice(others)]), style))
    return result


def _mark(source: str, style: str, output: str, marks: Sequence[int]) -> Row:
    return {"source": source, "style": style, "output": output, "marks": list(marks)}


if __name__ == "__main__":
    main()
