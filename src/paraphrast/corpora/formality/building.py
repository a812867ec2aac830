"""Assemble the formality corpus without leaks, and write it.

Rows with equal or empty sides and duplicates are dropped. A text that is in test, on
either side and ignoring case, punctuation and spacing, is in neither tune nor train; a
text of tune is not in train. Everything dropped is counted by reason.

The files are ``to-formal/{train,tune,test}.jsonl``, the same in ``to-informal``, and
``about.json``: the contribution and licence of every source.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from paraphrast.corpora.formality.sources import (
    ALL,
    SPLITS,
    STYLES,
    Row,
    Style,
    read_everyday,
    read_sources,
    read_synthetic,
)
from paraphrast.corpora.lines import read_lines
from paraphrast.corpora.splitting import normalise_text
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.storage import atomic

ABOUT = "about.json"
EMPTY, EQUAL, TWICE, LEAK = (
    "a side is empty",
    "both sides are equal",
    "stands twice",
    "shares a text with a later split",
)


@dataclass(frozen=True)
class Assembled:
    """The rows of the corpus in order, and how many were dropped, by reason."""

    rows: tuple[Row, ...]
    dropped: dict[str, int]

    def select(
        self, to: Style, split: str, *, domain: str = "", source: str = ""
    ) -> list[Row]:
        """Return the rows of a direction and split, or of one domain or source."""
        return [
            row
            for row in self.rows
            if (row.to, row.split) == (to, split)
            and domain in ("", row.domain)
            and source in ("", row.source)
        ]


@dataclass(frozen=True)
class Report:
    """The counts of what was written, by direction, split and source, and dropped."""

    counts: dict[str, dict[str, dict[str, int]]]
    dropped: dict[str, int]
    sources: dict[str, dict[str, Any]]
    sha256: dict[str, str]

    def lines(self) -> Iterator[str]:
        """Format the report as lines of text."""
        for direction, splits in self.counts.items():
            for split, sources in splits.items():
                listed = ", ".join(f"{name} {n:,}" for name, n in sources.items())
                total = sum(sources.values())
                yield f"{direction}/{split:<6}{total:>8,}  ({listed or 'none'})"
        for reason, count in self.dropped.items():
            yield f"{count:,} rows dropped: {reason}"


def assemble(
    everyday: Path,
    sources: Path | None = None,
    *,
    synthetic: Sequence[Path] = (),
    research: bool = False,
) -> Assembled:
    """Return the corpus from the folders of everyday and of the sources.

    Without ``sources`` only everyday is used. With ``research``, sources are included
    whose text must not be redistributed.
    """
    rows = list(read_everyday(everyday))
    if sources is not None:
        rows += read_sources(sources, research=research)
    rows += read_synthetic(synthetic)
    return _drop_rows(rows)


def build(
    assembled: Assembled,
    output: Path,
    *,
    progress: Callable[[int], None] = lambda count: None,
) -> Report:
    """Write a corpus into a folder; ``progress`` is called with the rows written."""
    counts: dict[str, dict[str, dict[str, int]]] = {}
    hashes = {}
    for to in STYLES:
        for split in SPLITS:
            rows = assembled.select(to, split)
            path = output / f"to-{to}" / f"{split}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            digest = sha256()
            with atomic.writer(path) as file:
                for row in rows:
                    line = f"{json.dumps(asdict(row), ensure_ascii=False)}\n"
                    digest.update(line.encode())
                    file.write(line)
            progress(len(rows))
            per_source = Counter(row.source for row in rows)
            counts.setdefault(f"to-{to}", {})[split] = dict(per_source)
            hashes[f"to-{to}/{split}.jsonl"] = digest.hexdigest()
    used = {row.source for row in assembled.rows}
    about = {s.name: asdict(s) for s in ALL if s.name in used}
    report = Report(counts, assembled.dropped, about, hashes)
    atomic.write_json(output / ABOUT, asdict(report), indent=2)
    return report


def read_built(folder: Path, to: str, split: str) -> list[Row]:
    """Return the rows of a direction and split of a corpus that `build` wrote."""
    if to not in STYLES:
        raise unknown("style", to, STYLES)
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    path = folder / f"to-{to}" / f"{split}.jsonl"
    if not path.is_file():
        raise ParaphrastError(
            f"{path} not found. Build the corpus with `paraphrast corpora build "
            f"formality -o {folder}`."
        )
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(line)
            rows.append(Row(**record | {"references": tuple(record["references"])}))
        except (ValueError, TypeError, KeyError) as error:
            raise ParaphrastError(
                f"{path}:{number}: not a row of the formality corpus ({error}). "
                "Build it again."
            ) from error
    return rows


def _drop_rows(rows: Iterable[Row]) -> Assembled:
    """Process test before train, so that leaks are dropped from the training side."""
    order = {split: index for index, split in enumerate(reversed(SPLITS))}
    dropped = dict.fromkeys((EMPTY, EQUAL, TWICE, LEAK), 0)
    taken: dict[str, int] = {}  # the text, and the first split that has it
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for row in sorted(rows, key=lambda row: order[row.split]):
        sides = [normalise_text(text) for text in (row.text, *row.references)]
        rank = order[row.split]
        pair = (row.to, row.text, row.references[0])
        if not all(sides):
            dropped[EMPTY] += 1
        elif row.text.strip() == row.references[0].strip():
            dropped[EQUAL] += 1
        elif pair in seen:
            dropped[TWICE] += 1
        elif any(taken.get(side, rank) < rank for side in sides):
            dropped[LEAK] += 1
        else:
            seen.add(pair)
            for side in sides:
                taken.setdefault(side, rank)
            kept.append(row)
    splits = {split: index for index, split in enumerate(SPLITS)}
    kept.sort(key=lambda row: splits[row.split])
    return Assembled(tuple(kept), dropped)
