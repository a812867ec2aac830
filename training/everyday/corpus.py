"""The everyday corpus and its contrast set, as training reads them.

Teacher and student learn from the split `train` and are measured on `dev`; judges have
`judges` to themselves. The contrast set has halves: what guards learn from is never
what judges learn from.
"""

import hashlib
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STYLES = (
    "plain", "formal", "informal", "polite", "simple", "concise", "shakespeare",
    "bible", "poetry", "prose-1810", "prose-1890", "joyce", "tweet", "conversation",
)  # fmt: skip
OLD = ("shakespeare", "bible", "poetry", "prose-1810", "prose-1890", "joyce")
MODERN = tuple(style for style in STYLES if style not in OLD)
FOLDER = Path(__file__).parents[2] / "corpora/everyday"
LONGEST_PASSAGE = 100  # words
_SPEAKER = re.compile(r"[A-Z][\w.' ]{0,30}: ")
TEXTS, CONTRAST = FOLDER / "texts.jsonl", FOLDER / "contrast.jsonl"


@dataclass(frozen=True)
class Text:
    """One text: its id, its kind, ``train``, ``dev`` or ``judges``, its versions."""

    name: str
    kind: str
    split: str
    versions: dict[str, str]

    @property
    def plain(self) -> str:
        """Return the plain version."""
        return self.versions["plain"]

    @property
    def half(self) -> str:
        """Return ``guards`` or ``judges``: whose contrast lines the text has."""
        digest = hashlib.sha256(f"contrast:{self.plain}".encode()).hexdigest()
        return "judges" if int(digest[:8], 16) % 2 else "guards"


@dataclass(frozen=True)
class Contrast:
    """A version of a text that is wrong in one thing, its kind; or ``same``."""

    name: str
    style: str
    kind: str
    half: str
    text: str


def read_texts(path: Path = TEXTS) -> list[Text]:
    """Return the texts of a file, in its order."""
    return [
        Text(row["id"], row["kind"], row["split"], row["versions"])
        for row in read_rows(path)
    ]


def read_lines(path: Path) -> list[Text]:
    """Return the lines of a file of documents as texts of their own.

    Documents whose versions have different numbers of lines are left out.
    """
    result = []
    for text in read_texts(path):
        lines = {style: said.split("\n") for style, said in text.versions.items()}
        if len({len(own) for own in lines.values()}) > 1:
            continue
        for number in range(len(lines["plain"])):
            versions = {style: own[number] for style, own in lines.items()}
            if all(versions.values()):
                name = f"{text.name}:{number}"
                result.append(Text(name, text.kind, text.split, versions))
    return result


def read_passages(path: Path, seed: int = 1) -> list[Text]:
    """Return passages of documents, two to five lines each, as texts of one line.

    Each document is cut once, at random; one whose versions have different numbers of
    lines stays whole. What is too long and talk by several speakers are left out.
    """
    draw, result = random.Random(seed), []
    for text in read_texts(path):
        lines = {style: said.split("\n") for style, said in text.versions.items()}
        if _has_speakers(lines["plain"]):
            continue
        sizes = {len(own) for own in lines.values()}
        for start, end in _cut(max(sizes), draw) if len(sizes) == 1 else [(0, None)]:
            versions = {
                style: (" / " if style == "poetry" else " ").join(own[start:end])
                for style, own in lines.items()
            }
            if len(versions["plain"].split()) <= LONGEST_PASSAGE:
                name = f"{text.name}:{start}-{end or ''}"
                result.append(Text(name, text.kind, text.split, versions))
    return result


def read_documents(path: Path) -> list[Text]:
    """Return the lines and the passages of a file of documents."""
    return read_lines(path) + read_passages(path)


def _cut(count: int, draw: random.Random) -> list[tuple[int, int | None]]:
    spans: list[tuple[int, int | None]] = []
    start = 0
    while start + 1 < count:
        end = min(count, start + draw.randint(2, 5))
        spans.append((start, end))
        start = end
    return spans


def _has_speakers(lines: list[str]) -> bool:
    return sum(bool(_SPEAKER.match(line)) for line in lines) >= 2


def read_contrast(path: Path = CONTRAST) -> dict[str, list[Contrast]]:
    """Return the contrast lines of a file by the id of their text."""
    lines: dict[str, list[Contrast]] = {}
    for row in read_rows(path):
        line = Contrast(row["id"], row["style"], row["kind"], row["half"], row["text"])
        lines.setdefault(line.name, []).append(line)
    return lines


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_rows(path: Path, rows: "list[dict[str, Any]]") -> None:
    """Write a file of JSON lines; it is there only when it is whole."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    unfinished.replace(path)
