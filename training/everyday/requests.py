"""Requests for teacher and student: held-out texts, reading inputs, and open texts.

``vocabulary.txt`` has all texts that they may read, for choosing their tokens.

Open texts are written in shards. ``samples.jsonl`` and ``polish.jsonl`` are for teacher
and student to learn from their own samples: open texts, talk three times as often as
others, and plain versions of texts that they learnt from.

``--reading`` holds lines ``kind|text``: texts that somebody will read the rewrites of.

Run    python -m training.everyday.requests --open FILE -o FOLDER [--reading FILE]
              [--shards 6] [--samples 14000] [--polish 8000]
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus

OLD_SOURCES = ("gutenberg-1890", "gutenberg-1810", "essays", "europarl")
# Old prose is asked for modern styles more often than for other old ones.
LIKELIER = 3
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--reading", type=Path)
    parser.add_argument("--open", type=Path, required=True)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--polish", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    texts = corpus.read_texts(options.texts)
    held = [text for text in texts if text.split == "dev"]
    corpus.write_rows(options.output / "dev.jsonl", [
        {"name": text.name, "text": text.plain, "style": style}
        for text in held for style in text.versions if style != "plain"
    ])  # fmt: skip
    lines = options.reading.read_text("utf-8").splitlines() if options.reading else []
    inputs = [line.split("|", 1) for line in lines]
    corpus.write_rows(options.output / "reading.jsonl", [
        {"input": number, "kind": kind, "text": text, "style": style}
        for number, (kind, text) in enumerate(inputs) for style in corpus.STYLES
        if style != "plain" or kind == "chat"
    ])  # fmt: skip
    draw = random.Random(options.seed)
    rows = [
        row | {"style": draw_style(row["from"], draw)}
        for row in corpus.read_rows(options.open)
    ]
    draw.shuffle(rows)
    for number in range(options.shards):
        shard = rows[number :: options.shards]
        corpus.write_rows(options.output / f"open-{number}.jsonl", shard)
    own = [text for text in texts if text.split == "train"]
    for name, most in (("samples", options.samples), ("polish", options.polish)):
        chosen = draw_samples(rows, own, most, draw)
        corpus.write_rows(options.output / f"{name}.jsonl", chosen)
    said = [v for t in texts if t.split != "judges" for v in t.versions.values()]
    said += [row["text"] for row in rows]
    (options.output / "vocabulary.txt").write_text("\n".join(said) + "\n", "utf-8")
    print(len(held), len(inputs), len(rows), len(chosen))


def draw_samples(
    rows: Sequence[Row], texts: Sequence[corpus.Text], most: int, draw: random.Random
) -> list[Row]:
    """Return requests to learn from: talk, other open texts, and everyday's."""
    styles = [style for style in corpus.STYLES if style != "plain"]
    talk = [row for row in rows if row["from"] not in OLD_SOURCES]
    rest = [row for row in rows if row["from"] in OLD_SOURCES]
    own: list[Row] = [
        {"from": "everyday", "text": text.plain, "style": draw.choice(styles)}
        for text in texts
    ]
    chosen = []
    for group, share in ((talk, 0.6), (rest, 0.2), (own, 0.2)):
        chosen += draw.sample(group, min(len(group), int(most * share)))
    draw.shuffle(chosen)
    return [row for row in chosen if len(row["text"].split()) >= 3]


def draw_style(origin: str, draw: random.Random) -> str:
    """Return a style at random that makes sense for a text of this origin."""
    if origin in OLD_SOURCES:
        likelier = float(LIKELIER)
        weights = [likelier if s in corpus.MODERN else 1.0 for s in corpus.STYLES]
        return draw.choices(corpus.STYLES, weights)[0]
    weights = [0.4 if style == "plain" else 1.0 for style in corpus.STYLES]
    return draw.choices(corpus.STYLES, weights)[0]


if __name__ == "__main__":
    main()
