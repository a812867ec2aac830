"""What the rater learns from: the guide's own texts, as questions.

Rows are text, answer and ``rate``: ``yes`` or ``no`` to whether a text is natural,
``old`` or ``modern`` of lines of plays. Texts are those of the guide
(training/guide/data.py), so none that the judge has read.

Run    python -m training.teacher.rater_data --guide guide.npz \\
           --tokenizer tokenizer.json -o FOLDER
Makes  rater.train.tsv, rater.dev.tsv (text, answer: held-out text, Twelfth Night) and
       rater.cola.tsv (for information)
Needs  numpy, tokenizers
"""

import argparse
import random
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers

from training.rewriter.workspace import write_rows
from training.teacher.rater import NATURAL, PLAYS, QUESTION

LONGEST = 170  # letters of a text
EACH = 42_000  # natural ones, and as many unnatural ones
HELD = {"natural_own": 2000, "plays_valid": 1500}
SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guide", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    cut = tokenizers.Tokenizer.from_file(str(options.tokenizer))
    draw = random.Random(SEED)
    with np.load(options.guide) as archive:
        natural = table(archive, "natural", cut)
        draw.shuffle(natural)
        rows = [
            row
            for wanted in NATURAL
            for row in islice((row for row in natural if row[1] == wanted), EACH)
        ]
        rows += table(archive, "plays", cut)
        held = []
        for name, most in HELD.items():
            own = table(archive, name, cut)
            held += draw.sample(own, min(most, len(own)))
        cola = table(archive, "cola_test", cut)
    draw.shuffle(rows)
    train = [f"{text}\t{answer}\t{QUESTION}" for text, answer in rows]
    write_rows(options.output / "rater.train.tsv", train)
    write_rows(options.output / "rater.dev.tsv", ["\t".join(row) for row in held])
    write_rows(options.output / "rater.cola.tsv", ["\t".join(row) for row in cola])
    print(f"{len(rows)} rows, {len(held)} held out")


def table(archive: Any, name: str, cut: tokenizers.Tokenizer) -> list[tuple[str, str]]:
    """Return the short texts of a table with the answer to each."""
    ends = np.cumsum(archive[f"{name}/lengths"].astype(np.int64))
    tokens = np.split(archive[f"{name}/ids"], ends[:-1])
    texts = cut.decode_batch([own.tolist() for own in tokens])
    words = PLAYS if name.startswith("plays") else NATURAL
    labels = [words[int(label <= 0.5)] for label in archive[f"{name}/labels"]]
    tidy = [" ".join(text.split()) for text in texts]
    return [
        (text, label)
        for text, label in zip(tidy, labels, strict=True)
        if 0 < len(text) < LONGEST
    ]


if __name__ == "__main__":
    main()
