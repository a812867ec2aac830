"""Ours: one JSON object per line, as ``paraphrast align pairs`` writes it.

    {"source": ["a", "cat"], "target": ["cats"], "links": [[1, 0, 0.97, "sure"]]}

Probability and label may be left out of a link; they are 1 and sure then. A pair's name
is in ``id``. A row that could not be aligned has its reason in ``error`` and no links.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from paraphrast.align.base import AlignedPair, Link, Words
from paraphrast.align.links import check_sides
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

SUFFIXES = (".jsonl", ".ndjson")
HAS_WORDS = True
LABELS = {"sure": True, "possible": False}


def read(path: Path) -> Iterator[tuple[str, AlignedPair]]:
    """Yield each line's location and pair."""
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}:{number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ParaphrastError(f"{where}: not valid JSON: {error}.") from error
        yield where, parse_record(record, where)


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield a line for each pair."""
    for pair in pairs:
        yield json.dumps(as_record(pair), ensure_ascii=False) + "\n"


def as_record(pair: AlignedPair) -> dict[str, Any]:
    """Return the object that stands for a pair."""
    links = [
        [k.source, k.target, round(k.probability, 4), "sure" if k.sure else "possible"]
        for k in pair.links
    ]
    name = {"id": pair.name} if pair.name else {}
    return {**name, "source": pair.source, "target": pair.target, "links": links}


def parse_record(record: Any, where: str) -> AlignedPair:
    """Return the pair that an object stands for."""
    if not isinstance(record, dict):
        raise ParaphrastError(f"{where}: expected a JSON object.")
    links = record.get("links", [])
    if not isinstance(links, list):
        raise ParaphrastError(f"{where}: 'links' must be a list.")
    pair = AlignedPair(
        _words(record, "source", where),
        _words(record, "target", where),
        tuple(sorted(_link(link, where) for link in links)),
        str(record.get("id", "")),
    )
    if "error" not in record:
        check_sides(pair, where)
    return pair


def _words(record: dict[str, Any], side: str, where: str) -> Words:
    words = record.get(side)
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise ParaphrastError(f"{where}: {side!r} must be a list of words.")
    return tuple(words)


def _link(link: Any, where: str) -> Link:
    match link:
        case [int(i), int(j)]:
            return Link(i, j)
        case [int(i), int(j), int(p) | float(p)] if 0 <= p <= 1:
            return Link(i, j, float(p))
        case [int(i), int(j), int(p) | float(p), "sure" | "possible" as label] if (
            0 <= p <= 1
        ):
            return Link(i, j, float(p), LABELS[label])
    raise ParaphrastError(
        f'{where}: {json.dumps(link)} is not a link such as [0, 1, 0.9, "sure"].'
    )
