"""Teach both judges to recognise fluent nonsense, and preserve all other predictions.

``trim`` samples the tables of data.py. ``large`` continues from the encoder of form:
nonsense must be unacceptable, and every head must say of other texts what it said
before. ``small`` continues from the small judge: it learns the large one's predictions,
fluency above all, and keeps its own sentence vectors.

Run    python -m training.judge.train_nonsense trim  --data judge.npz -o FOLDER
       python -m training.judge.train_nonsense large --folder FOLDER --seconds 80
       python -m training.judge.train_nonsense small --folder FOLDER --seconds 150
Needs  FOLDER with part.npz (trim), weak.npz (nonsense_data.py), form.npz and small.npz
       (pack_weights.py); torch, transformers. ``--share 0.001`` tries it on a CPU.
Makes  form.pt and form.json; small.pt and small.json
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
from paraphrast.judges.training.network import Network
from training.judge import backbones
from training.judge.measure import measure
from training.judge.nonsense import KINDS
from training.judge.prediction import predict
from training.judge.tables import load
from training.judge.tasks import Alike, Taught
from training.judge.train import DEVICE, HEADS, sample_rows

SAMPLED = {
    "style": 70_000,
    "modern": 40_000,
    "natural": 90_000,
    "unlabelled": 60_000,
    "pairs": 12_000,
}
POOL = ("style", "modern", "plays", "natural", "unlabelled", "cola", "gug", "cds")
KEPT = 60_000  # texts on which the large judge is to keep its predictions
FLUENCY = ("acceptable", "grammatical", "natural")
DOUBT = 0.15  # label of nonsense: the probability that it is acceptable after all


def large(options: argparse.Namespace, tables: dict[str, Table]) -> Network:
    network = load_network("mpnet", options.folder / "form.npz")
    draw = np.random.default_rng(1)
    pool = sample_texts([*pool_texts(tables), *natural(tables["weak"])], KEPT, draw)
    said = {
        name: torch.from_numpy(values).to(DEVICE)
        for name, values in predict(network, pool, device=DEVICE).items()
        if name not in ("vector", "formality")
    }
    print(f"said of {len(pool)} texts", flush=True)
    kept = Table(pool, np.zeros(len(pool), np.float32))
    weak = nonsense(tables["weak"])
    tasks = [
        Taught(kept, scale_rows(112, options), said, None),
        Labelled("acceptable", tables["cola"], scale_rows(28, options)),
        Labelled("grammatical", tables["gug"], scale_rows(8, options)),
        Labelled("formality", tables["pt16"], scale_rows(8, options), weight=0.5),
        Labelled("natural", tables["weak"], scale_rows(64, options)),
        Labelled("acceptable", weak, scale_rows(32, options), weight=0.7),
        Labelled("grammatical", weak, scale_rows(16, options), weight=0.3),
    ]
    train_network(network, tasks, options, rate=2e-5)
    return network


def small(options: argparse.Namespace, tables: dict[str, Table]) -> Network:
    network = load_network("minilm", options.folder / "small.npz", vector=384)
    texts = [*pool_texts(tables), *tables["weak"].texts]
    triples = tables["pairs"].texts
    said = label_texts(options, [*texts, *triples])
    own = predict(network.to(DEVICE), [*texts, *triples], device=DEVICE)["vector"]
    vectors = torch.from_numpy(own).to(DEVICE)
    cut = len(texts)
    shares = dict.fromkeys(FLUENCY, 3.0)

    def task(table: Table, count: int, part: slice) -> Taught:
        logits = {name: values[part] for name, values in said.items()}
        return Taught(
            table, scale_rows(count, options), logits, vectors[part], shares=shares
        )

    begin = len(texts) - len(tables["weak"].texts)
    tasks: list[Any] = [
        task(plain(texts[:begin]), 512, slice(0, begin)),
        task(plain(texts[begin:]), 256, slice(begin, cut)),
        task(tables["pairs"], 64, slice(cut, None)),
        Labelled("acceptable", tables["cola"], scale_rows(32, options)),
        Labelled("grammatical", tables["gug"], scale_rows(8, options), weight=0.5),
        Labelled("natural", tables["weak"], scale_rows(64, options)),
        Labelled("formality", tables["pt16"], scale_rows(32, options)),
        Labelled("bare", tables["pt16_bare"], scale_rows(8, options), weight=0.3),
        Labelled("plays", tables["plays"], scale_rows(48, options), weight=0.3),
        Labelled("cds", tables["cds"], scale_rows(16, options), weight=0.3),
        Alike(tables["sts"], scale_rows(48, options)),
    ]
    train_network(network, tasks, options, rate=1e-4)
    return network


def label_texts(options: argparse.Namespace, texts: list[Any]) -> dict[str, Any]:
    """Return the large judge's predictions, with its present or earlier weights."""
    teacher = load_network("mpnet", options.folder / "form.npz")
    again = options.folder / "form.pt"
    if again.exists():
        state = torch.load(again, map_location="cpu", weights_only=True)
        teacher.load_state_dict(state)
    began = time.time()
    result = predict(teacher.to(DEVICE), texts, device=DEVICE)
    print(f"labelled {len(texts)} in {time.time() - began:.0f}s", flush=True)
    return {
        name: torch.from_numpy(values).to(DEVICE)
        for name, values in result.items()
        if name not in ("vector", "formality")
    }


