"""Assemble a judge's folder: converted weights, heads, calibration, manifest.

Calibration uses held-out parts of the training data; the development and test sets are
measured by `paraphrast reproduce judges`, and by nothing here.

Run    python -m training.judge.assemble small|large --data judge.npz \\
           --weights FOLDER --vocabulary vocab.txt [--plays FOLDER] -o FOLDER
Needs  numpy and CTranslate2; minutes of a CPU.
"""

import argparse
import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import read_lines
from paraphrast.estimators.logistic_regression import (
    fit_with_constant,
    log_loss,
    logistic,
)
from paraphrast.judges.encoder.folder import files, parts, reader
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.encoder.running import Encoder, Int8Encoder, pool_texts
from paraphrast.judges.judge import ENCODERS, MATCHING
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.exporting import export
from training.judge.combination import combine
from training.judge.packed_weights import mpnet_vocabulary, widen_weights
from training.judge.tables import load
from training.styles import STYLES

PLAYS = ("modern", "shakespeare")
FLUENCY = ("acceptable", "grammatical", "natural", "plays")
BERT = {"start": 101, "end": 102, "shift": 0}
MPNET = {"start": 0, "end": 2, "shift": 4}  # BERT's tokens after four special ones
MOST = 1200  # texts that calibrate a head


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("size", choices=("small", "large"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--plays", type=Path, help="jhamtani17, for the large judge")
    parser.add_argument("--weak", type=Path, help="nonsense to calibrate with (6a)")
    parser.add_argument("--about", type=Path, help="JSON to put into the manifest")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tables = load(options.data)
    if options.weak:
        tables |= load(options.weak)
    tokens = list(read_lines(options.vocabulary))
    options.output.mkdir(parents=True, exist_ok=True)
    made = small if options.size == "small" else large
    encoders, wanted = made(options, tables, tokens)
    about = json.loads(options.about.read_text("utf-8")) if options.about else {}
    print(write_manifest(options.output, encoders, wanted, about)[:3000])


def write_manifest(
    folder: Path,
    encoders: dict[str, Any],
    wanted: dict[str, Any],
    about: dict[str, Any],
) -> str:
    """Write judge.json with the hash of every part, and return its text."""
    manifest: dict[str, Any] = {
        "format": MATCHING if "matching" in wanted["similarity"] else ENCODERS,
        "styles": list(wanted["accuracy"][0]["styles"]),
        "encoders": encoders,
        "parts": wanted,
        "versions": {name: version(name) for name in ("paraphrast", "ctranslate2")},
        **about,
    }
    models = parts(folder, manifest)
    manifest["hashes"] = {name: model.signature for name, model in models.items()}
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / "judge.json").write_text(text + "\n", "utf-8")
    return text


def small(
    options: Any, tables: dict[str, Table], tokens: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    weights, heads = split_weights(options.weights / "small.npz")
    encoder, about = write_bert(weights, heads, tokens, options.output / "small", BERT)
    sharp = calibrate(encoder, heads, tables, BERT)
    wanted = describe_heads(sharp, "small", ["small"], "small", "small")
    return {"small": about}, wanted


def write_bert(
    weights: dict[str, Any],
    heads: Heads,
    tokens: list[str],
    folder: Path,
    marks: dict[str, int],
    *,
    attention_heads: int = 12,
) -> tuple[Int8Encoder, dict[str, Any]]:
    """Write a BERT and its heads; return the encoder and its part of judge.json."""
    export(weights, tokens, folder, heads=attention_heads)
    compact(folder)
    heads.save(folder / "heads.arrays")
    about = {
        "runs": "ctranslate2",
        "hidden": heads.hidden,
        **marks,
        "files": files(folder),
    }
    return Int8Encoder(folder, hidden=heads.hidden), about


def large(
    options: Any, tables: dict[str, Table], tokens: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    plays = sorted(path.stem for path in options.weights.glob("plays*.npz"))
    encoders: dict[str, Any] = {}
    readers: dict[str, Reader] = {}
    for name in ("form", "meaning", *plays):
        weights, heads = split_weights(options.weights / f"{name}.npz")
        folder = options.output / name
        export(weights, mpnet_vocabulary(tokens), folder, heads=12)
        compact(folder)
        heads.save(folder / "heads.arrays")
        encoders[name] = {
            "runs": "ctranslate2",
            "hidden": heads.hidden,
            "numbered": True,
            "start": MPNET["start"],
            "end": MPNET["end"],
            "files": files(folder),
        }
        readers[name] = reader(folder, encoders[name], threads=1)
    form, meaning = (
        (readers[name].encoder, readers[name].heads) for name in ("form", "meaning")
    )
    sharp = calibrate(*form, tables, MPNET, meaning)
    # Its cosines were trained to be people's judgments; the small judge's were trained
    # to be its, came out too high, and are put right by knots.
    sharp["knots"] = []
    wanted = describe_heads(sharp, "form", plays, "meaning", "form")
    both = {name: readers[name] for name in plays}
    wanted["accuracy"][1] = combine(both, options.plays, options.output, reader="form")
    return encoders, wanted


def describe_heads(
    sharp: dict[str, Any],
    form: str,
    plays: list[str],
    meaning: str,
    formality: str,
    styles: Sequence[str] = STYLES,
) -> dict[str, Any]:
    return {
        "accuracy": [
            {
                "styles": styles,
                "encoders": [form],
                "head": "style",
                "sharpness": sharp["style"],
            },
            {
                "styles": PLAYS,
                "encoders": plays,
                "head": "plays",
                "sharpness": sharp["plays"],
            },
        ],
        "similarity": {"encoder": meaning, "knots": sharp["knots"]},
        "fluency": {"encoder": form, "shares": sharp["shares"], "bias": sharp["bias"]},
        "formality": {"encoder": formality},
    }


def compact(folder: Path) -> None:
    """Write the vocabulary more compactly than with one line per token."""
    path = folder / "vocabulary.json"
    whole = json.loads(path.read_text("utf-8"))
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text, "utf-8")


def split_weights(path: Path) -> tuple[dict[str, Any], Heads]:
    """Return an encoder's weights and its heads; heads are kept in 16 bits."""
    with np.load(path) as archive:
        return split_arrays({name: archive[name] for name in archive.files})


def split_arrays(packed: dict[str, Any]) -> tuple[dict[str, Any], Heads]:
    """Return an encoder's weights and its heads from packed arrays."""
    arrays = widen_weights(packed)
    encoder = {n[8:]: v for n, v in arrays.items() if n.startswith("encoder.")}
    rest = {
        n.removeprefix("heads."): v
        for n, v in arrays.items()
        if not n.startswith("encoder.")
    }
    hidden = encoder["embeddings.word_embeddings.weight"].shape[1]
    return encoder, Heads(int(hidden), rest)


def calibrate(
    encoder: Encoder,
    heads: Heads,
    tables: dict[str, Table],
    marks: dict[str, int],
    meaning: tuple[Encoder, Heads] | None = None,
) -> dict[str, Any]:
    """Return the settings that best fit the held-out data."""

    def rows(name: str) -> Any:
        texts = tables[name].texts
        step = max(1, len(texts) // MOST)
        ids = [[int(i) + marks["shift"] for i in text] for text in texts[::step]]
        return (
            pool_texts(encoder, ids, start=marks["start"], end=marks["end"]),
            tables[name].labels[::step],
        )

    result: dict[str, Any] = {}
    if meaning is not None:
        encoder_of, heads_of = meaning
    else:
        encoder_of, heads_of = encoder, heads
    texts = [[int(i) + marks["shift"] for i in t] for t in tables["sts_own"].texts]
    states = pool_texts(encoder_of, texts, start=marks["start"], end=marks["end"])
    vectors = heads_of.vectors(states)
    cosines = (vectors[::2] * vectors[1::2]).sum(axis=1)
    result["knots"] = knots(cosines, tables["sts_own"].labels)
    print("knots", result["knots"])
    for head, table in (("style", "style_dev"), ("plays", "plays_valid")):
        states, labels = rows(table)
        result[head] = sharpness(heads.logits(head, states), labels.astype(int))
    own: dict[str, tuple[Any, Any]] = {}
    for name in ("cola_own", "gug_own", "weak_own", "plays_valid"):
        if name in tables:
            states, labels = rows(name)
            own[name] = signs(heads, states), labels
    return result | fluency(own)


def knots(cosines: Any, labels: Any, count: int = 7) -> list[tuple[float, float]]:
    """Return mean cosine and mean judgment of equal shares of the pairs, rising."""
    order = np.argsort(cosines)
    result: list[tuple[float, float]] = []
    for share in np.array_split(order, count):
        x, y = float(cosines[share].mean()), float(labels[share].mean())
        if 0 < x < 1 and (not result or (x > result[-1][0] and y > result[-1][1])):
            result.append((round(x, 4), round(min(y, 1.0), 4)))
    return result


def signs(heads: Heads, states: Any) -> Any:
    return np.stack([heads.logits(head, states)[:, 0] for head in FLUENCY], axis=1)


def sharpness(logits: Any, labels: Any) -> float:
    def loss(factor: float) -> float:
        return log_loss(factor * logits, labels)

    return round(float(min(np.linspace(0.2, 2.0, 181), key=loss)), 3)


def fluency(own: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    """Fit the heads' weights to held-out data, by logistic regression.

    That is of CoLA and, where there is any, nonsense of Twelfth Night beside its lines.
    The head of plays is there so that old lines are not refused for being old.
    """
    learnt = [own[name] for name in ("cola_own", "weak_own") if name in own]
    rows = np.concatenate([result for result, _ in learnt])
    labels = np.concatenate([given for _, given in learnt])
    factors = fit_with_constant(rows, labels, 1.0)
    figures = describe_parts(own, factors[:-1], factors[-1])
    print({name: round(value, 3) for name, value in figures.items()})
    rounded = [round(float(share), 4) for share in factors[:-1]]
    shares = dict(zip(FLUENCY, rounded, strict=True))
    return {"shares": shares, "bias": round(float(factors[-1]), 4)}


def describe_parts(
    own: dict[str, tuple[Any, Any]], shares: Any, bias: float
) -> dict[str, float]:
    result = {}
    for name, (rows, labels) in own.items():
        total = rows @ shares + bias
        if name == "plays_valid":
            sides = [float((total[labels == side] > 0).mean()) for side in (0, 1)]
            result[name] = min(sides)
            continue
        guess = logistic(total) if name == "gug_own" else total > 0
        right = labels if name == "gug_own" else labels > 0.5
        result[name] = float(np.corrcoef(guess, right)[0, 1])
    return result


if __name__ == "__main__":
    main()
