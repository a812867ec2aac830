"""The sources of the formality corpus, and how each is read.

Every row gives its source, the source's licence and the origin of the pair: ``written``
for the purpose, ``mined`` from text that was written for another, or ``synthetic``,
with a formal side written by a model. Research-only sources are read only on request.

Splits: everyday keeps its own (train; dev is tune; judges is test). Of the other
sources the file ``train`` is train, and a line of ``tune`` belongs to tune or test by
the hash of its informal side, so that new lines move no old ones. Synthetic pairs are
in train only.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.loaders import everyday
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.text.spacing import detokenise

Style: TypeAlias = Literal["formal", "informal"]
Made: TypeAlias = Literal["written", "mined", "synthetic"]

STYLES: tuple[Style, ...] = ("formal", "informal")
DOMAINS = ("entertainment", "family", "everyday")
SPLITS = ("train", "tune", "test")
_EVERYDAY_SPLITS = {"train": "train", "dev": "tune", "judges": "test"}


@dataclass(frozen=True, slots=True)
class Source:
    """A source: its domain, licence, the origin of its pairs, and its files."""

    name: str
    domain: str
    licence: str
    made: Made
    about: str
    research: bool = False
    train: str = ""
    held_out: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A text, its references in the style ``to``, and its source."""

    id: str
    to: Style
    split: str
    domain: str
    source: str
    licence: str
    made: str
    text: str
    references: tuple[str, ...]


EVERYDAY = Source(
    "everyday",
    "everyday",
    "CC BY 4.0",
    "written",
    "written by a language model under a guide; test texts with four references",
)
PAIRED = (
    Source(
        "openrewriteeval",
        "everyday",
        "CC BY 4.0",
        "written",
        "paragraphs that people made more formal, aligned by sentence; all genres",
        train="openrewriteeval/train.tsv",
        held_out="openrewriteeval/tune.tsv",
    ),
    Source(
        "sentiment140-mturk",
        "family",
        "MIT (the repository)",
        "written",
        "tweets that crowd workers wrote out correctly",
        train="sentiment140-mturk/train.tsv",
    ),
    Source(
        "tatoeba-register",
        "everyday",
        "CC BY 2.0 FR",
        "mined",
        "sentences that share a translation, ordered by register",
        train="tatoeba-register/train.tsv",
        held_out="tatoeba-register/tune.tsv",
    ),
    Source(
        "paradetox",
        "everyday",
        "CC0",
        "mined",
        "detoxified comments that are more formal too; offensive",
        train="paradetox/formal-train.tsv",
        held_out="paradetox/formal-tune.tsv",
    ),
    Source(
        "nus-sms-norm",
        "family",
        "research use only",
        "written",
        "text messages rewritten in standard English",
        research=True,
        train="nus-sms-norm/train.tsv",
        held_out="nus-sms-norm/tune.tsv",
    ),
)
JFLEG = Source(
    "jfleg",
    "everyday",
    "CC BY-NC-SA 4.0",
    "written",
    "learners' sentences corrected for fluency; to formal only, for training only",
    research=True,
    train="jfleg/fluency.tsv",
)
SYNTHETIC = (
    Source(
        "goemotions-synthetic",
        "family",
        "CC BY 4.0",
        "synthetic",
        "comments on Reddit, the formal side by a model",
    ),
    Source(
        "topical-chat-synthetic",
        "entertainment",
        "CDLA-Sharing-1.0",
        "synthetic",
        "chat about films, music, books and sport, the formal side by a model",
    ),
)
ALL = (EVERYDAY, *PAIRED, JFLEG, *SYNTHETIC)


def other_style(style: Style) -> Style:
    """Return the source style of texts to be rewritten into ``style``."""
    return "informal" if style == "formal" else "formal"


def read_sources(folder: Path, *, research: bool = False) -> Iterator[Row]:
    """Yield the rows of every source in a folder, both directions."""
    for source in PAIRED:
        if source.research and not research:
            continue
        for line, formal in _read_pairs(folder / source.train):
            yield from _both_ways(source, "train", line, formal)
        if source.held_out:
            for line, formal in _read_pairs(folder / source.held_out):
                yield from _both_ways(source, _held_out_split(line), line, formal)
    if research:
        for line in read_lines(folder / JFLEG.train):
            texts = [_join_tokens(text) for text in line.split("\t")]
            yield _row(JFLEG, "formal", "train", texts[0], texts[1:2])


def read_everyday(folder: Path) -> Iterator[Row]:
    """Yield everyday's rows: informal and formal, and plain in training.

    Plain texts are rewritten as formal or informal; plain is never a target.
    """
    more: dict[tuple[str, str], list[str]] = {}
    for line in everyday.read_references(folder):
        more.setdefault((line.id, line.style), []).append(line.text)
    for text in everyday.read_texts(folder):
        split, versions = _EVERYDAY_SPLITS[text.split], text.versions
        for to in STYLES:
            references = [versions[to], *more.get((text.id, to), ())]
            source = versions[other_style(to)]
            yield replace(_row(EVERYDAY, to, split, source, references), id=text.id)
            if split == "train":
                yield _row(EVERYDAY, to, split, versions["plain"], references)


def read_synthetic(paths: Iterable[Path]) -> Iterator[Row]:
    """Yield the rows of filtered synthetic pairs: source, informal and formal."""
    by_name = {source.name: source for source in SYNTHETIC}
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            try:
                record = json.loads(line)
                name, informal, formal = (
                    record[key] for key in ("source", "informal", "formal")
                )
            except (ValueError, KeyError, TypeError) as error:
                raise ParaphrastError(
                    f"{path}:{number}: expected source, informal and formal "
                    f"({error}). Write the file with training.formality.filter_pairs."
                ) from error
            if name not in by_name:
                raise ParaphrastError(
                    f"{path}:{number}: {unknown('source', name, by_name)}"
                )
            yield from _both_ways(by_name[name], "train", informal, formal)


def _both_ways(
    source: Source, split: str, informal: str, formal: str
) -> tuple[Row, Row]:
    return (
        _row(source, "formal", split, informal, [formal]),
        _row(source, "informal", split, formal, [informal]),
    )


def _row(
    source: Source, to: Style, split: str, text: str, references: Sequence[str]
) -> Row:
    key = "\t".join((source.name, to, text, *references))
    return Row(
        hashlib.sha256(key.encode()).hexdigest()[:12],
        to,
        split,
        source.domain,
        source.name,
        source.licence,
        source.made,
        text,
        tuple(references),
    )


def _held_out_split(text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return "test" if int(digest[:8], 16) % 2 else "tune"


def _read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 2:
            raise ParaphrastError(
                f"{path}:{number}: expected informal and formal separated by a tab, "
                f"found {len(columns)} columns. Fetch the file again."
            )
        yield columns[0], columns[1]


def _join_tokens(text: str) -> str:
    return detokenise(text.replace("&raspsquo;", "'").split())
