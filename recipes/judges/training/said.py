"""Step 4: what the large judge says of texts that are only scored, never learnt from.

Run    python said.py --data probe.npz --encoder mpnet.npz --taught FOLDER -o FOLDER
"""

# ruff: noqa: T201, TID253
import argparse
from pathlib import Path

import numpy as np
from distil import large
from teach import DEVICE, HEADS

from paraphrast.judges.training.examples import load
from paraphrast.judges.training.network import predict


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--large", type=Path, required=True)
    parser.add_argument("--large-backbone", default="mpnet")
    parser.add_argument("--taught", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = load(options.data)["probe"]
    features = {"formality": rows.extra["features"]}
    arrays = {}
    for path in sorted(options.taught.glob("*.pt")):
        if path.stem == "small":
            continue
        heads = () if path.stem.startswith("meaning") else HEADS
        network = large(heads, path, options)
        found = predict(network, rows.texts, features=features, device=DEVICE)
        for name, values in found.items():
            if name != "vector" or path.stem == "meaning":
                arrays[f"{path.stem}/{name}"] = values.astype(np.float16)
    vectors = arrays.pop("meaning/vector")
    np.savez_compressed(options.output / "said.npz", **arrays)
    for number, part in enumerate(np.array_split(vectors, 3)):
        np.save(options.output / f"vectors{number}.npy", part)
    print(len(rows), sorted(arrays))


if __name__ == "__main__":
    main()
