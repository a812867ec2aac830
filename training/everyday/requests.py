"""Requests for teacher and student: held-out texts, reading inputs, and open texts.

``vocabulary.txt`` has all texts that they may read, for choosing their tokens.

``--reading`` holds lines ``kind|text``: texts that somebody will read the rewrites of.

Run    python -m training.everyday.requests --open FILE -o FOLDER [--reading FILE]
"""

import argparse
import random
from pathlib import Path

from training.everyday import corpus

OLD_SOURCES = ("gutenberg-1890", "gutenberg-1810", "essays", "europarl")
# Old prose is asked for modern styles more often than for other old ones.
LIKELIER = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--reading", type=Path)
    parser.add_argument("--open", type=Path, required=True)
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
    draw = random.Random(1)
    rows = [
        row | {"style": draw_style(row["from"], draw)}
        for row in corpus.read_rows(options.open)
    ]
    corpus.write_rows(options.output / "open.jsonl", rows)
    said = [v for t in texts if t.split != "judges" for v in t.versions.values()]
    said += [row["text"] for row in rows]
    (options.output / "vocabulary.txt").write_text("\n".join(said) + "\n", "utf-8")
    print(len(held), len(inputs), len(rows))


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
