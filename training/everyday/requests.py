"""Requests for teacher and student: held-out texts, what is to be rated, open texts.

``vocabulary.txt`` has all texts that they may read, for choosing their tokens.
``dev.jsonl`` asks for the held-out texts in all styles, ``rated.jsonl`` for what
readers are to rate: every line ``kind<TAB>text`` of ``--inputs`` in two styles and open
texts of today that were not rated before. ``inputs.jsonl`` asks for the inputs in all
styles, ``open-N.jsonl`` for all open texts. ``sampled-N.jsonl`` asks for inputs and for
the corpus's own training texts in some styles each, of which several rewrites are to be
drawn. Styles that succeed less are asked for more often.

Run    python -m training.everyday.requests --open FILE -o FOLDER [--shards 6]
              [--inputs FILE --rated 6000 --known RATINGS]
"""

import argparse
import random
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus

OLD_SOURCES = ("gutenberg-1890", "gutenberg-1810", "essays", "europarl")
# Old prose is asked for modern styles more often than for other old ones.
LIKELIER = 3
HARD = (
    "poetry",
    "prose-1890",
    "joyce",
    "shakespeare",
    "prose-1810",
    "bible",
    "polite",
)
EASY = ("conversation", "informal", "formal")
WEIGHTS = {
    style: 2.0 if style in HARD else 0.7 if style in EASY else 1.0
    for style in corpus.STYLES
} | {"plain": 0.0}  # fmt: skip
PLAIN = 0.4  # the weight of plain for open texts
SHORTEST, LONGEST = 8, 50  # words of open texts that are rated
EACH = 2  # styles for every input that is rated
SAMPLED_INPUT, SAMPLED_TEXT = 5, 3  # styles for each text that is sampled
INPUTS = "inputs"
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--open", type=Path, required=True)
    parser.add_argument("--inputs", type=Path)
    parser.add_argument("--known", type=Path, help="ratings whose sources are left out")
    parser.add_argument("--rated", type=int, default=0)
    parser.add_argument("--shards", type=int, default=1)
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
    draw = random.Random(options.seed)
    sources = corpus.read_rows(options.open)
    rows = [row | {"style": draw_style(row["from"], draw)} for row in sources]
    draw.shuffle(rows)
    for number in range(options.shards):
        shard = rows[number :: options.shards]
        corpus.write_rows(options.output / f"open-{number}.jsonl", shard)
    inputs = read_inputs(options.inputs) if options.inputs else []
    corpus.write_rows(options.output / "inputs.jsonl", [
        row | {"style": style} for row in inputs for style in corpus.STYLES
        if style != "plain"
    ])  # fmt: skip
    rewritten = {row["source"] for row in corpus.read_rows(options.known)} if (
        options.known
    ) else set()  # fmt: skip
    learnt = [
        {"from": "everyday", "text": text.plain}
        for text in texts if text.split == "train"
    ]  # fmt: skip
    sampled = draw_sampled(inputs, learnt, draw)
    for number in range(options.shards):
        shard = sampled[number :: options.shards]
        corpus.write_rows(options.output / f"sampled-{number}.jsonl", shard)
    rated = draw_rated(inputs, rows, rewritten, options.rated, draw)
    corpus.write_rows(options.output / "rated.jsonl", rated)
    said = [v for t in texts if t.split != "judges" for v in t.versions.values()]
    said += [row["text"] for row in [*inputs, *rows]]
    (options.output / "vocabulary.txt").write_text("\n".join(said) + "\n", "utf-8")
    print(len(held), len(inputs), len(rows), len(sampled), len(rated))


def read_inputs(path: Path) -> list[Row]:
    """Return the inputs of a file, each once."""
    lines = path.read_text("utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in lines if "\t" in line]
    kinds = {" ".join(text.split()): kind.strip() for kind, text in pairs}
    return [
        {"from": INPUTS, "kind": kind, "text": text} for text, kind in kinds.items()
    ]


def draw_rated(
    inputs: Sequence[Row], rows: Sequence[Row], rewritten: Collection[str], most: int,
    draw: random.Random,
) -> list[Row]:  # fmt: skip
    """Return requests to be rated: inputs in two styles, then open texts of today."""
    if not most:
        return []
    chosen = [
        row | {"style": style} for row in inputs for style in draw_styles(EACH, draw)
    ]
    for row in rows:
        if len(chosen) >= most:
            break
        fits = SHORTEST <= len(row["text"].split()) <= LONGEST
        if fits and row["from"] not in OLD_SOURCES and row["text"] not in rewritten:
            chosen.append(row | {"style": draw_styles(1, draw)[0]})
    return chosen


def draw_sampled(
    inputs: Sequence[Row], texts: Sequence[Row], draw: random.Random
) -> list[Row]:
    """Return requests for inputs and corpus texts, several styles each."""
    result = [
        row | {"style": style}
        for rows, each in ((inputs, SAMPLED_INPUT), (texts, SAMPLED_TEXT))
        for row in rows for style in draw_styles(each, draw)
    ]  # fmt: skip
    draw.shuffle(result)
    return result


def draw_styles(count: int, draw: random.Random) -> list[str]:
    """Return distinct styles, drawing those that succeed less more often."""
    chosen: dict[str, None] = {}
    while len(chosen) < count:
        chosen[draw.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]] = None
    return list(chosen)


def draw_style(origin: str, draw: random.Random) -> str:
    """Return a style at random that makes sense for a text of this origin."""
    weights = WEIGHTS | {"plain": PLAIN}
    if origin in OLD_SOURCES:
        for style in corpus.MODERN:
            weights[style] = LIKELIER * max(1.0, weights[style])
    return draw.choices(list(weights), list(weights.values()))[0]


if __name__ == "__main__":
    main()
