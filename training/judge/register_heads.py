"""Heads for more styles and for formality, on the shipped encoder as it is.

The encoder's states tell far more than the shipped heads read: on them, heads of
fourteen styles and of formality are fitted to everyday's part for judges, SQUINKY and
PT16, with what a changed surface costs. They go into a file of their own, beside the
encoder and its heads of meaning, fluency and plays, which stay what they are. Styles
are held to what the shipped head says of its eleven. People of SQUINKY and of PT16 used
their scales differently, so SQUINKY's is fitted as a line of PT16's.

Formality is fitted again without SQUINKY and without everyday, which the encoder never
read, and measured on what was left out: the manifest carries these figures.

Run    python -m training.judge.register_heads --data transfer.npz \\
           --states states.npz --about training/judge/about_registers.json -o FOLDER
Needs  transfer.npz (`transfer_data`); torch, CTranslate2; ten minutes of a CPU, less
       where states.npz has the states that an earlier run read
Makes  FOLDER: the judge with registers.arrays and its judge.json; states.npz
"""

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from paraphrast.judges import judge as judges
from paraphrast.judges.encoder.heads import Heads
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.encoder.running import pool_texts
from paraphrast.judges.training.examples import Table
from paraphrast.storage.sealed_folder import sha256
from training.judge.assemble import sharpness, write_manifest
from training.judge.heads import minimise, to_tensor
from training.judge.measure import spearman
from training.judge.shipped_weights import SHIPPED
from training.judge.tables import choose_rows, load
from training.judge.transfer_data import ALL_STYLES

NAME, FILE = "registers", "registers.arrays"
MOST = {"style": 14_000, "surface": 3000, "surface_own": 700}  # rows; else all
ROWS = {"style": 192, "versions": 192, "rated": 128, "pairs": 64}
STEPS = 3000  # of styles; formality takes half as many
RATES = {"style": 4e-3, "formality": 2e-3}
DROPPED = {"style": 0.1, "formality": 0.2}  # share of the states
NEW = 2.0  # weight of everyday's styles
UNKNOWN = -3.0  # how improbable a new style is before training
RATED = {"pt16": ("pt16_own", "pt16_test"), "squinky": ("squinky_own",)}  # held out
EVERYDAY = ("order", "surface")
WEIGHTS = {"pt16": 1.0, "squinky": 1.0, "order": 0.7, "surface": 1.0}
KEPT = ("backbones", "licence", "seed")  # of the manifest
LEFT_OUT = {
    "squinky": ("squinky", "SQUINKY", "Spearman"),
    "order": ("everyday", "everyday, pairs of registers", "order right"),
}


