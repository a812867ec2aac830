"""Pairs for a last, short training: the polite style without needless regrets.

A student that has read many "I'm afraid" regrets good news, too. Polite pairs whose
target regrets what its source does not are left out; so many pairs of other styles
stand beside them that nothing else is forgotten.

Run    python -m training.everyday.student.polite --taught FILE -o FILE [--most 6000]
       python -m training.everyday.student.train --base STUDENT --pairs FILE
              --device cpu --seconds 420 --rate 1.2e-4 --tokens 2400 --warmup 15
              --held 100 -o STUDENT
"""

import argparse
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from training.everyday import corpus
from training.everyday.teacher import examples

STYLE = "polite"
OTHERS = 1.2  # pairs of other styles for each polite one
_REGRET = re.compile(
    r"\b(?:afraid|sorry|regret\w*|unfortunately|alas|sadly|apolog\w*)\b", re.IGNORECASE
)
Row = dict[str, Any]


def regrets(row: Mapping[str, Any]) -> bool:
    """Return whether a pair's target regrets something that its source does not."""
    return bool(_REGRET.search(row["target"]) and not _REGRET.search(row["source"]))


def choose_pairs(rows: list[Row], most: int, draw: random.Random) -> list[Row]:
    """Return polite pairs without new regrets, and some of other styles."""
    draw.shuffle(rows)
    polite = [row for row in rows if row["style"] == STYLE and not regrets(row)][:most]
    others = [row for row in rows if row["style"] != STYLE]
    chosen = polite + others[: int(OTHERS * len(polite))]
    draw.shuffle(chosen)
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--taught", type=Path, nargs="*", default=[])
    parser.add_argument("--most", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    rows = [
        {"source": source, "style": style, "target": target}
        for text in corpus.read_texts(options.texts) if text.split == "train"
        for source, style, target in examples.make_pairs(text, draw)
    ]  # fmt: skip
    rows += [row for path in options.taught for row in corpus.read_rows(path)]
    chosen = choose_pairs(rows, options.most, draw)
    corpus.write_rows(options.output, chosen)
    print(len(chosen))


if __name__ == "__main__":
    main()
