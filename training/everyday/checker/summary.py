"""Sum up scored outputs: what a reader would probably say of them, by style.

Run    python -m training.everyday.checker.summary --scored FILE...
              --reward FILE -o FILE
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.everyday import corpus
from training.everyday.checker.reward import Reward, cut_words
from training.everyday.teacher import choose

Row = dict[str, Any]


def sum_up(rows: Sequence[Row]) -> dict[str, float]:
    """Return means over the rows' first candidates."""
    first = [(row, row["candidates"][0]) for row in rows]
    size = max(1, len(first))
    copies = sum(cut_words(row["text"]) == cut_words(one["text"]) for row, one in first)
    result = {
        "outputs": float(len(first)),
        "worth": sum(one["worth"] for _, one in first) / size,
        "faults": sum(bool(one.get("fault")) for _, one in first) / size,
        "copies": copies / size,
    }
    for at, name in enumerate(("meaning", "manner", "fluency")):
        result[name] = sum(one["chances"][at] for _, one in first) / size
    return {name: round(value, 4) for name, value in result.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scored", type=Path, nargs="+", required=True)
    parser.add_argument("--reward", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    reward, told = Reward.load(options.reward), {}
    for path in options.scored:
        rows = [row for row in corpus.read_rows(path) if row["candidates"]]
        choose.add_worths(rows, reward)
        by_style: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_style[row["style"]].append(row)
        told[path.stem] = {"all": sum_up(rows)} | {
            style: sum_up(own) for style, own in sorted(by_style.items())
        }
        print(path.stem, json.dumps(told[path.stem]["all"]), flush=True)
    options.output.write_text(json.dumps(told, indent=1), "utf-8")


if __name__ == "__main__":
    main()