@dataclass(frozen=True)
class Rows:
    """Pooled states of texts, their labels, and their surface features if any."""

    states: Tensor
    labels: Tensor
    features: Tensor | None = None

    def inputs(self) -> Tensor:
        """Return a head's input for every text."""
        parts = [self.states] if self.features is None else [self.states, self.features]
        return torch.cat(parts, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judge", type=Path, default=SHIPPED)
    parser.add_argument("--states", type=Path, required=True)
    parser.add_argument("--about", type=Path, help="JSON to put into the manifest")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    base: Any = judges.load(options.judge, threads=1)
    reader = base.similarity.reader
    states = States(reader, load(options.data), options.states)
    arrays, sharp = fit_style(states)
    arrays |= fit_formality(states, "formality", (*RATED, *EVERYDAY))
    arrays |= fit_formality(states, "bare", (*RATED, "order"))
    report(states, Heads(states.hidden, arrays))
    shutil.copytree(options.judge, options.output, dirs_exist_ok=True)
    about = json.loads(options.about.read_text("utf-8")) if options.about else {}
    about["left_out"] = list(measure_left_out(states))
    states.save()
    write_judge(options.output, arrays, sharp, about)


class States:
    """The rows of tables as an encoder reads them, kept in a file from run to run."""

    def __init__(self, reader: Reader, tables: Mapping[str, Table], path: Path) -> None:
        """Read the states in the file."""
        self._reader, self._tables, self._path = reader, tables, path
        self._kept: dict[str, Any] = {}
        if path.exists():
            with np.load(path) as archive:
                self._kept = {name: archive[name] for name in archive.files}
        self.hidden = reader.heads.hidden
        self.shipped = reader.heads

    def save(self) -> None:
        """Keep what was read."""
        np.savez(self._path, **self._kept)

    def __contains__(self, name: str) -> bool:
        """Return whether the data has a table."""
        return name in self._tables

    def __getitem__(self, name: str) -> Rows:
        """Return a table's rows; of ``order_bare``, order without its punctuation."""
        bare = name == "order_bare"
        table = self._tables["order" if bare else name]
        table = choose_rows(table, MOST.get(name, len(table)))
        if name not in self._kept:
            self._kept[name] = self._pool(table.texts, bare).astype(np.float16)
            print(name, len(table), flush=True)
        features = None if bare else table.extra.get("features")
        if features is not None:
            features = to_tensor(features.reshape(len(table.texts), -1))
        return Rows(to_tensor(self._kept[name]), to_tensor(table.labels), features)

    def _pool(self, texts: Sequence[NDArray[np.int64]], bare: bool) -> Any:
        reader: Any = self._reader
        words = reader.tokenizer.tokens
        ids = [
            [
                int(i)
                for i in text
                if not bare or words[i] == "'" or words[i][-1].isalnum()
            ]
            for text in texts
        ]
        return pool_texts(reader.encoder, ids, start=reader.start, end=reader.end)


def fit_style(states: States) -> tuple[dict[str, NDArray[Any]], float]:
    """Return a head of all styles, and its sharpness on held-out rows."""
    weight, bias = read_head(states.shipped, "style")
    styles, versions = states["style"], states["versions"]
    said = functional.linear(styles.states, weight, bias).softmax(1)
    head = torch.nn.Linear(weight.shape[1], len(ALL_STYLES))
    with torch.no_grad():
        head.weight.zero_()
        head.bias.fill_(UNKNOWN)
        head.weight[: len(bias)] = weight
        head.bias[: len(bias)] = bias

    def loss() -> Tensor:
        rows, others = draw(styles, ROWS["style"]), draw(versions, ROWS["versions"])
        logits = head(drop(styles.states[rows], "style"))
        return (
            NEW
            * functional.cross_entropy(
                head(drop(versions.states[others], "style")),
                versions.labels[others].long(),
            )
            + functional.cross_entropy(logits, styles.labels[rows].long())
            + functional.cross_entropy(logits[:, : len(bias)], said[rows])
        )

    minimise(loss, list(head.parameters()), STEPS, RATES["style"])
    kept = [states["style_dev"], states["versions_own"]]
    with torch.no_grad():
        logits = torch.cat([head(rows.states) for rows in kept]).numpy()
    labels = torch.cat([rows.labels for rows in kept]).numpy().astype(int)
    return name_arrays("style", head), sharpness(logits, labels)


def fit_formality(
    states: States, name: str, tables: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return a head of formality, fitted to ratings and to pairs in their order."""
    weight, bias = read_head(states.shipped, name)
    head = torch.nn.Linear(weight.shape[1], 1)
    with torch.no_grad():
        head.weight.copy_(weight)
        head.bias.copy_(bias)
    scale = torch.nn.Parameter(torch.tensor([1.0, 0.0]))  # of SQUINKY's ratings
    ending = "_bare" if name == "bare" else ""
    chosen = {table: states[table + ending] for table in tables}
    inputs = {table: rows.inputs() for table, rows in chosen.items()}

    def read(table: str, places: Tensor) -> Tensor:
        seen = inputs[table][places]
        features = seen[:, 2 * states.hidden :]
        seen = drop(seen[:, : 2 * states.hidden], "formality")
        result: Tensor = head(torch.cat([seen, features], 1))[:, 0]
        return result

    def loss() -> Tensor:
        total = torch.zeros(())
        for table, rows in chosen.items():
            if table in EVERYDAY:
                error = pair_errors(rows, partial(read, table), table == "surface")
            else:
                places = draw(rows, ROWS["rated"])
                values = read(table, places)
                if table == "squinky":
                    values = scale[0] * values + scale[1]
                error = values - rows.labels[places]
            total = total + WEIGHTS[table] * (error**2).mean()
        return total

    minimise(loss, [*head.parameters(), scale], STEPS // 2, RATES["formality"])
    return name_arrays(name, head)


def pair_errors(rows: Rows, read: Callable[[Tensor], Tensor], exact: bool) -> Tensor:
    """Return the shortfall of pairs' differences, or their deviation from the label."""
    pairs = torch.randint(len(rows.labels), (ROWS["pairs"],))
    both = read(torch.stack([2 * pairs, 2 * pairs + 1], 1).view(-1)).view(-1, 2)
    error = rows.labels[pairs] - (both[:, 0] - both[:, 1])
    return error if exact else functional.relu(error)


def drop(states: Tensor, kind: str) -> Tensor:
    """Apply dropout to the states."""
    return functional.dropout(states, DROPPED[kind])


def draw(rows: Rows, count: int) -> Tensor:
    """Return the indices of a random sample of texts."""
    return torch.randint(len(rows.states), (count,))


def measure_left_out(states: States) -> Iterator[dict[str, Any]]:
    """Yield the figures of formality on corpora that its head did not learn from."""
    for table, (corpus, title, measure) in LEFT_OUT.items():
        without = EVERYDAY if corpus == "everyday" else (corpus,)
        tables = [t for t in (*RATED, *EVERYDAY) if t not in without]
        arrays = fit_formality(states, "formality", tables)
        head = Heads(states.hidden, arrays)
        parts = [states[table], states[f"{table}_own"]]
        values, labels = (
            np.concatenate(several)
            for several in zip(*(read_rows(head, rows) for rows in parts), strict=True)
        )
        if measure == "Spearman":
            value = spearman(values, labels)
        else:
            value = float((values[::2] > values[1::2]).mean())
        yield {
            "evaluator": "formality",
            "corpus": title,
            "measure": measure,
            "value": round(value, 4),
            "items": len(labels),
        }


def read_rows(heads: Heads, rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the formality of rows, and their labels."""
    weight = heads.arrays["formality.weight"]
    values = rows.inputs().numpy() @ weight[0] + heads.arrays["formality.bias"][0]
    return values, rows.labels.numpy()


def report(states: States, heads: Heads) -> None:
    """Print figures on held-out rows, of the shipped heads and of these."""
    for title, chosen in (("shipped", states.shipped), ("new", heads)):
        figures: dict[str, dict[str, float]] = {}
        for name, table in (("versions", "versions_own"), ("style_dev", "style_dev")):
            rows = states[table]
            logits = chosen.logits("style", rows.states.numpy())
            right = logits.argmax(1) == rows.labels.numpy()
            figures[name] = {"accuracy": float(right.mean())}
        for name, tables in RATED.items():
            several = [read_rows(chosen, states[at]) for at in tables if at in states]
            values, labels = map(np.concatenate, zip(*several, strict=True))
            figures[name] = {"Spearman": spearman(values, labels)}
        for name in EVERYDAY:
            values, _ = read_rows(chosen, states[f"{name}_own"])
            apart = values[::2] - values[1::2]
            figures[name] = {
                "order right": float((apart > 0).mean()),
                "mean difference": float(apart.mean()),
            }
        rounded = {
            name: {what: round(value, 4) for what, value in own.items()}
            for name, own in figures.items()
        }
        print(title, json.dumps(rounded), flush=True)


def write_judge(
    folder: Path, arrays: dict[str, NDArray[Any]], sharp: float, about: dict[str, Any]
) -> None:
    """Write the heads, and a manifest that uses them for styles and formality."""
    manifest = json.loads((folder / "judge.json").read_text("utf-8"))
    hidden = manifest["encoders"]["small"]["hidden"]
    Heads(hidden, arrays).save(folder / FILE)
    wanted = manifest["parts"]
    wanted["accuracy"][0] |= {
        "styles": list(ALL_STYLES), "encoders": [NAME], "sharpness": sharp,
    }  # fmt: skip
    wanted["formality"] = {"encoder": NAME}
    described = {"encoder": "small", "file": FILE, "sha256": sha256(folder / FILE)}
    kept = {key: manifest[key] for key in KEPT if key in manifest}
    training = manifest.get("training", {}) | about.pop("training", {})
    more = {"heads": {NAME: described}, "training": training}
    write_manifest(folder, manifest["encoders"], wanted, kept | more | about)


def read_head(heads: Heads, name: str) -> tuple[Tensor, Tensor]:
    """Return a head's matrix and its bias."""
    parts = (heads.arrays[f"{name}.{part}"] for part in ("weight", "bias"))
    weight, bias = map(to_tensor, parts)
    return weight, bias


def name_arrays(name: str, head: Any) -> dict[str, NDArray[Any]]:
    """Return a fitted head as `Heads` keeps it, in 32 bits."""
    return {
        f"{name}.weight": head.weight.detach().numpy(),
        f"{name}.bias": head.bias.detach().numpy(),
    }


if __name__ == "__main__":
    main()
