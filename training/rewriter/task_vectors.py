"""Extrapolate along fine-tuning updates (task vectors: Ilharco et al. 2023), on a CPU.

A student that learnt from selected samples still copies much of its input. The
difference of its weights to those it started from points towards the style; adding more
of it makes rewrites stronger at no cost, until they lose the meaning. How much is
chosen by development_scores.py, on another play than the tested one.

Run    python -m training.rewriter.task_vectors MODEL --way FROM TO TIMES... \\
           -o FOLDER
Reads  models of the same shape; adds TIMES x (TO - FROM) to MODEL's weights
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from paraphrast.neural.models import folders
from paraphrast.storage import sealed_folder

WEIGHTS, RECORD = "model.safetensors", "training.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument(
        "--way", nargs=3, action="append", required=True, metavar=("FROM", "TO", "X")
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    ways = [(Path(a), Path(b), float(times)) for a, b, times in options.way]
    extrapolate(options.model, ways, options.output)


def extrapolate(
    model: Path, ways: list[tuple[Path, Path, float]], output: Path
) -> None:
    """Write a model with the task vectors added, and note them in its record."""
    weights = {k: v.astype(np.float32) for k, v in load_file(model / WEIGHTS).items()}
    for start, end, times in ways:
        before, after = load_file(start / WEIGHTS), load_file(end / WEIGHTS)
        for name in weights:
            weights[name] += np.float32(times) * (after[name] - before[name])
    output.mkdir(parents=True)
    for path in model.iterdir():
        if path.name not in (WEIGHTS, RECORD):
            shutil.copy(path, output / path.name)
    record = json.loads((model / RECORD).read_text("utf-8"))
    record["further"] = [
        {"from": start.name, "to": end.name, "times": times}
        for start, end, times in ways
    ]
    save_file(weights, output / WEIGHTS, metadata={"format": "pt"})
    sealed_folder.seal(output, folders.KIND, record)


if __name__ == "__main__":
    main()
