"""Fluent nonsense for the judge, made of the judge's own training text.

``weak`` holds nonsense (0) and the natural lines it was made of (1); half is made of
plays, the rest of every style. ``weak_own`` is made in the same ways of Twelfth Night,
which nothing is learnt from; its column ``kind`` says how. ``plays_twice`` is the
plays' text as it is, each line twice per row.

Run    python -m training.judge.nonsense_data --mirror FOLDER --data judge.npz \\
           --vocabulary vocab.txt -o data
Needs  the corpora and what `training.judge.data` wrote; two minutes of a CPU.
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from paraphrast.corpora import read_lines
from paraphrast.text.normalisation import keep_letters
from paraphrast.text.wordpiece import WordPiece
from training.judge.data import Corpora, plays
from training.judge.mistakes import split
from training.judge.nonsense import KINDS, Weak
from training.judge.tables import Tables, load

PLAYS, OTHERS, SHORT = 70_000, 60_000, 5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tokens = list(read_lines(options.vocabulary))
    tables = Tables(WordPiece(tokens))
    draw = random.Random(7)
    never = Corpora(options.mirror, "judge").blocked
    pairs = [
        (a, b)
        for a, b in plays(options.mirror, "train")
        if not {keep_letters(a), keep_letters(b)} & never
    ]
    texts = [text for pair in pairs for text in pair]
    others = list(read(load(options.data)["style"].texts, tokens))
    add_weak(tables, pairs, others, plays(options.mirror, "valid"), draw)
    labels = [label for _ in pairs for label in (0, 1)]
    twice = [text for text in texts for _ in range(2)]
    tables.add("plays_twice", twice, labels, width=2)
    options.output.mkdir(parents=True, exist_ok=True)
    tables.save(options.output / "weak.npz")
    print(json.dumps(tables.sizes(), indent=1))


def read(texts: Iterable[np.ndarray], tokens: list[str]) -> Iterator[list[str]]:
    """Return the words of tokenised texts."""
    for ids in texts:
        yield " ".join(tokens[i] for i in ids).replace(" ##", "").split()


def add_weak(
    tables: Tables,
    pairs: list[tuple[str, str]],
    others: list[list[str]],
    held_out: list[tuple[str, str]],
    draw: random.Random,
) -> None:
    cut = [(split(a.lower()), split(b.lower())) for a, b in pairs]
    lines = [words for pair in cut for words in pair]
    long = {
        "plays": [words for words in lines if len(words) > SHORT],
        "others": [words for words in others if len(words) > SHORT],
        "own": [
            split(t.lower()) for p in held_out for t in p if len(t.split()) > SHORT
        ],
    }
    dramatic, general = (
        Weak(lines, cut),
        Weak([*lines, *draw.sample(others, 80_000)], cut),
    )
    for name, weak, count in (
        ("plays", dramatic, PLAYS),
        ("others", general, OTHERS),
        ("own", dramatic, 2 * len(long["own"])),
    ):
        table = "weak_own" if name == "own" else "weak"
        made = [weak.make(draw.choice(long[name]), draw) for _ in range(count)]
        tables.add(table, [" ".join(words) for _, words in made], [0] * count)
        natural = draw.sample(long[name], min(len(long[name]), count // 2))
        tables.add(table, [" ".join(words) for words in natural], [1] * len(natural))
        kinds = [list(KINDS).index(kind) for kind, _ in made] + [-1] * len(natural)
        tables.attach(table, "kind", np.array(kinds, np.float32))


if __name__ == "__main__":
    main()
