"""The parameters of a trained aligner, and how they are stored in files.

The word vectors belong to the package and never change. A saved aligner is a folder
with the network's weights and its thresholds, and records the vectors it was trained
with. The package's own aligner is such a folder.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from paraphrast.align.base import (
    PREFERENCES,
    RETRAIN,
    SAVED,
    Preference,
    read_settings,
    seal,
)
from paraphrast.align.monolingual.features import NAMES
from paraphrast.align.monolingual.network import STEPS, Weights
from paraphrast.align.monolingual.vectors import Table, Vectors
from paraphrast.errors import ParaphrastError
from paraphrast.storage import sealed_folder
from paraphrast.storage.arrays import read_archive

NAME: Final = "monolingual"
_DATA = Path(__file__).parent / "data"
_VECTORS = (_DATA / "words.txt", _DATA / "vectors.npz")


POSSIBLE: Final[Mapping[Preference, float]] = {
    "precision": 0.45,
    "balance": 0.34,
    "recall": 0.2,
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The probabilities above which a cell is a sure link, and a link at all.

    The second depends on the operating point; training.aligner.tune describes how they
    were chosen. Cells whose score before the last layer is below ``hopeless`` are
    skipped, which saves time; the value suits weights fine-tuned from the package's.
    """

    sure: float = 0.44
    possible: Mapping[Preference, float] = field(default_factory=lambda: POSSIBLE)
    hopeless: float | None = None


@dataclass(frozen=True, slots=True)
class Trained:
    """The network's weights and its thresholds."""

    weights: Weights
    thresholds: Thresholds


@cache
def vectors() -> Vectors:
    """Return the word vectors of the package."""
    words, path = _VECTORS
    names = words.read_text("utf-8").split("\n")
    arrays = read_archive(path, RETRAIN)
    layers = sum(name.startswith("context bias") for name in arrays)
    return Vectors(
        Table(
            {name: row for row, name in enumerate(names)},
            arrays["rows"],
            arrays["scales"].astype(np.float32),
        ),
        arrays["alone"],
        arrays["around"],
        tuple(
            (arrays[f"context {number}"], arrays[f"context bias {number}"])
            for number in range(layers)
        ),
    )


@cache
def load_shipped() -> Trained:
    """Return the aligner of the package."""
    return load(_DATA / "trained")


def load(folder: Path) -> Trained:
    """Return a saved aligner, or say why it cannot be used."""
    settings = read_settings(folder, NAME)
    if settings.get("made_for") != _made_for():
        raise ParaphrastError(
            f"{folder}: was trained with other word vectors or features than those of "
            f"this version. {RETRAIN}"
        )
    weights = {
        name: array.astype(np.float32)
        for name, array in read_archive(folder / "weights.npz", RETRAIN).items()
    }
    return Trained(weights, _read_thresholds(settings["thresholds"]))


def _read_thresholds(stored: dict[str, Any]) -> Thresholds:
    """Return thresholds; a model without operating points has one for all."""
    possible = stored["possible"]
    if not isinstance(possible, dict):
        possible = dict.fromkeys(PREFERENCES, possible)
    return Thresholds(**(stored | {"possible": possible}))


def save(trained: Trained, folder: Path, **about: object) -> None:
    """Write an aligner that `load` reads; ``about`` goes into its manifest."""
    settings = {
        "thresholds": asdict(trained.thresholds),
        "made_for": _made_for(),
        **about,
    }
    with sealed_folder.new(folder, SAVED) as filling:
        arrays: dict[str, Any] = dict(trained.weights)
        np.savez_compressed(filling / "weights.npz", **arrays)
        seal(filling, NAME, settings)


@cache
def _made_for() -> str:
    """Return a hash of all that a network's weights depend on."""
    digest = hashlib.sha256(repr((NAMES, STEPS)).encode())
    for path in _VECTORS:
        digest.update(path.read_bytes())
    return digest.hexdigest()
