"""A small network learns the teachers' links, twice.

It is `paraphrast.align.monolingual.network` in torch, with the word vectors and the
layers over words that the package then keeps fixed. The first student learns from the
teachers alone. Trained on the gold links, fold by fold, it labels the pairs itself;
the second student learns from the mean of both and is the one that is kept. Written
are the package's ``vectors.npz`` and ``start.npz`` for tune.py.

Run    python -m training.aligner.student --mirror FOLDER --words words.txt \\
           --vectors glove.npy --unlabelled unlabelled.tsv --taught taught -o student
Needs  torch; ten minutes of one GPU. ``glove.npy`` has one row per word, of length one.
"""

# ruff: noqa: D102, D107
import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from paraphrast.align.base import WordPair
from paraphrast.align.monolingual.features import NAMES, grids
from paraphrast.align.monolingual.network import STEPS
from paraphrast.align.monolingual.training import CHANNELS, NARROW
from paraphrast.align.monolingual.vectors import Table
from paraphrast.corpora import read_lines
from training.aligner.gold_links import FOLDS, cells, read_gold, unpack

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SIZE, HEADS, HEAD, LAYERS = 64, 12, 16, 2
EPOCHS, BATCH, RATE, TABLE_RATE = 8, 160, 3e-3, 7e-4
Labelled = tuple[WordPair, np.ndarray]


