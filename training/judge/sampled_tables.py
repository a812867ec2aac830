"""A sample of the tables of `training.judge.data` that is small enough to transfer."""

from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.judges import judge as judges
from paraphrast.judges.encoder.running import pool_texts
from paraphrast.judges.training.examples import Table
from training.judge.tables import choose_rows
from training.styles import STYLES

SAMPLED = {
    "style": 110_000,
    "natural": 120_000,
    "unlabelled": 90_000,
    "pairs": 30_000,
    "style_dev": 1600,
    "style_test": 1600,
    "cds": 8000,
}
LEFT_OUT = ("modern", "cds_own", "cds_test")
MODERN = 40_000
_BATCH = 2000


def label_modern(tables: dict[str, Table]) -> dict[str, Table]:
    """Add modern English to ``style``: formal, informal or neither, by the small judge.

    Its formality without case and punctuation decides; what lies between is left out.
    """
    modern = choose_rows(tables["modern"], MODERN)
    model: Any = judges.load(Path("small")).formality
    reader = model.reader
    scores: list[float] = []
    for start in range(0, len(modern), _BATCH):
        ids = [text.tolist() for text in modern.texts[start : start + _BATCH]]
        rows = pool_texts(reader.encoder, ids, start=reader.start, end=reader.end)
        scores += reader.heads.logits("bare", rows)[:, 0].tolist()
    result = np.array(scores)
    labels = np.full(len(modern), -1)
    labels[(result > -0.7) & (result < 0.4)] = STYLES.index("modern")
    labels[result >= 0.8] = STYLES.index("formal")
    labels[result <= -1.0] = STYLES.index("informal")
    kept = np.flatnonzero(labels >= 0)
    style = choose_rows(tables["style"], SAMPLED["style"])
    texts = [*style.texts, *(modern.texts[row] for row in kept)]
    joined = np.concatenate([style.labels, labels[kept]]).astype(np.float32)
    return tables | {"style": Table(texts, joined)}


def sample_tables(tables: dict[str, Table], share: float = 1.0) -> dict[str, Table]:
    """Return the tables with at most the number of rows in `SAMPLED` each."""
    return {
        name: choose_rows(table, int(share * SAMPLED.get(name, len(table) / share)))
        if name != "style"
        else choose_rows(table, int(share * len(table)))
        for name, table in tables.items()
        if name not in LEFT_OUT
    }
