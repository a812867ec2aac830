"""Examples for the small checker: the large one's scores of the teacher's rewrites.

Run    python -m training.everyday.checker.distil --scored FILE... -o FILE
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus, ratings

MOST = 160_000


def make_examples(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the scored candidates; held-out ratings' sources are not among them."""
    return [
        {"first": row["text"], "second": candidate["text"], "target": candidate["same"],
         "same": candidate["same"] > 0.5, "kind": "distilled", "style": row["style"]}
        for row in rows if not ratings.is_held_out(row["text"])
        for candidate in row["candidates"] if "same" in candidate
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scored", type=Path, nargs="+", required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = [
        row for path in options.scored for row in make_examples(corpus.read_rows(path))
    ]
    random.Random(1).shuffle(rows)
    corpus.write_rows(options.output, rows[:MOST])
    print(len(rows))


if __name__ == "__main__":
    main()