class Student(nn.Module):  # type: ignore[misc]
    """The aligner's network, words included."""

    def __init__(self, vectors: np.ndarray) -> None:
        super().__init__()
        none = np.zeros((1, vectors.shape[1]), dtype=np.float32)  # of unknown words
        self.table = nn.Parameter(torch.from_numpy(np.concatenate([vectors, none])))
        self.project = nn.Linear(vectors.shape[1], SIZE, bias=False)
        nn.init.orthogonal_(self.project.weight)
        self.context = nn.ModuleList(
            nn.Conv1d(SIZE, SIZE, 3, padding=1) for _ in range(LAYERS)
        )
        self.alone, self.around = (
            nn.Linear(SIZE, HEADS * HEAD, bias=False) for _ in range(2)
        )
        self.features = nn.Linear(len(NAMES) + 2 * HEADS + 1, CHANNELS)
        self.sides = nn.ModuleList(
            nn.Linear(SIZE, CHANNELS, bias=False) for _ in range(2)
        )
        self.narrow = nn.ModuleList(
            nn.Conv2d(CHANNELS, NARROW, 1, bias=False) for _ in STEPS
        )
        self.near = nn.ModuleList(
            nn.Conv2d(NARROW, CHANNELS, 3, padding=step, dilation=step)
            for step in STEPS
        )
        self.rivals = nn.ModuleList(
            nn.Linear(CHANNELS, CHANNELS, bias=False) for _ in (*STEPS, *STEPS)
        )
        self.last, self.scores = nn.Linear(CHANNELS, CHANNELS), nn.Linear(CHANNELS, 2)
        nn.init.constant_(self.scores.bias, -2.0)

    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        mask = batch["mask"].float()
        words = [self.project(self.table[batch[side]]) for side in ("left", "right")]
        near = [
            self.in_context(side, mask.amax(axis)[..., None])
            for side, axis in zip(words, (2, 1), strict=True)
        ]
        whole = [functional.normalize(side, dim=-1, eps=1e-3) for side in words]
        channels = [
            batch["cells"].float().movedim(0, -1),
            heads(self.alone, words),
            heads(self.around, near),
            (whole[0] @ whole[1].transpose(1, 2))[..., None],
        ]
        start = self.features(torch.cat(channels, -1))
        start = start + self.sides[0](near[0])[:, :, None]
        start = start + self.sides[1](near[1])[:, None]
        state = (functional.relu(start) * mask[..., None]).permute(0, 3, 1, 2)
        for number in range(len(STEPS)):
            row = self.rivals[2 * number](state.amax(3).transpose(1, 2))
            column = self.rivals[2 * number + 1](state.amax(2).transpose(1, 2))
            more = self.near[number](self.narrow[number](state))
            more = more + row.transpose(1, 2)[..., None]
            more = more + column.transpose(1, 2)[:, :, None]
            state = (state + functional.relu(more)) * mask[:, None]
        last = functional.relu(self.last(state.permute(0, 2, 3, 1)))
        return self.scores(last).permute(3, 0, 1, 2)

    def in_context(self, words: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
        for layer in self.context:
            mixed = layer(words.transpose(1, 2)).transpose(1, 2)
            words = (words + functional.relu(mixed)) * inside
        return words


def heads(layer: nn.Linear, sides: list[torch.Tensor]) -> torch.Tensor:
    left, right = (
        functional.normalize(layer(side).unflatten(-1, (HEADS, HEAD)), dim=-1, eps=1e-3)
        for side in sides
    )
    return torch.einsum("bnkd,bmkd->bnmk", left, right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = ("--mirror", "--words", "--vectors", "--unlabelled", "--taught", "-o")
    for name in names:
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    options.o.mkdir(exist_ok=True)
    words = options.words.read_text("utf-8").split("\n")
    parts = (np.load(options.taught / "words.npy"), np.load(options.vectors))
    vectors = np.concatenate(parts, axis=1).astype(np.float32)
    places = {word: row for row, word in enumerate(words)}
    empty = np.zeros((len(words), 0), np.int8)
    table = Table(places, empty, np.zeros(len(words), np.float32))
    lines = list(read_lines(options.unlabelled))
    sides = [line.split("\t") for line in lines]
    pairs = [(tuple(one.split()), tuple(other.split())) for one, other in sides]
    labels = unpack(options.taught / "labels.npz")
    torch.manual_seed(1)
    first = Student(vectors).to(DEVICE)
    fit(first, list(zip(pairs, labels, strict=True)), table, epochs=EPOCHS, rate=RATE)
    own = [
        label_by_fold(first, vectors, table, options.mirror, f, pairs)
        for f in range(FOLDS)
    ]
    mixed = [mean(kinds) for kinds in zip(labels, *own, strict=True)]
    torch.manual_seed(1)
    second = Student(vectors).to(DEVICE)
    fit(second, list(zip(pairs, mixed, strict=True)), table, epochs=EPOCHS, rate=RATE)
    write(second, options.o)


def label_by_fold(
    first: Student,
    vectors: np.ndarray,
    table: Table,
    mirror: Path,
    fold: int,
    pairs: Sequence[WordPair],
) -> list[np.ndarray]:
    """Train a copy on all folds but one, and label the pairs with it."""
    student = Student(vectors).to(DEVICE)
    student.load_state_dict(first.state_dict())
    student.table.requires_grad_(False)
    gold = [
        ((one.pair.source, one.pair.target), cells(one.pair))
        for one in read_gold(mirror)
        if one.fold != fold
    ]
    both = gold + [((b, a), links[:, [1, 0, 2, 3]]) for (a, b), links in gold]
    fit(student, both, table, epochs=6, rate=5e-4, size=32)
    return predict(student, pairs, table)


def mean(kinds: Sequence[np.ndarray]) -> np.ndarray:
    """Return the mean of the teachers' and the students' links."""
    sums: dict[tuple[float, float], np.ndarray] = {}
    for number, links in enumerate(kinds):
        weight = 0.5 if number == 0 else 0.5 / (len(kinds) - 1)
        for source, target, *values in links.tolist():
            share = weight * np.array(values)
            sums[source, target] = sums.get((source, target), 0) + share
    rows = [(*index, *values) for index, values in sums.items() if values[1] > 0.02]
    return np.array(rows, dtype=np.float32).reshape(-1, 4)


def fit(
    student: Student,
    pairs: Sequence[Labelled],
    table: Table,
    *,
    epochs: int,
    rate: float,
    size: int = BATCH,
) -> None:
    draw = random.Random(5)
    batches = list(make_batches(pairs, table, size, draw))
    others = [p for name, p in student.named_parameters() if name != "table"]
    groups = [{"params": others, "lr": rate}]
    if student.table.requires_grad:
        groups.append({"params": [student.table], "lr": TABLE_RATE, "weight_decay": 0})
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        [group["lr"] for group in groups],
        total_steps=epochs * len(batches) + 1,
        pct_start=0.15,
    )
    for _ in range(epochs):
        for batch in draw.sample(batches, len(batches)):
            scores, wanted = student(batch), batch["labels"].float() / 255
            loss = functional.binary_cross_entropy_with_logits(
                scores, wanted, batch["mask"].float().expand_as(scores), reduction="sum"
            ) / (wanted.sum() + 1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(others, 1.0)
            optimizer.step()
            schedule.step()


def make_batches(
    pairs: Sequence[Labelled], table: Table, size: int, draw: random.Random
) -> Iterator[dict[str, Tensor]]:
    """Yield batches of similar size, each pair in one direction or the other."""
    turned = [
        (pair, links) if draw.random() < 0.5 else (pair[::-1], links[:, [1, 0, 2, 3]])
        for pair, links in pairs
    ]
    turned.sort(key=lambda one: (*(len(side) // 4 for side in one[0]), draw.random()))
    for start in range(0, len(turned), size):
        chosen = turned[start : start + size]
        batch = make_batch([pair for pair, _ in chosen], table)
        labels = np.zeros((2, *batch["mask"].shape), dtype=np.uint8)
        for number, (_, links) in enumerate(chosen):
            rows, columns = links[:, :2].astype(int).T
            labels[:, number, rows, columns] = np.rint(255 * links[:, 2:]).T
        yield batch | {"labels": torch.from_numpy(labels).to(DEVICE)}


def make_batch(pairs: Sequence[WordPair], table: Table) -> dict[str, Tensor]:
    result = grids(pairs)
    # The package's table says which row a word has; unknown words have the last.
    rows = np.array([table.row(word) for word in result.words])
    arrays = {
        "cells": result.cells.astype(np.float16),
        "mask": result.mask > 0,
        "left": rows[result.sources],
        "right": rows[result.targets],
    }
    return {name: torch.from_numpy(array).to(DEVICE) for name, array in arrays.items()}


def predict(
    student: Student, pairs: Sequence[WordPair], table: Table, least: float = 0.03
) -> list[np.ndarray]:
    order = sorted(range(len(pairs)), key=lambda n: tuple(map(len, pairs[n])))
    result: list[np.ndarray] = [np.zeros(0)] * len(pairs)
    for start in range(0, len(order), 256):
        numbers = order[start : start + 256]
        batch = make_batch([pairs[n] for n in numbers], table)
        with torch.inference_mode():
            scores = student(batch).sigmoid() * batch["mask"]
        for index, number in enumerate(numbers):
            grid = scores[:, index].cpu().numpy()
            rows, columns = np.nonzero(grid[1] > least)
            values = (rows, columns, *grid[:, rows, columns])
            result[number] = np.stack(values, axis=1).astype(np.float32)
    return result


def write(student: Student, folder: Path) -> None:
    """Write the package's arrays; the table in int8 with one scale per word."""
    kept = {k: v.detach().cpu().numpy() for k, v in student.state_dict().items()}
    table = kept["table"][:-1] @ kept["project.weight"].T
    scales = np.maximum(np.abs(table).max(1) / 127, 1e-12).astype(np.float32)
    words = {
        "rows": np.rint(table / scales[:, None]).astype(np.int8),
        "scales": scales,
        "alone": kept["alone.weight"].T.reshape(SIZE, HEADS, HEAD),
        "around": kept["around.weight"].T.reshape(SIZE, HEADS, HEAD),
    }
    for number in range(LAYERS):
        layer = kept[f"context.{number}.weight"]
        words[f"context {number}"] = layer.transpose(2, 1, 0)
        words[f"context bias {number}"] = kept[f"context.{number}.bias"]
    np.savez(folder / "vectors.npz", **words)
    start = {
        "features": kept["features.weight"],
        "start": kept["features.bias"],
        "sources": kept["sides.0.weight"],
        "targets": kept["sides.1.weight"],
        "last": kept["last.weight"],
        "last bias": kept["last.bias"],
        "scores": kept["scores.weight"],
        "scores bias": kept["scores.bias"],
    }
    for number in range(len(STEPS)):
        near = kept[f"near.{number}.weight"].transpose(0, 2, 3, 1)
        start[f"narrow {number}"] = kept[f"narrow.{number}.weight"][:, :, 0, 0]
        start[f"around {number}"] = near.reshape(CHANNELS, -1)
        start[f"bias {number}"] = kept[f"near.{number}.bias"]
        start[f"row {number}"] = kept[f"rivals.{2 * number}.weight"]
        start[f"column {number}"] = kept[f"rivals.{2 * number + 1}.weight"]
    np.savez_compressed(folder / "start.npz", **start)


if __name__ == "__main__":
    main()
