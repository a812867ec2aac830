"""The training links: 714 Edinburgh++ pairs and mt-reference's training half.

Folds split them for cross-validation; translations of one source stay together.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paraphrast.align.base import AlignedPair
from paraphrast.align.links import from_gold
from paraphrast.corpora.loaders import alignments

FOLDS = 5


@dataclass(frozen=True)
class Gold:
    """A training pair; ``style`` is 0 for Edinburgh++ and 1 for mt-reference."""

    pair: AlignedPair
    style: int
    fold: int


def read_gold(mirror: Path) -> list[Gold]:
    ours = alignments.edinburgh(mirror / "edinburgh", "train")
    theirs = alignments.mt_reference_half(mirror / "mt-reference", "train")
    return [Gold(from_gold(pair), 0, _fold(pair.name)) for pair in ours] + [
        Gold(from_gold(pair), 1, _fold(alignments.cluster(pair))) for pair in theirs
    ]


def _fold(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS


def cells(pair: AlignedPair) -> np.ndarray:
    """Return one row per link: source, target, P(sure), P(any link)."""
    rows = [(link.source, link.target, link.sure, 1) for link in pair.links]
    return np.array(rows, dtype=np.float32).reshape(-1, 4)


def pack(path: Path, probabilities: list[np.ndarray], least: float = 0.03) -> None:
    """Pack the possible links of each pair, four bytes per link."""
    rows = []
    for grid in probabilities:
        places = np.argwhere(grid[1] > least)
        values = np.rint(255 * grid[:, places[:, 0], places[:, 1]].T)
        rows.append(np.concatenate([places, values], axis=1).astype(np.uint8))
    counts = np.array([len(row) for row in rows])
    np.savez_compressed(path, counts=counts, links=np.concatenate(rows))


def unpack(path: Path) -> list[np.ndarray]:
    with np.load(path) as kept:
        links = kept["links"].astype(np.float32)
        links[:, 2:] /= 255
        return np.split(links, np.cumsum(kept["counts"])[:-1])
