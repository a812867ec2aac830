"""Sentences with human ratings: pt16, squinky, gug, cola, stsb.

Evaluators of formality, fluency and similarity are trained on them.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paraphrast.corpora.lines import read_lines
from paraphrast.errors import unknown


@dataclass(frozen=True, slots=True)
class Judged:
    """A text and its score, whose scale depends on the loader."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two texts and how similar they are."""

    first: str
    second: str
    score: float


def pt16(folder: Path, split: str) -> list[Judged]:
    """Return sentences with their mean formality, -3 (informal) to 3 (formal)."""
    rows = csv.reader(
        read_lines(folder / _file(split, train="train.csv", tune="tune.csv"))
    )
    next(rows)
    return [Judged(text, float(score)) for _, score, text in rows]


def squinky(folder: Path, split: str = "train") -> list[Judged]:
    """Return sentences with their mean formality, 1 (informal) to 7 (formal)."""
    rows = _columns(folder / _file(split, train="train.tsv"))
    return [Judged(text, float(score)) for score, text in rows]


def gug(folder: Path, split: str) -> list[Judged]:
    """Return learners' sentences with their grammaticality, 1 to 4 (perfect).

    Non-sentences have no score and are left out.
    """
    _file(split, train="", dev="")
    rows = _columns(folder / "gug_annotations.train_dev.tsv")
    return [Judged(row[1], float(row[4])) for row in rows if row[5] == split]


def cola(folder: Path, split: str) -> list[Judged]:
    """Return sentences that are acceptable English (1) or not (0)."""
    name = _file(split, train="in_domain_train.tsv", dev="in_domain_dev.tsv")
    return [Judged(row[3], float(row[1])) for row in _columns(folder / name)]


def stsb(folder: Path, split: str) -> list[JudgedPair]:
    """Return sentence pairs with their similarity, 0 to 5 (the same)."""
    name = _file(split, train="stsb-en-train.csv", dev="stsb-en-dev.csv")
    return [
        JudgedPair(first, second, float(score))
        for first, second, score in csv.reader(read_lines(folder / name))
    ]


def _file(split: str, **files: str) -> str:
    if split not in files:
        raise unknown("part", split, files)
    return files[split]


def _columns(path: Path) -> Iterator[list[str]]:
    return (line.split("\t") for line in read_lines(path))
