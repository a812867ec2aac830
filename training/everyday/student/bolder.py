"""Pairs for a last training on a CPU: authored versions that move far from their text.

A student that has read the rewrites of teachers copies more than authors do. Here it
reads authors alone: for each style the plain texts of everyday's training part with
those versions that share the fewest words with them, and what readers corrected or
rated 2 in everything. Styles that show least (`WEAK`) get more pairs.

Run    python -m training.everyday.student.bolder -o FILE
              [--share 0.55] [--weak 3750] [--other 800]
       python -m training.everyday.student.train --base STUDENT --pairs FILE
              --device cpu --bfloat16 --seconds 1150 --rate 3e-4 --tokens 4800
              --warmup 30 --held 100 -o TUNED
       python -m training.everyday.student.extrapolate STUDENT TUNED --times 2 -o FOLDER
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from paraphrast.text.overlap import unigram_overlap, words
from training.everyday import corpus
from training.everyday.preferences import read_gold
from training.everyday.ratings import read_ratings
from training.everyday.teacher import examples

WEAK = ("shakespeare", "bible", "poetry", "prose-1810", "prose-1890")
MOST_SHARED = 0.8  # word F1 with the source of a rewrite that was rated 2 in everything
Row = dict[str, Any]


def find_boldest(
    texts: Sequence[corpus.Text], style: str, share: float
) -> list[corpus.Text]:
    """Return this share of texts: those whose version shares the fewest words."""
    ordered = sorted(texts, key=lambda t: measure_shared(t.plain, t.versions[style]))
    return ordered[: int(share * len(ordered))]


def measure_shared(source: str, target: str) -> float:
    """Return the word F1 of two texts."""
    return unigram_overlap(words(source), words(target)).f1


def choose_gold(rows: Iterable[Row]) -> list[Row]:
    """Return readers' corrections, those of weak styles twice, and bold rewrites."""
    result = []
    for row in rows:
        pair = {key: row[key] for key in ("source", "style", "target", "from")}
        if row["corrected"]:
            result += [pair] * (1 + (row["style"] in WEAK))
        elif measure_shared(row["source"], row["target"]) < MOST_SHARED:
            result.append(pair)
    return result


def make_pairs(
    texts: Sequence[corpus.Text], share: float, weak: int, other: int,
    draw: random.Random,
) -> list[Row]:  # fmt: skip
    """Return pairs of plain texts and their bold versions, by style."""
    result = []
    for style in corpus.STYLES[1:]:
        bold = find_boldest(texts, style, share)
        most = weak if style in WEAK else other
        for text in draw.sample(bold, min(most, len(bold))):
            source = examples.draw_spelling(text.plain, "plain", draw)
            result.append(
                {"source": source, "style": style, "target": text.versions[style]}
            )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument(
        "--ratings", type=Path, default=corpus.FOLDER / "rewrites.jsonl"
    )
    parser.add_argument("--share", type=float, default=0.55)
    parser.add_argument("--weak", type=int, default=3750)
    parser.add_argument("--other", type=int, default=800)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    texts = [t for t in corpus.read_texts(options.texts) if t.split == "train"]
    rows = make_pairs(texts, options.share, options.weak, options.other, draw)
    rated = [row for row in read_ratings(options.ratings) if not row["held"]]
    gold = choose_gold(read_gold(rated))
    print(f"{len(rows)} authored pairs, {len(gold)} of readers")
    rows += gold
    draw.shuffle(rows)
    corpus.write_rows(options.output, rows)


if __name__ == "__main__":
    main()