def load_network(backbone: str, path: Path, *, vector: int = 0) -> Network:
    """Return a network with weights that pack_weights.py wrote."""
    encoder, marks = backbones.MAKERS[backbone]()
    network = Network(encoder, HEADS, marks=marks, vector=vector)
    with np.load(path) as archive:
        arrays = backbones.dequantise(dict(archive))
    state = {k: torch.from_numpy(v.astype(np.float32)) for k, v in arrays.items()}
    missing, unexpected = network.load_state_dict(state, strict=False)
    if unexpected or [k for k in missing if "position_ids" not in k]:
        raise SystemExit(f"{path}: {missing} missing, {unexpected} not known")
    network.to(DEVICE)
    return network


def train_network(
    network: Network, tasks: list[Any], options: argparse.Namespace, *, rate: float
) -> None:
    began = time.time()

    def progress(step: int, loss: float) -> None:
        print(f"{step} {loss:.3f} {time.time() - began:.0f}s", flush=True)

    steps = max(2, int(6000 * options.share))
    plan = Plan(steps, options.rate or rate, options.seed, seconds=options.seconds)
    fit(network, tasks, plan, device=DEVICE, progress=progress)


def pool_texts(tables: dict[str, Table]) -> list[Any]:
    return [text for name in POOL for text in tables[name].texts]


def natural(table: Table) -> list[Any]:
    return [table.texts[row] for row in np.flatnonzero(table.labels > 0.5)]


def nonsense(table: Table) -> Table:
    """Return the nonsense of a table, with smoothed labels."""
    texts = [table.texts[row] for row in np.flatnonzero(table.labels < 0.5)]
    return Table(texts, np.full(len(texts), DOUBT, np.float32))


def plain(texts: list[Any]) -> Table:
    return Table(texts, np.zeros(len(texts), np.float32))


def sample_texts(texts: list[Any], most: int, draw: np.random.Generator) -> list[Any]:
    return [texts[index] for index in draw.permutation(len(texts))[:most]]


def scale_rows(count: int, options: argparse.Namespace) -> int:
    return count if options.share == 1 else max(2, count // 16)


def measure_accepted(network: Network, table: Table) -> dict[str, float]:
    """Return the share of each kind of nonsense, and of natural text, accepted."""
    result = predict(network, table.texts, device=DEVICE)
    kinds = table.extra["kind"]
    report = {}
    for head in ("acceptable", "natural"):
        chance = 1 / (1 + np.exp(-result[head][:, 0]))
        for number, kind in enumerate((*KINDS, "natural text")):
            here = kinds == (number if kind in KINDS else -1)
            if here.any():
                report[f"{head}: {kind}"] = round(float((chance[here] > 0.5).mean()), 3)
    return report


def report(
    network: Network, tables: dict[str, Table], options: argparse.Namespace, name: str
) -> None:
    record = {
        "own": measure(network, tables, "own", DEVICE),
        "test": measure(network, tables, "test", DEVICE),
        "nonsense of Twelfth Night accepted": measure_accepted(
            network, tables["weak_own"]
        ),
    }
    print(name, json.dumps(record), flush=True)
    (options.folder / f"{name}.json").write_text(json.dumps(record, indent=1))


def trim(data: Path, folder: Path) -> None:
    """Write a sample of the tables that is small enough to transfer."""
    draw = np.random.default_rng(1)
    arrays: dict[str, Any] = {}
    for name, table in load(data).items():
        count = min(len(table), SAMPLED.get(name, len(table)))
        places = np.sort(draw.permutation(len(table))[:count])
        width = table.width
        texts = [table.texts[width * row + c] for row in places for c in range(width)]
        arrays[f"{name}/ids"] = np.concatenate(texts).astype(np.uint16)
        arrays[f"{name}/lengths"] = np.array([len(t) for t in texts], np.uint8)
        arrays[f"{name}/labels"] = table.labels[places]
        arrays[f"{name}/width"] = np.array(width, np.uint8)
        for column, values in table.extra.items():
            arrays[f"{name}/{column}"] = values[places]
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "part.npz", **arrays)


PARTS = {"large": large, "small": small}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("trim", *PARTS))
    parser.add_argument("--data", type=Path)
    parser.add_argument("-o", "--folder", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    if options.part == "trim":
        trim(options.data, options.folder)
        return
    torch.backends.cuda.matmul.allow_tf32 = True
    tables = load(options.folder / "part.npz") | load(options.folder / "weak.npz")
    if options.share < 1:
        tables = {
            name: sample_rows(table, options.share) for name, table in tables.items()
        }
    network = PARTS[options.part](options, tables)
    name = "form" if options.part == "large" else "small"
    network.eval()
    torch.save(network.state_dict(), options.folder / f"{name}.part")
    (options.folder / f"{name}.part").rename(options.folder / f"{name}.pt")
    report(network, tables, options, name)


if __name__ == "__main__":
    main()
