"""Sheets for readers: requests with all their rewrites, without systems' names.

A sheet has blocks ``@12 [style] source`` with lines ``a: rewrite`` in random order;
identical rewrites appear once. ``rows.jsonl`` beside the sheets is the key, by which
`training.everyday.ratings` reads what readers answer. Requests of ``--first`` come
before others.

Run    python -m training.everyday.sheets --outputs SYSTEM=FILE... -o FOLDER
              [--first ORIGIN] [--size 300]
"""

import argparse
import random
import string
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus

Row = dict[str, Any]


def merge_outputs(outputs: Iterable[tuple[str, Sequence[Row]]]) -> list[Row]:
    """Return the requests, each with its different rewrites and who wrote them."""
    requests: dict[tuple[str, str], Row] = {}
    for system, rows in outputs:
        for row in rows:
            request = requests.setdefault(
                (row["text"], row["style"]),
                {"source": row["text"], "style": row["style"],
                 "from": row.get("from", ""), "written": {}},
            )  # fmt: skip
            for output in read_outputs(row):
                entry = request["written"].setdefault(
                    output["text"], {**output, "systems": []}
                )
                if system not in entry["systems"]:
                    entry["systems"].append(system)
    return list(requests.values())


def read_outputs(row: Row) -> list[Row]:
    """Return the rewrites of a request: its candidates, or its one output."""
    return [{"text": row["output"]}] if "output" in row else list(row["candidates"])


def letter_candidates(requests: Sequence[Row], draw: random.Random) -> list[Row]:
    """Return numbered rows whose candidates have letters in random order."""
    result = []
    for number, request in enumerate(requests, start=1):
        written = list(request["written"].values())
        draw.shuffle(written)
        candidates = dict(zip(string.ascii_lowercase, written, strict=False))
        row = {key: value for key, value in request.items() if key != "written"}
        result.append({"n": number, **row, "candidates": candidates})
    return result


def format_sheet(rows: Sequence[Row]) -> str:
    """Return the text of a sheet."""
    blocks = [
        "\n".join([
            f"@{row['n']} [{row['style']}] {row['source']}",
            *(f"{letter}: {own['text']}" for letter, own in row["candidates"].items()),
        ])
        for row in rows
    ]  # fmt: skip
    return "\n\n".join(blocks) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outputs", nargs="+", required=True, help="SYSTEM=FILE")
    parser.add_argument("--first", default="", help="origin of the first requests")
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    named = [named_output.split("=", 1) for named_output in options.outputs]
    requests = merge_outputs(
        (system, corpus.read_rows(Path(path))) for system, path in named
    )
    draw = random.Random(options.seed)
    draw.shuffle(requests)
    requests.sort(key=lambda row: row["from"] != options.first)
    rows = letter_candidates(requests, draw)
    corpus.write_rows(options.output / "rows.jsonl", rows)
    starts = range(0, len(rows), options.size)
    for number, start in enumerate(starts):
        sheet = format_sheet(rows[start : start + options.size])
        (options.output / f"sheet-{number:02d}.txt").write_text(sheet, "utf-8")
    print(f"{len(rows)} requests on {len(starts)} sheets")


if __name__ == "__main__":
    main()
