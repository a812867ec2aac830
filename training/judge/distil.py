"""Distil the large judge into the small one, on some 900,000 texts.

One small encoder for everything: heads of style, fluency and formality, and a sentence
vector whose cosines imitate the large judge's. It also continues to learn from
human judgments.

Run    python -m training.judge.distil --data judge.npz --encoder minilm.npz \\
           --taught FOLDER -o FOLDER
Needs  what `training.judge.train` wrote; minutes of one GPU.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.fitting import Labelled, Plan, fit
from paraphrast.judges.training.network import Head, Network
from training.judge import backbones
from training.judge.measure import measure
from training.judge.prediction import predict
from training.judge.tables import load
from training.judge.tasks import Alike, Taught
from training.judge.train import DEVICE, HEADS, sample_rows

POOL = (
    "style",
    "modern",
    "plays",
    "natural",
    "unlabelled",
    "cola",
    "gug",
    "pt16_bare",
    "cds",
)
FLUENCY = ("acceptable", "grammatical", "natural")
VECTOR = 384


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--large", type=Path, required=True, help="the large encoder")
    parser.add_argument("--backbone", default="minilm")
    parser.add_argument("--large-backbone", default="mpnet")
    parser.add_argument("--taught", type=Path, required=True)
    parser.add_argument("--fluency", nargs="*", type=Path, default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tables = load(options.data)
    if options.share < 1:
        tables = {
            name: sample_rows(table, options.share) for name, table in tables.items()
        }
    singles = [text for name in POOL for text in tables[name].texts]
    triples = tables["pairs"].texts
    logits, vectors = ask_large_judge([*singles, *triples], options)
    cut = len(singles)
    pool = Taught(
        Table(singles, np.zeros(cut, np.float32)),
        768,
        {name: result[:cut] for name, result in logits.items()},
        vectors[:cut],
    )
    pairs = Taught(
        tables["pairs"],
        128,
        {name: result[cut:] for name, result in logits.items()},
        vectors[cut:],
    )
    network = student(options)
    tasks: list[Any] = [
        pool,
        pairs,
        Labelled("acceptable", tables["cola"], 24, weight=0.5),
        Labelled("grammatical", tables["gug"], 8, weight=0.5),
        Labelled("formality", tables["pt16"], 32),
        Labelled("bare", tables["pt16_bare"], 8, weight=0.3),
        Labelled("plays", tables["plays"], 48, weight=0.3),
        Labelled("cds", tables["cds"], 16, weight=0.3),
        Alike(tables["sts"], 48, weight=1.0),
    ]
    begin = time.time()

    def progress(step: int, loss: float) -> None:
        if step % 500 == 0:
            print(f"{step} {loss:.3f} {time.time() - begin:.0f}s", flush=True)

    plan = Plan(max(2, int(options.steps * options.share)), options.rate, options.seed)
    fit(network, tasks, plan, device=DEVICE, progress=progress)
    record = {
        "own": measure(network, tables, "own", DEVICE),
        "test": measure(network, tables, "test", DEVICE),
    }
    print(json.dumps(record), flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), options.output / "small.pt")
    (options.output / "small.json").write_text(json.dumps(record, indent=1))


def student(options: Any) -> Network:
    torch.manual_seed(options.seed)
    encoder, marks = backbones.load(options.backbone, options.encoder)
    return Network(encoder, HEADS, marks=marks, vector=VECTOR)


def ask_large_judge(texts: list[Any], options: Any) -> tuple[dict[str, Any], Any]:
    """Return the large judge's outputs: logits by head, and 384-dimensional vectors."""
    begin = time.time()
    result = predict(
        large(HEADS, options.taught / "form.pt", options), texts, device=DEVICE
    )
    logits = {n: result[n] for n in result if n not in ("vector", "formality")}
    if options.fluency:
        several = [
            predict(large(HEADS, path, options), texts, device=DEVICE)
            for path in options.fluency
        ]
        for name in FLUENCY:
            logits[name] = np.mean([outputs[name] for outputs in several], axis=0)
    whole = predict(
        large((), options.taught / "meaning.pt", options), texts, device=DEVICE
    )
    vectors = torch.from_numpy(whole["vector"])
    sample = vectors[torch.randperm(len(vectors))[:100_000]].double()
    # The principal directions of meaning; no mean is subtracted, so that
    # cosines stay cosines.
    _, directions = torch.linalg.eigh(sample.T @ sample)
    kept = directions[:, -VECTOR:].flip(1).float()
    short = torch.nn.functional.normalize(vectors @ kept, dim=1)
    error = (
        ((short[:2000] @ short[:2000].T) - (vectors[:2000] @ vectors[:2000].T))
        .abs()
        .mean()
    )
    print(
        f"labelled {len(texts)} in {time.time() - begin:.0f}s, error {error:.4f}",
        flush=True,
    )
    half = torch.float16 if DEVICE == "cuda" else torch.float32
    return (
        {n: torch.from_numpy(v).to(DEVICE, half) for n, v in logits.items()},
        short.to(DEVICE, half),
    )


def large(heads: tuple[Head, ...], path: Path, options: Any) -> Network:
    encoder, marks = backbones.load(options.large_backbone, options.large)
    network = Network(encoder, heads, marks=marks)
    network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    network.to(DEVICE)
    return network


if __name__ == "__main__":
    main()
