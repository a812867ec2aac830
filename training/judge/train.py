"""Train the large judge: an encoder of form, one of meaning, and specialists.

``form`` (style, fluency, formality) is trained on all its tasks at once. Modern English
is first split into formal and informal by a network that learnt formality alone,
whatever the topic. ``plays`` tells Shakespeare from modern English. ``fluency``
continues from ``form`` with judged sentences. ``meaning`` learns from pairs that people
judged, paraphrases, and sentences with a changed meaning.

Run    python -m training.judge.train PART --data judge.npz --encoder mpnet.npz \\
           -o FOLDER
Needs  torch, transformers; minutes of one GPU. ``--share 0.001`` tries it on a CPU.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paraphrast.judges.encoder.surface import COUNT
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.fitting import Labelled, Plan, fit
from paraphrast.judges.training.network import Head, Network
from training.judge import backbones
from training.judge.measure import measure
from training.judge.prediction import predict
from training.judge.tables import load
from training.judge.tasks import Alike, Contrast

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
HEADS = (
    Head("style", "classes", 11),
    Head("plays", "classes", 2),
    Head("cds", "classes", 11),
    Head("acceptable", "flag"),
    Head("grammatical", "flag"),
    Head("natural", "flag"),
    Head("formality", "score", features=COUNT),
    Head("bare", "score"),
)
MODERN, FORMAL, INFORMAL = 0, 4, 5
EUROPARL, REVIEWS = 2, 0  # sources of modern English


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=tuple(PARTS))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--backbone", default="mpnet")
    parser.add_argument("--start", type=Path, help="weights to continue from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    tables = load(options.data)
    if options.share < 1:
        tables = {
            name: sample_rows(table, options.share) for name, table in tables.items()
        }
    network = PARTS[options.part](tables, options)
    record = {
        "part": options.part,
        "seed": options.seed,
        "own": measure(network, tables, "own", DEVICE),
        "test": measure(network, tables, "test", DEVICE),
    }
    print(json.dumps(record), flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    name = f"{options.part}{options.seed if options.seed > 1 else ''}"
    torch.save(network.state_dict(), options.output / f"{name}.pt")
    (options.output / f"{name}.json").write_text(json.dumps(record, indent=1))


def form(tables: dict[str, Table], options: Any) -> Network:
    style = label_modern(tables, options)
    network = make_network(HEADS, options)
    rows = {
        "style": (style, "style", 112),
        "plays": (tables["plays"], "plays", 48),
        "natural": (tables["natural"], "natural", 112),
        "cds": (tables["cds"], "cds", 16),
        "cola": (tables["cola"], "acceptable", 20),
        "gug": (tables["gug"], "grammatical", 6),
        "pt16": (tables["pt16"], "formality", 10),
        "pt16_bare": (tables["pt16_bare"], "bare", 10),
    }
    tasks = [Labelled(head, table, count) for table, head, count in rows.values()]
    train_network(network, tasks, steps(options, 4000), options)
    return network


def label_modern(tables: dict[str, Table], options: Any) -> Table:
    """Return the style table with modern English split; add its held-out rows."""
    heads = (Head("formality", "score", features=COUNT), Head("bare", "score"))
    network = make_network(heads, options)
    tasks = [
        Labelled("formality", tables["pt16"], 32),
        Labelled("bare", tables["pt16_bare"], 32),
    ]
    train_network(network, tasks, max(2, int(400 * options.share)), options)
    print(
        "formality alone",
        measure(
            network, {k: v for k, v in tables.items() if "sts" not in k}, "own", DEVICE
        ),
        flush=True,
    )
    modern = tables["modern"]
    result = predict(network, modern.texts, device=DEVICE)["bare"][:, 0]
    labels = np.full(len(modern), -1)
    labels[(result > -0.7) & (result < 0.4)] = MODERN
    labels[result >= 0.8] = FORMAL
    labels[result <= -1.0] = INFORMAL
    for source in range(8):
        here = modern.labels == source
        print(
            source,
            here.sum(),
            [int((labels[here] == k).sum()) for k in (0, 4, 5)],
            flush=True,
        )
    pt16 = tables["pt16"]
    judged = np.where(
        pt16.labels >= 1, FORMAL, np.where(pt16.labels <= -1, INFORMAL, -1)
    )
    plays = tables["plays"]
    side = np.where(plays.labels == 0, MODERN, -1)
    texts, kept = list(tables["style"].texts), list(tables["style"].labels)
    draw = np.random.default_rng(1)
    held: dict[str, tuple[list[Any], list[int]]] = {
        "style_dev": ([], []),
        "style_test": ([], []),
    }
    for table, chosen, times in (
        (modern, labels, 1),
        (pt16, judged, 3),
        (plays, side, 1),
    ):
        for row in np.flatnonzero(chosen >= 0):
            index = draw.random()
            if table is modern and index < 0.06:
                into = held["style_dev" if index < 0.03 else "style_test"]
                into[0].append(table.texts[row])
                into[1].append(int(chosen[row]))
                continue
            texts += [table.texts[row]] * times
            kept += [int(chosen[row])] * times
    for name, (more, given) in held.items():
        old = tables[name]
        tables[name] = Table(
            [*old.texts, *more], np.array([*old.labels, *given], np.float32)
        )
    counts = np.bincount(np.array(kept, int), minlength=11)
    print("styles", counts.tolist(), flush=True)
    return Table(texts, np.array(kept, np.float32))


def fluency(tables: dict[str, Table], options: Any) -> Network:
    network = make_network(HEADS, options)
    network.load_state_dict(
        torch.load(options.start, map_location="cpu", weights_only=True)
    )
    tasks = [
        Labelled("acceptable", tables["cola"], 32),
        Labelled("grammatical", tables["gug"], 8),
        Labelled("natural", tables["natural"], 64),
    ]
    train_network(network, tasks, steps(options, 1200), options)
    return network


def plays(tables: dict[str, Table], options: Any) -> Network:
    """Train the specialist that tells Shakespeare from his translators."""
    network = make_network(HEADS, options)
    if options.start:
        started = torch.load(options.start, map_location="cpu", weights_only=True)
        network.load_state_dict(started)
    tasks = [
        Labelled("plays", tables["plays"], 64),
        Labelled("natural", tables["natural"], 16, weight=0.2),
    ]
    train_network(network, tasks, steps(options, 1700), options)
    return network


def meaning(tables: dict[str, Table], options: Any) -> Network:
    network = make_network((), options)
    tasks = [Alike(tables["sts"], 64, weight=2.0), Contrast(tables["pairs"], 128)]
    train_network(network, tasks, steps(options, 1000), options)
    return network


def make_network(heads: tuple[Head, ...], options: Any) -> Network:
    torch.manual_seed(options.seed)
    encoder, marks = backbones.load(options.backbone, options.encoder)
    return Network(encoder, heads, marks=marks)


def train_network(network: Network, tasks: list[Any], count: int, options: Any) -> None:
    begin = time.time()

    def progress(step: int, loss: float) -> None:
        if step % 500 == 0 or step == count - 1:
            print(f"{step} {loss:.3f} {time.time() - begin:.0f}s", flush=True)

    plan = Plan(count, options.rate, options.seed)
    fit(network, tasks, plan, device=DEVICE, progress=progress)


def steps(options: Any, usual: int) -> int:
    return max(2, int((options.steps or usual) * options.share))


def sample_rows(table: Table, share: float) -> Table:
    count = max(60, int(len(table) * share))
    places = np.random.default_rng(1).permutation(len(table))[:count]
    texts = [
        table.texts[table.width * i + j] for i in places for j in range(table.width)
    ]
    extra = {name: values[places] for name, values in table.extra.items()}
    return Table(texts, table.labels[places], table.width, extra)


PARTS = {"form": form, "fluency": fluency, "meaning": meaning, "plays": plays}

if __name__ == "__main__":
    main()
