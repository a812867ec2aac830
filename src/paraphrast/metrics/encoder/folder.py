"""A judge made of encoders, on disk: one folder an encoder, heads in each.

``judge.json`` names the encoders, and which heads of which encoder each part of the
judge reads. Every file's sha256 is in it and is checked on loading, so that a figure's
signature says which weights made it.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.encoder import heads as all_heads
from paraphrast.metrics.encoder.models import (
    EncoderFluency,
    EncoderFormality,
    EncoderSimilarity,
    EncoderStyle,
)
from paraphrast.metrics.encoder.reading import Reader
from paraphrast.metrics.encoder.running import Int8Encoder
from paraphrast.metrics.encoder.wordpiece import WordPiece

KIND = "encoder"


def parts(
    folder: Path, manifest: Mapping[str, Any], *, threads: int = 1
) -> dict[str, Any]:
    """Return the models of a judge by the names of its parts."""
    try:
        readers = {
            name: _reader(folder / name, about, threads=threads)
            for name, about in manifest["encoders"].items()
        }
        return _models(manifest["parts"], readers)
    except (KeyError, TypeError) as error:
        raise ParaphrastError(
            f"{folder / 'judge.json'}: {error} is missing or of the wrong kind. "
            "Copy the judge anew."
        ) from error


def _models(wanted: Mapping[str, Any], readers: Mapping[str, Reader]) -> dict[str, Any]:
    styles = [
        EncoderStyle(
            tuple(one["styles"]),
            tuple(readers[name] for name in one["encoders"]),
            one["head"],
            float(one["sharpness"]),
        )
        for one in wanted["accuracy"]
    ]
    fluency = wanted["fluency"]
    return {
        "accuracy": styles[0].beside(styles[1:]),
        "similarity": EncoderSimilarity(
            readers[wanted["similarity"]["encoder"]],
            tuple((x, y) for x, y in wanted["similarity"]["knots"]),
        ),
        "fluency": EncoderFluency(
            readers[fluency["encoder"]], fluency["shares"], float(fluency["bias"])
        ),
        "formality": EncoderFormality(readers[wanted["formality"]["encoder"]]),
    }


def _reader(folder: Path, about: Mapping[str, Any], *, threads: int) -> Reader:
    for name, wanted in about["files"].items():
        if _sha256(folder / name) != wanted:
            raise ParaphrastError(
                f"{folder / name} is not the file that judge.json names. "
                "Copy the judge anew, or build it again."
            )
    heads = all_heads.load(folder / "heads.npz")
    vocabulary = json.loads((folder / "vocabulary.json").read_text("utf-8"))
    return Reader(
        Int8Encoder(
            folder,
            hidden=int(about["hidden"]),
            numbered=bool(about.get("numbered")),
            threads=threads,
        ),
        WordPiece(vocabulary),
        heads,
        hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest(),
        start=int(about["start"]),
        end=int(about["end"]),
    )


def files(folder: Path) -> dict[str, str]:
    """Return the sha256 of each file of an encoder's folder, for `judge.json`."""
    return {path.name: _sha256(path) for path in sorted(folder.iterdir())}


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ParaphrastError(
            f"cannot read {path}: {error.strerror}. Copy the judge anew."
        ) from error
