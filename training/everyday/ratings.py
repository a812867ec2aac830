"""A reader's ratings of what the teacher wrote: meaning, style and fluency, 0 to 2.

Sheets have lines ``number meaning style fluency [kind of error]``; the numbers are
those of the rows with ``source``, ``style`` and ``output``. A fifth of the sources is
held out: nothing learns from their ratings. With ``--candidates`` the log-probability
per token that the teacher gave is looked up. ``-o`` names two files: the ratings, and
those that are held out in the form of requests with one candidate, to be scored.

Run    python -m training.everyday.ratings --rows FILE --sheets FILE... -o FILE FILE
              [--candidates FILE]
"""

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus

HELD = 5  # one source of so many is held out
SCALE = (0, 1, 2)


def is_held_out(source: str) -> bool:
    """Say whether nothing may learn from the ratings of a source's rewrites."""
    digest = hashlib.sha256(f"rating:{source}".encode()).hexdigest()
    return int(digest[:8], 16) % HELD == 0


def join_ratings(
    rows: Sequence[Mapping[str, Any]], lines: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the rated rows; a line that cannot be read stops it."""
    by_number = {int(row["n"]): row for row in rows}
    result: dict[int, dict[str, Any]] = {}
    for line in lines:
        words = line.split()
        if not words:
            continue
        try:
            number, *rated = (int(word) for word in words[:4])
            row = by_number[number]
        except (ValueError, KeyError):
            raise SystemExit(f"rating {line!r}: no such row or no numbers.") from None
        if len(rated) != 3 or any(value not in SCALE for value in rated):
            raise SystemExit(f"rating {line!r}: three numbers from 0 to 2 are wanted.")
        result[number] = {
            "source": row["source"], "style": row["style"], "output": row["output"],
            "from": row.get("from", ""),
            "meaning": rated[0], "manner": rated[1], "fluency": rated[2],
            "kind": words[4] if len(words) > 4 else "",
            "held": is_held_out(row["source"]),
        }  # fmt: skip
    return [result[number] for number in sorted(result)]


def find_probabilities(
    requests: Sequence[Mapping[str, Any]],
) -> dict[tuple[str, str], float]:
    """Return the log-probability per token of outputs, by source and output."""
    return {
        (request["text"], one["text"]): round(
            one["logp"] / max(1, one.get("tokens") or one.get("pieces") or 1), 4
        )
        for request in requests
        for one in request["candidates"]
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--sheets", type=Path, nargs="+", required=True)
    parser.add_argument("--candidates", type=Path)
    parser.add_argument("-o", "--output", type=Path, nargs=2, required=True)
    options = parser.parse_args()
    lines = [
        line for sheet in options.sheets for line in sheet.read_text().splitlines()
    ]
    rated = join_ratings(corpus.read_rows(options.rows), lines)
    if options.candidates:
        chances = find_probabilities(corpus.read_rows(options.candidates))
        for row in rated:
            row["logp"] = chances.get((row["source"], row["output"]), -0.5)
    corpus.write_rows(options.output[0], rated)
    corpus.write_rows(options.output[1], [
        row | {"text": row["source"], "candidates": [
            {"text": row["output"], "logp": row.get("logp", -0.5), "tokens": 1}
        ]}
        for row in rated if row["held"]
    ])  # fmt: skip
    print(len(rated), sum(row["held"] for row in rated), "held out")


if __name__ == "__main__":
    main()
