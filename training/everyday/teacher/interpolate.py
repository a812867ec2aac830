"""Write the adapter half-way between two, exactly or cut to a lower rank.

Run    python -m training.everyday.teacher.interpolate --adapters FILE FILE -o FILE
              [--rank 16]
"""

import argparse
import json
from pathlib import Path

from training.everyday.teacher import qwen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapters", type=Path, nargs=2, required=True)
    parser.add_argument("--rank", type=int, help="cut to this rank")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    first, second = (qwen.Adapter.load(path, "cpu") for path in options.adapters)
    made = first.average(second)
    if options.rank:
        made = made.truncate(options.rank)
    qwen.save_adapter(made, options.output)
    told = {"half-way between": [path.name for path in options.adapters],
            "rank": options.rank or "both"}  # fmt: skip
    options.output.with_suffix(".json").write_text(json.dumps(told), "utf-8")


if __name__ == "__main__":
    main()
