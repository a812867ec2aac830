"""Measure an assembled judge on the tables by which `transfer` measures a network.

So a judge that was trained otherwise is compared with a new one on the same rows. With
``--fold b`` the corpora of that fold are measured whole, which is fair to a judge that
learnt from none of them; with ``--fold all`` only the rows kept back.

Run    python -m training.judge.measure_folder small|FOLDER --data transfer.npz \\
           [--fold b] [--rows rows.npz] > figures.json
Needs  torch, CTranslate2; a judge with one encoder whose vocabulary is BERT's; minutes
       of a CPU.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges import judge as judges
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.encoder.running import pool_texts
from training.judge.left_out import FOLDS, Said, measure_tables
from training.judge.tables import load_several


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", type=Path)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--fold", choices=tuple(FOLDS), default="all")
    parser.add_argument("--rows", type=Path, help="what each row was given")
    options = parser.parse_args()
    judge: Any = judges.load(options.judge)
    predict = FolderPredictor(judge.similarity.reader, judge.formality.reader)
    figures, rows = measure_tables(predict, load_several(options.data), options.fold)
    if options.rows:
        arrays: dict[str, Any] = dict(rows)
        np.savez(options.rows, **arrays)
    json.dump(figures, sys.stdout, indent=1)


class FolderPredictor:
    """Predicts with a judge's encoder and heads, as `prediction.predict` does."""

    def __init__(self, reader: Reader, *others: Reader) -> None:
        """Use an 8-bit encoder; ``others`` have further heads on the same one."""
        arrays: dict[str, Any] = {}
        for own in (reader, *others):
            arrays |= own.heads.arrays
        self._reader, self._heads = reader, Heads(reader.heads.hidden, arrays)

    def __call__(
        self,
        texts: Sequence[NDArray[np.int64]],
        *,
        features: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> Said:
        """Return every head's logits and ``vector``; missing features are zeros."""
        reader, heads = self._reader, self._heads
        ids = [[int(token) for token in text] for text in texts]
        states = pool_texts(reader.encoder, ids, start=reader.start, end=reader.end)
        said = {"vector": heads.vectors(states).astype(np.float32)}
        for key, matrix in heads.arrays.items():
            name, _, kind = key.rpartition(".")
            if kind != "weight" or name == "meaning":
                continue
            seen = (features or {}).get(name)
            extra = matrix.shape[1] - states.shape[1]
            if seen is None and extra:
                seen = np.zeros((len(texts), extra), np.float32)
            logits = heads.logits(name, states, seen)  # type: ignore[arg-type]
            said[name] = logits.astype(np.float32)
        return said


if __name__ == "__main__":
    main()
