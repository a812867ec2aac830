"""Score outputs by a cross-encoder: how probably each says the same as its source.

Reads JSON lines with ``text`` and either ``output`` or ``candidates``; adds ``score``
to the line or to every candidate.

Run    python -m training.everyday.checker.score --model FOLDER --outputs FILE -o FILE
"""

import argparse
from pathlib import Path

from training.everyday import corpus
from training.everyday.checker.encoder import CrossEncoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--outputs", type=Path, required=True)
    parser.add_argument("--name", default="score")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = corpus.read_rows(options.outputs)
    pairs: list[tuple[str, str]] = []
    for row in rows:
        outputs = (
            [row["output"]]
            if "output" in row
            else [c["text"] for c in row["candidates"]]
        )
        pairs += [(row["text"], text) for text in outputs]
    scores = iter(CrossEncoder(options.model, options.device).score_pairs(pairs))
    for row in rows:
        for entry in [row] if "output" in row else row["candidates"]:
            entry[options.name] = round(next(scores), 4)
    corpus.write_rows(options.output, rows)


if __name__ == "__main__":
    main()
