"""Jacana: a JSON list of pairs with ``source``, ``target``, ``sureAlign``,
``possibleAlign`` as ``i-j`` from 0, ``id`` and ``name``.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from paraphrast.align.base import AlignedPair
from paraphrast.align.formats.spelling import read_cells, write_cells, write_words
from paraphrast.align.links import links_of, possible_cells, sure_cells
from paraphrast.corpora.lines import cannot_read
from paraphrast.errors import ParaphrastError

SUFFIXES = (".json",)
HAS_WORDS = True
FIELDS = ("source", "target", "sureAlign", "possibleAlign")


def read(path: Path) -> Iterator[tuple[str, AlignedPair]]:
    """Yield each record's location and pair."""
    try:
        records = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise cannot_read(path, error) from error
    except ValueError as error:
        raise ParaphrastError(f"{path}: not valid JSON: {error}.") from error
    if not isinstance(records, list):
        raise ParaphrastError(f"{path}: expected a JSON list of pairs.")
    for number, record in enumerate(records, start=1):
        where = f"{path}: pair {number}"
        yield where, _parse_record(record, where)


def write(pairs: Iterable[AlignedPair]) -> Iterator[str]:
    """Yield the list; a pair without a name gets its number."""
    between = "[\n"
    for number, pair in enumerate(pairs, start=1):
        source, target = write_words(pair, number)
        sure = sure_cells(pair.links)
        name = pair.name or str(number)
        record = {
            "name": name,
            "id": name,
            "source": source,
            "target": target,
            "sureAlign": write_cells(sure),
            "possibleAlign": write_cells(possible_cells(pair.links) - sure),
        }
        yield between + json.dumps(record, ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _parse_record(record: Any, where: str) -> AlignedPair:
    if not isinstance(record, dict) or not all(
        isinstance(record.get(field), str) for field in FIELDS
    ):
        raise ParaphrastError(f"{where}: expected the texts {', '.join(FIELDS)}.")
    sure = read_cells(record["sureAlign"], where)
    possible = read_cells(record["possibleAlign"], where)
    return AlignedPair(
        tuple(record["source"].split()),
        tuple(record["target"].split()),
        links_of(sure, possible),
        str(record.get("id", record.get("name", ""))),
    )
