"""A judge made of encoders, on disk: one folder per encoder, with its heads.

``judge.json`` names the encoders, and which heads of which encoder each part of the
judge reads, or the file of a built-in model; ``heads`` are additional heads of an
encoder, in separate files, which parts name as they name encoders; other parts and
their signatures do not change. A ``combination`` adds other kinds of evidence to
encoders. Every file's sha256 is in it and is checked on loading, so that a figure's
signature identifies the weights.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.estimators import ngram_model
from paraphrast.judges import accuracy
from paraphrast.judges import fluency as fluencies
from paraphrast.judges.encoder import heads as all_heads
from paraphrast.judges.encoder.combination import (
    CombinedStyle,
    EncoderOdds,
    Evidence,
    LinearOdds,
    Odds,
)
from paraphrast.judges.encoder.matching import (
    SHARES,
    Matching,
    load_change,
    weigh_vocabulary,
)
from paraphrast.judges.encoder.models import (
    EncoderFluency,
    EncoderFormality,
    EncoderSimilarity,
    EncoderStyle,
)
from paraphrast.judges.encoder.reading import Reader, Tokenizer
from paraphrast.judges.encoder.running import Int8Encoder
from paraphrast.metrics.style_scores import LanguageModelStyle
from paraphrast.storage.sealed_folder import sha256
from paraphrast.text.similarity import HashedSimilarity
from paraphrast.text.wordpiece import ByteLevelTokenizer, WordPiece


def parts(
    folder: Path, manifest: Mapping[str, Any], *, threads: int = 1
) -> dict[str, Any]:
    """Return the models of a judge by the names of its parts."""
    try:
        matched = "matching" in manifest["parts"].get("similarity", ())
        readers = {
            name: reader(folder / name, about, threads=threads, keeps_tokens=matched)
            for name, about in manifest["encoders"].items()
        }
        for name, about in manifest.get("heads", {}).items():
            readers[name] = read_heads(folder, about, readers[about["encoder"]])
        return _models(folder, manifest["parts"], readers)
    except (KeyError, TypeError) as error:
        raise ParaphrastError(
            f"{folder / 'judge.json'}: {error} is missing or of the wrong type. "
            "Re-download the judge."
        ) from error


def _models(
    folder: Path, wanted: Mapping[str, Any], readers: Mapping[str, Reader]
) -> dict[str, Any]:
    general, *special = (_style(folder, about, readers) for about in wanted["accuracy"])
    models = {
        "accuracy": general.beside(special) if special else general,
        "similarity": _similarity(folder, wanted["similarity"], readers),
        "fluency": _fluency(folder, wanted["fluency"], readers),
    }
    if "formality" in wanted:
        models["formality"] = EncoderFormality(readers[wanted["formality"]["encoder"]])
    return models


def _similarity(folder: Path, about: Any, readers: Mapping[str, Reader]) -> Any:
    if "file" in about:
        return HashedSimilarity.load(folder / about["file"])
    knots = tuple((x, y) for x, y in about["knots"])
    reader = readers[about["encoder"]]
    matching = _matching(folder, about.get("matching"), reader)
    return EncoderSimilarity(reader, knots, matching)


def _matching(
    folder: Path, about: Mapping[str, Any] | None, reader: Reader
) -> Matching | None:
    if about is None:
        return None
    if not isinstance(reader.tokenizer, WordPiece):
        raise TypeError("matching, which needs a vocabulary of words,")
    words = reader.tokenizer
    weights = weigh_vocabulary(words.tokens, words.id(about["most_frequent"]))
    cosine, overlap, missing = (float(about[name]) for name in SHARES)
    change = None
    if "file" in about:
        _check_file(folder / about["file"], about["sha256"])
        change = load_change(folder / about["file"])
    crossed = float(about["crossed"])
    return Matching(cosine, overlap, missing, weights, crossed, change)


def _fluency(folder: Path, about: Any, readers: Mapping[str, Reader]) -> Any:
    if "file" in about:
        return fluencies.load(folder / about["file"])
    reader = readers[about["encoder"]]
    return EncoderFluency(reader, about["shares"], float(about["bias"]))


def _style(
    folder: Path, about_style: Mapping[str, Any], readers: Mapping[str, Reader]
) -> Any:
    styles = tuple(about_style["styles"])
    if "combination" not in about_style:
        chosen = tuple(readers[name] for name in about_style["encoders"])
        return EncoderStyle(
            styles, chosen, about_style["head"], float(about_style["sharpness"])
        )
    evidence = []
    for kind, about in about_style["combination"].items():
        odds = _ODDS[kind](folder, about, readers)
        evidence.append(
            Evidence(odds, float(about["weight"]), float(about["sharpness"]))
        )
    return CombinedStyle(styles, tuple(evidence), readers[about_style["reader"]])


def _encoder_odds(_: Path, about: Any, readers: Mapping[str, Reader]) -> Odds:
    return EncoderOdds(tuple(readers[n] for n in about["encoders"]), about["head"])


def _language_odds(folder: Path, about: Any, _: Mapping[str, Reader]) -> Odds:
    source, target = (ngram_model.load(folder / name) for name in about["files"])
    return LanguageModelStyle(source, target, "sentence")


def _linear_odds(folder: Path, about: Any, _: Mapping[str, Reader]) -> Odds:
    return LinearOdds(accuracy.load(folder / about["file"]))


_ODDS = {
    "encoders": _encoder_odds,
    "language-model": _language_odds,
    "linear": _linear_odds,
}


def reader(
    folder: Path, about: Mapping[str, Any], *, threads: int, keeps_tokens: bool = False
) -> Reader:
    """Load an encoder with its heads, after checking its files."""
    for name, expected in about["files"].items():
        _check_file(folder / name, expected)
    (heads,) = (name for name in about["files"] if name.startswith("heads."))
    return Reader(
        Int8Encoder(
            folder,
            hidden=int(about["hidden"]),
            numbered=bool(about.get("numbered")),
            threads=threads,
        ),
        _tokenizer(folder, about),
        all_heads.load(folder / heads),
        _digest(about),
        start=int(about["start"]),
        end=int(about["end"]),
        keeps_tokens=keeps_tokens,
    )


def read_heads(folder: Path, about: Mapping[str, Any], base: Reader) -> Reader:
    """Return a reader of the same states by the heads of another file."""
    _check_file(folder / about["file"], about["sha256"])
    heads = all_heads.load(folder / about["file"])
    return replace(base, heads=heads, signature=_digest([base.signature, about]))


def _check_file(path: Path, expected: str) -> None:
    if not path.is_file() or sha256(path) != expected:
        raise ParaphrastError(
            f"{path} is not the file named in judge.json. Re-download the judge, or "
            "build it again."
        )


def _digest(about: Any) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _tokenizer(folder: Path, about: Mapping[str, Any]) -> Tokenizer:
    if about.get("pieces") == "bytes":
        return ByteLevelTokenizer(folder)
    return WordPiece(json.loads((folder / "vocabulary.json").read_text("utf-8")))


def files(folder: Path) -> dict[str, str]:
    """Return the sha256 of each file of an encoder's folder, for `judge.json`."""
    return {path.name: sha256(path) for path in sorted(folder.iterdir())}
