"""Examples for a judge of manner: is a text in the style, and is it good English of it?

A cross-encoder reads the name of a style and a text. It learns from everyday's versions
under their own name and under wrong ones, from sources that are in no such style, and
from a reader's ratings. Under the name ``fluent STYLE`` it learns fluency: versions as
they are and with words dropped, doubled and moved, and again the ratings.

Run    python -m training.everyday.checker.manner --ratings FILE -o FOLDER
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus
from training.everyday.corpus import STYLES, Text
from training.everyday.ratings import read_ratings

Row = dict[str, Any]
TARGETS = (0.03, 0.35, 0.96)  # for ratings of 0, 1 and 2
RIGHT, WRONG = 0.97, 0.04
TALK = ("tatoeba", "goemotions", "topical-chat", "openrewriteeval")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--ratings", type=Path, required=True)
    parser.add_argument("--rated", type=int, default=6, help="copies of each rating")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    rated = read_ratings(options.ratings)
    draw = random.Random(1)
    rows = []
    for text in corpus.read_texts(options.texts):
        if text.split == "train":
            rows += make_style_rows(text, draw) + make_fluency_rows(text, draw)
    learnt = [row for row in rated if not row["held"]]
    rows += make_rated_rows(learnt) * options.rated + make_source_rows(learnt)
    draw.shuffle(rows)
    corpus.write_rows(options.output / "manner-train.jsonl", rows)
    held = make_rated_rows([row for row in rated if row["held"]])
    for name in ("style", "fluency"):
        own = [row for row in held if row["kind"].startswith(name)]
        corpus.write_rows(options.output / f"{name}-test.jsonl", own)
    print(len(rows), len(held))


def make_row(first: str, second: str, target: float, kind: str) -> Row:
    return {"first": first, "second": second, "target": target, "kind": kind,
            "same": target > 0.5, "style": first.split()[-1]}  # fmt: skip


def make_style_rows(text: Text, draw: random.Random) -> list[Row]:
    """Return a text's versions under their own name and under two wrong ones."""
    rows = []
    for style, said in text.versions.items():
        rows.append(make_row(style, said, RIGHT, "style version"))
        others = [other for other in STYLES if other != style]
        for wrong in draw.sample(others, 2):
            rows.append(make_row(wrong, said, WRONG, "style wrong"))
    return rows


def make_fluency_rows(text: Text, draw: random.Random) -> list[Row]:
    """Return some versions as they are, and some others broken."""
    rows = []
    for style, said in text.versions.items():
        chance = draw.random()
        if chance < 0.3:
            rows.append(make_row(f"fluent {style}", said, RIGHT, "fluency version"))
        elif chance < 0.5:
            broken = break_text(said, draw)
            rows.append(make_row(f"fluent {style}", broken, WRONG, "fluency broken"))
    return rows


def break_text(said: str, draw: random.Random) -> str:
    """Return a text with one or two words dropped, doubled or moved."""
    words = said.split()
    for _ in range(draw.choice((1, 1, 2))):
        at, kind = draw.randrange(len(words)), draw.randrange(3)
        if kind == 0 and len(words) > 2:
            del words[at]
        elif kind == 1:
            words.insert(at, words[at])
        else:
            words.insert(draw.randrange(len(words)), words.pop(at))
    return " ".join(words)


def make_rated_rows(rated: Sequence[Row]) -> list[Row]:
    """Return two examples for each rating: of style and of fluency."""
    rows = []
    for row in rated:
        style, said = row["style"], row["output"]
        for name, first, key in (
            ("style", style, "manner"), ("fluency", f"fluent {style}", "fluency"),
        ):  # fmt: skip
            value = row[key]
            rows.append(make_row(first, said, TARGETS[value], f"{name} rated {value}"))
    return rows


def make_source_rows(rated: Sequence[Row]) -> list[Row]:
    """Return modern sources of the ratings: they are in none of the other styles."""
    return [
        make_row(row["style"], row["source"], WRONG, "style source")
        for row in rated
        if row["from"] in TALK and row["style"] not in ("plain", "simple", "concise")
    ]


if __name__ == "__main__":
    main()
