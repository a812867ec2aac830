"""The automatic checks of the everyday corpus: faults, and statistics per style.

A fault needs no judgment: a missing version, different numbers, a repeated text, a
wrong split. Lost names, copies of the plain version and frequent openings are reported
as rates, because they can be justified.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from paraphrast.corpora.filtering.preservation import differ
from paraphrast.corpora.loaders.everyday import (
    ERRORS,
    REFERENCED,
    STYLES,
    WRITERS,
    Contrast,
    RatedRewrite,
    Reference,
    Text,
    half_of,
    read_contrast,
    read_references,
    read_rewrites,
    read_texts,
    split_of,
)
from paraphrast.language.names import find_lost_names
from paraphrast.language.numbers import find_lost_numbers
from paraphrast.text.overlap import unigram_overlap, words

FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
POST = 280  # characters of a tweet


@dataclass(frozen=True, slots=True)
class StyleReport:
    """One style: mean words, and percentages of its versions.

    ``overlap`` is the word F1 with the plain version; ``opening`` is the most frequent
    pair of first words and ``opening_share`` its share of the versions.
    """

    style: str
    versions: int
    words: float
    overlap: float
    copies: float
    names_lost: float
    opening: str
    opening_share: float


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of a check of the corpus."""

    texts: int
    documents: int
    contrast: int
    references: int
    faults: tuple[str, ...]
    styles: tuple[StyleReport, ...]


def check(folder: Path) -> Report:
    """Check the texts, documents, contrast set and references in a folder."""
    texts, documents = read_texts(folder), read_texts(folder, "documents.jsonl")
    contrast, references = read_contrast(folder), read_references(folder)
    by_id = {text.id: text for text in texts}
    faults = [
        *_find_faults(texts, styles=STYLES),
        *_find_faults(documents, styles=STYLES[:6]),
        *_find_contrast_faults(contrast, by_id),
        *_find_reference_faults(references, by_id),
        *_find_rewrite_faults(read_rewrites(folder)),
    ]
    styles = tuple(_describe_style(style, texts) for style in STYLES)
    return Report(
        texts=len(texts),
        documents=len(documents),
        contrast=len(contrast),
        references=len(references),
        faults=tuple(faults),
        styles=styles,
    )


def _find_faults(texts: Sequence[Text], *, styles: Sequence[str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for text in texts:
        yield from find_text_faults(text, styles)
        key = " ".join(words(text.versions.get("plain", "")))
        if key in seen:
            yield f"{text.id}: same plain text as {seen[key]}"
        seen[key] = text.id


def find_text_faults(text: Text, styles: Sequence[str]) -> Iterator[str]:
    """Yield the faults of one text, which should have versions in these styles."""
    missing = [style for style in styles if not text.versions.get(style)]
    if missing:
        yield f"{text.id}: no version in {', '.join(missing)}"
    else:
        yield from (f"{text.id}: {fault}" for fault in _find_version_faults(text))


def _find_version_faults(text: Text) -> Iterator[str]:
    plain = text.versions["plain"]
    figures = sorted(FIGURE.findall(plain))
    for style, version in text.versions.items():
        if style not in STYLES:
            yield f"unknown style {style}"
        if sorted(FIGURE.findall(version)) != figures:
            yield f"{style}: numbers differ from plain: {version}"
    if text.split != split_of(plain):
        yield f"split is {text.split}, not {split_of(plain)}"
    # A document may be a thread of posts.
    tweet = text.versions.get("tweet", "")
    if len(tweet) > POST and "\n" not in tweet and len(text.versions) == len(STYLES):
        yield f"tweet: {len(tweet)} characters"


def _find_contrast_faults(
    contrast: Iterable[Contrast], texts: dict[str, Text]
) -> Iterator[str]:
    for line in contrast:
        text = texts.get(line.id)
        if text is None:
            yield f"contrast {line.id}: no such text"
        elif line.kind not in (*ERRORS, "same"):
            yield f"contrast {line.id}: unknown kind {line.kind}"
        elif line.half != half_of(text.versions["plain"]):
            yield f"contrast {line.id}: wrong half"
        elif line.text in text.versions.values():
            yield f"contrast {line.id}: equals a version: {line.text}"


def _find_reference_faults(
    references: Iterable[Reference], texts: dict[str, Text]
) -> Iterator[str]:
    writers: dict[tuple[str, str], list[str]] = {}
    for line in references:
        where = f"reference {line.id}, {line.style}, {line.writer}"
        text = texts.get(line.id)
        writers.setdefault((line.id, line.style), []).append(line.writer)
        if text is None:
            yield f"{where}: no such text"
        elif line.style not in REFERENCED:
            yield f"{where}: unknown style"
        elif text.split != "judges":
            yield f"{where}: the text is in {text.split}, not in judges"
        elif not line.text.strip():
            yield f"{where}: empty"
        elif line.text == text.versions[REFERENCED[line.style]]:
            yield f"{where}: copies what it rewrites"
        elif differ(text.versions["plain"], line.text, find_lost_numbers):
            yield f"{where}: numbers differ from plain: {line.text}"
    for (name, style), names in writers.items():
        if sorted(names) != list(WRITERS):
            yield f"reference {name}, {style}: writers are {', '.join(names)}"


def _find_rewrite_faults(rewrites: Iterable[RatedRewrite]) -> Iterator[str]:
    for row in rewrites:
        if row.style not in STYLES:
            yield f"rewrite of {row.source!r}: unknown style {row.style}"
        if not {row.meaning, row.manner, row.fluency} <= {0, 1, 2}:
            yield f"rewrite of {row.source!r}: a mark is not 0, 1 or 2"


def _describe_style(style: str, texts: Sequence[Text]) -> StyleReport:
    pairs = [
        (text.versions["plain"], text.versions[style])
        for text in texts
        if {"plain", style} <= text.versions.keys()
    ]
    tokens = [(words(plain), words(version)) for plain, version in pairs]
    openings = Counter(" ".join(version[:2]) for _, version in tokens if version)
    opening, count = openings.most_common(1)[0] if openings else ("", 0)
    total = max(1, len(pairs))
    return StyleReport(
        style=style,
        versions=len(pairs),
        words=mean([len(version.split()) for _, version in pairs] or [0]),
        overlap=100 * mean([unigram_overlap(*pair).f1 for pair in tokens] or [0.0]),
        copies=100 * sum(plain == version for plain, version in tokens) / total,
        names_lost=100 * sum(bool(find_lost_names(*pair)) for pair in pairs) / total,
        opening=opening,
        opening_share=100 * count / total,
    )
