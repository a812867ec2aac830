"""Write a paraphrase table as text: TSV or JSONL, one row per line."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.table import Table
from paraphrast.storage import atomic

SUFFIXES = (".tsv", ".jsonl")


def export(table: Table, path: Path) -> None:
    """Write all rows to a new .tsv or .jsonl file."""
    if path.suffix not in SUFFIXES:
        raise ParaphrastError(
            f"{path}: cannot tell the format. End the name in {' or '.join(SUFFIXES)}."
        )
    with atomic.writer(path) as file:
        for line in lines(table, path.suffix):
            file.write(f"{line}\n")


def lines(table: Table, suffix: str) -> Iterator[str]:
    """Yield a line for each row: phrase, paraphrase, probability, context."""
    for row in table:
        if suffix == ".jsonl":
            yield json.dumps(asdict(row), ensure_ascii=False)
        else:
            columns = (row.phrase, row.paraphrase, f"{row.probability:.7g}")
            yield "\t".join((*columns, row.context))
