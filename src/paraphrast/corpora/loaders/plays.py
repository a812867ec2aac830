"""Shakespeare's plays and their modern paraphrases: xu12, jhamtani17, Moses' outputs.

Pairs are always modern English first, Shakespeare second.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from paraphrast.corpora.lines import read_columns, read_lines, read_texts
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown

# The study guide a modern side was taken from.
Guide: TypeAlias = Literal["sparknotes", "enotes"]

_ALIGNED = "{play}_{side}.snt.aligned"
_ANNOTATORS = {"alan": "annotated.csv", "wei": "annotated_wei.csv"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of Romeo and Juliet with both modern paraphrases."""

    original: str
    sparknotes: str
    enotes: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One annotator's ratings, 1 to 4, of one output; ``line`` counts from 0."""

    annotator: str
    line: int
    system: str
    output: str
    semantic: int
    dissimilarity: int
    style: int
    overall: int


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield the pairs of a part of xu12 or jhamtani17."""
    if name == "jhamtani17" and split in ("train", "valid", "test"):
        return _pairs(
            folder / f"{split}.modern.nltktok", folder / f"{split}.original.nltktok"
        )
    if name == "xu12" and split in ("sparknotes", "enotes"):
        guide: Guide = "sparknotes" if split == "sparknotes" else "enotes"
        return (
            pair
            for play in plays(folder, guide)
            for pair in read_aligned(folder, guide, play)
        )
    if name == "xu12" and split == "tuning":
        mert = folder / "mert"
        return _pairs(
            mert / "ascii.tokenized.modern", mert / "ascii.tokenized.original"
        )
    parts = ("sparknotes", "enotes", "tuning")
    raise unknown(
        "part", split, parts if name == "xu12" else ("train", "valid", "test")
    )


def texts_of(folder: Path, name: str, split: str) -> Iterator[str]:
    """Yield the lines of the language-model text, the tweets, or a Moses output."""
    if name == "moses-outputs":
        paths = {path.name: path for path in folder.iterdir()}
    else:
        paths = {
            "plays": folder / "lm" / "36plays.original",
            "tweets": folder / "natural_tweets_10000.txt",
        }
    if split not in paths:
        raise unknown("part", split, paths)
    # Every line, blank ones too: outputs stay parallel to what they were made from.
    return (line.strip() for line in read_lines(paths[split]))


def plays(folder: Path, guide: Guide) -> list[str]:
    """List the plays of xu12 that a study guide paraphrases."""
    ending = _ALIGNED.format(play="", side="modern")
    return sorted(
        path.name.removesuffix(ending) for path in (folder / guide).glob(f"*{ending}")
    )


def read_aligned(folder: Path, guide: Guide, play: str) -> Iterator[Pair]:
    """Yield the published sentence pairs of a play of xu12."""
    if play not in plays(folder, guide):
        raise unknown("play", play, plays(folder, guide))
    modern, original = (
        folder / guide / _ALIGNED.format(play=play, side=side)
        for side in ("modern", "original")
    )
    return _pairs(modern, original)


def romeo_and_juliet(
    folder: Path, *, form: Literal["raw", "tokenised"] = "raw"
) -> list[Line]:
    """Return xu12's 510 test lines; tokenised, they are ASCII and in lower case."""
    if form == "raw":
        stem, ending = "romeojuliet/test.romeojuliet_", ".snt.aligned"
    else:
        stem, ending = "eval/ascii.romeojuliet_tokenized_lower_", ""
    sides = ("original", "modern.1", "modern.2")
    paths = [folder / f"{stem}{side}{ending}" for side in sides]
    return [Line(*(text.strip() for text in row)) for row in read_columns(paths)]


def development(folder: Path, guide: Guide) -> Iterator[Pair]:
    """Yield xu12's development pairs of Romeo and Juliet."""
    number = "1" if guide == "sparknotes" else "2"
    stem = f"romeojuliet/dev.romeojuliet_{{side}}.{number}.snt.aligned"
    return _pairs(
        folder / stem.format(side="modern"), folder / stem.format(side="original")
    )


def judgments(folder: Path) -> list[Judgment]:
    """Return two people's ratings of three systems on the lines that they judged."""
    return [
        judgment
        for annotator, name in _ANNOTATORS.items()
        for judgment in _judgments(folder / "eval" / name, annotator)
    ]


def dictionary(folder: Path) -> Iterator[Pair]:
    """Yield xu12's glossary as pairs of a modern gloss and an archaic word."""
    for line in read_texts(folder / "dictionary" / "shakespeareswords.cleaned"):
        archaic, _, modern = line.partition("\t")
        yield Pair(modern, archaic)


def _pairs(modern: Path, original: Path) -> Iterator[Pair]:
    return (Pair(*(t.strip() for t in row)) for row in read_columns([modern, original]))


def _judgments(path: Path, annotator: str) -> Iterator[Judgment]:
    rows = [line.split("\t") for line in read_texts(path)]
    systems = rows[0][2:5]
    for line, row in enumerate(rows[1:]):
        if len(row) != 17:
            raise ParaphrastError(f"{path}:{line + 2}: expected 17 columns.")
        for index, system in enumerate(systems):
            marks = row[5 + 4 * index : 9 + 4 * index]
            if all(marks):
                output = row[2 + index].strip()
                yield Judgment(
                    annotator, line, system, output, *(int(mark) for mark in marks)
                )
