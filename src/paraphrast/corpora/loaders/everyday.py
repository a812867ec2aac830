"""everyday: short texts and documents, each in up to fourteen styles; a contrast set.

Rewriters are trained on the split ``train`` and evaluated on ``dev``; ``judges`` is
reserved for style judges. The halves of the contrast set are separated likewise: guards
and judges never learn from the same data. Texts of ``judges`` have further references
in ``formal`` and ``informal``, for evaluating rewriters with four references.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.pairs import Pair
from paraphrast.errors import ParaphrastError, unknown

MODERN = ("plain", "formal", "informal", "polite", "simple", "concise")
OLD = ("shakespeare", "bible", "poetry", "prose-1810", "prose-1890", "joyce")
STYLES = (*MODERN, *OLD, "tweet", "conversation")
SPLITS = ("train", "dev", "judges")
REFERENCED = {"formal": "informal", "informal": "formal"}  # style, and what was given
WRITERS = ("a", "b", "c")
ERRORS = (
    *("negation", "actor", "number", "order", "condition", "degree", "content"),
    *("omission", "addition", "mood", "quotation", "tense"),
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text or document: its versions by style; verse has `` / `` between lines."""

    id: str
    file: str
    kind: str
    split: str
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A version of the text ``id`` with one error, or with the ``same`` meaning."""

    id: str
    style: str
    kind: str
    half: str
    text: str


@dataclass(frozen=True, slots=True)
class Rating:
    """A second reader's ratings, 0 to 2, of a version as it was at the time.

    ``planted`` is the kind of error of a deliberately wrong version.
    """

    id: str
    style: str
    text: str
    meaning: int
    manner: int
    fluency: int
    planted: str
    note: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A further reference for the text ``id`` in a style, by one of three writers.

    Writers of ``formal`` rewrote the informal version, writers of ``informal`` the
    formal one.
    """

    id: str
    style: str
    writer: str
    text: str


@dataclass(frozen=True, slots=True)
class RatedRewrite:
    """A model's rewrite of an everyday input with a reader's ratings, 0 to 2.

    ``systems`` says who wrote it: the model's most probable output (``greedy``), a
    ``sample``, or a ``reader`` who corrected the model's output. ``kind`` names the
    worst fault.
    """

    source: str
    style: str
    output: str
    systems: list[str]
    kind: str
    meaning: int
    manner: int
    fluency: int


def read_texts(folder: Path, name: str = "texts.jsonl") -> list[Text]:
    """Return the texts, or with ``documents.jsonl`` the documents."""
    return _read_rows(folder / name, Text)


def read_contrast(folder: Path) -> list[Contrast]:
    """Return the contrast set."""
    return _read_rows(folder / "contrast.jsonl", Contrast)


def read_ratings(folder: Path) -> list[Rating]:
    """Return the second reader's ratings."""
    return _read_rows(folder / "ratings.jsonl", Rating)


def read_rewrites(folder: Path) -> list[RatedRewrite]:
    """Return models' rewrites with a reader's ratings, and the reader's corrections.

    They are only in the repository, not in an installed package.
    """
    path = folder / "rewrites.jsonl"
    return _read_rows(path, RatedRewrite) if path.is_file() else []


def read_references(folder: Path) -> list[Reference]:
    """Return the further references, `WRITERS` for each text and style that has any."""
    return _read_rows(folder / "references.jsonl", Reference)


def split_of(plain: str) -> str:
    """Return the split of a text, which depends only on its plain version."""
    share = _hash(plain) % 100
    return "train" if share < 80 else "dev" if share < 85 else "judges"


def half_of(plain: str) -> str:
    """Return whose contrast lines a text has: ``guards`` or ``judges``."""
    return "judges" if _hash(f"contrast:{plain}") % 2 else "guards"


def pairs_of(folder: Path, name: str, split: str) -> Iterator[Pair]:
    """Yield the pairs of a part such as ``train:plain:formal``."""
    part, *styles = split.split(":")
    if part not in SPLITS or len(styles) != 2 or not set(styles) <= set(STYLES):
        raise ParaphrastError(
            f"{name} has no part {split!r}. Name a split ({', '.join(SPLITS)}) and two "
            f"styles, as in train:plain:formal."
        )
    source, target = styles
    for text in read_texts(folder):
        if text.split == part:
            yield Pair(text.versions[source], text.versions[target])


def texts_of(folder: Path, name: str, split: str) -> Iterator[str]:
    """Yield the training texts of a style."""
    if split not in STYLES:
        raise unknown("style", split, STYLES)
    return (
        text.versions[split] for text in read_texts(folder) if text.split == "train"
    )


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def _read_rows(path: Path, row_type: type[Any]) -> list[Any]:
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            rows.append(row_type(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ParaphrastError(
                f"{path}:{number}: not a row of everyday ({error}). Re-download it, or "
                "fix the row."
            ) from error
    return rows
