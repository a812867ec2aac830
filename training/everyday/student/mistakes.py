"""The student's own mistakes on everyday's training texts, as preferences.

It rewrites versions of texts into other styles, greedily. Where its rewrite is at fault
and the authored version of that style is not, the authored one is preferred: the
rewrite breaks a fact (`training.everyday.facts`), a checker of meaning does not believe
it (``--guard``), or it hardly shows the style, keeping the source's words where the
author changed many. Rewrites without a fault are not used.

Run    python -m training.everyday.student.mistakes --student FOLDER --guard FOLDER
              -o FILE [--most 40000] [--workers 8]
"""

import argparse
import multiprocessing
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paraphrast.text.overlap import unigram_overlap
from training.everyday import corpus, facts
from training.everyday.checker.encoder import CrossEncoder
from training.everyday.checker.reward import cut_words
from training.everyday.student.train import open_student
from training.everyday.teacher import examples

Row = dict[str, Any]
TIMID = 0.3  # more of the source's words (F1) than the author kept: no style shown
LEAST, SURE = 0.3, 0.6  # a rewrite is not believed below, an authored version from


def draw_requests(texts: Sequence[corpus.Text], most: int, seed: int) -> list[Row]:
    """Return versions to be rewritten, with the authored one as the preferred one."""
    draw = random.Random(seed)
    rows = [
        {"source": source, "style": style, "from": "everyday", "chosen": target}
        for text in texts
        for source, style, target in examples.make_pairs(text, draw)
        if cut_words(source) != cut_words(target)
    ]
    draw.shuffle(rows)
    return rows[:most]


def find_fault(row: Row) -> str:
    """Return the fault of a rewrite in facts or style, or None."""
    source, chosen, rejected = (row[key] for key in ("source", "chosen", "rejected"))
    if facts.find_fault(source, chosen):  # the facts are wrong about this one
        return ""
    if facts.find_fault(source, rejected):
        return "facts"
    words, written = cut_words(source), cut_words(rejected)
    kept = unigram_overlap(words, written).f1
    if kept > unigram_overlap(words, cut_words(chosen)).f1 + TIMID:
        return "manner"
    return ""


def believe(rows: Sequence[Row], guard: CrossEncoder) -> list[bool]:
    """Say which rewrites the checker does not believe, but does their authors."""
    sure, doubtful = (
        guard.score_pairs([(row["source"], row[side]) for row in rows])
        for side in ("chosen", "rejected")
    )
    return [
        right >= SURE and wrong < LEAST
        for right, wrong in zip(sure, doubtful, strict=True)
    ]


def choose_mistakes(
    rows: Sequence[Row], faults: Sequence[str], doubted: Sequence[bool]
) -> list[Row]:
    """Return the faulty rows; at most half as many faults of style as others."""
    named = [
        row | {"fault": fault or "meaning", "corrected": True}
        for row, fault, wrong in zip(rows, faults, doubted, strict=True)
        if fault or wrong
    ]
    others = [row for row in named if row["fault"] != "manner"]
    styled = [row for row in named if row["fault"] == "manner"]
    return [*others, *styled[: len(others) // 2]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--guard", type=Path, required=True)
    parser.add_argument("--most", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    texts = [t for t in corpus.read_texts(options.texts) if t.split == "train"]
    rows = draw_requests(texts, options.most, options.seed)
    student = open_student(options.student, options.device)
    made = student.generate([(row["source"], row["style"]) for row in rows])
    rows = [row | {"rejected": text} for row, text in zip(rows, made, strict=True)]
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        faults = pool.map(find_fault, rows, chunksize=200)
    doubted = believe(rows, CrossEncoder(options.guard, options.device))
    chosen = choose_mistakes(rows, faults, doubted)
    corpus.write_rows(options.output, chosen)
    counts = Counter(row["fault"] for row in chosen)
    print(f"{len(chosen)} mistakes in {len(rows)} rewrites", dict(counts), flush=True)


if __name__ == "__main__":
    main()
