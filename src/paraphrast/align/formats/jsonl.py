"""Ours: one JSON object per line, as ``paraphrast align pairs`` writes it.

    {"source": ["a", "cat"], "target": ["cats"], "links": [[1, 0, 0.97, "sure"]]}

Probability and label may be left out of a link; they are 1 and sure then. A pair's name
is in ``id``. A row that could not be aligned has its reason in ``error`` and no links.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from paraphrast.align.base import AlignedPair, Link, Words
from paraphrast.align.links import check_sides
from paraphrast.corpora.formats import Malformed
from paraphrast.corpora.formats.jsonl import parse_object
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

SUFFIXES = (".jsonl", ".ndjson")
HAS_WORDS = True
LABELS = {"sure": True, "possible": False}
Tokenise: TypeAlias = Callable[[str], list[str]]


def read(path: Path) -> Iterator[tuple[str, AlignedPair]]:
    """Yield each line's location and pair."""
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}:{number}"
        record = parse_json(line, where)
        pair = parse_record(record, where)
        if "error" not in record:
            check_sides(pair, where)
        yield where, pair


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield a line for each pair."""
    for pair in pairs:
        yield json.dumps(as_record(pair), ensure_ascii=False) + "\n"


def as_record(pair: AlignedPair) -> dict[str, Any]:
    """Return a pair as a JSON object."""
    links = [
        [k.source, k.target, round(k.probability, 4), "sure" if k.sure else "possible"]
        for k in pair.links
    ]
    name = {"id": pair.name} if pair.name else {}
    return {**name, "source": pair.source, "target": pair.target, "links": links}


def parse_json(line: str, where: str) -> dict[str, Any]:
    """Return the object on a line."""
    try:
        return parse_object(line)
    except Malformed as error:
        raise ParaphrastError(f"{where}: {error}") from error


def parse_record(
    record: dict[str, Any],
    where: str,
    source: Tokenise | None = None,
    target: Tokenise | None = None,
) -> AlignedPair:
    """Return a pair from its JSON object; a side may be a text to tokenise."""
    links = record.get("links", [])
    if not isinstance(links, list):
        raise ParaphrastError(f"{where}: 'links' must be a list.")
    return AlignedPair(
        _words(record, "source", where, source),
        _words(record, "target", where, target),
        tuple(sorted(_link(link, where) for link in links)),
        str(record.get("id", "")),
    )


def _words(
    record: dict[str, Any], side: str, where: str, tokenise: Tokenise | None
) -> Words:
    words = record.get(side)
    if isinstance(words, str) and tokenise:
        words = tokenise(words)
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        form = "a text or a list of words" if tokenise else "a list of words"
        raise ParaphrastError(f"{where}: {side!r} must be {form}.")
    try:
        "".join(words).encode("utf-8")
    except UnicodeEncodeError:
        message = f"{where}: {side!r} has an unpaired surrogate. Fix the row."
        raise ParaphrastError(message) from None
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
