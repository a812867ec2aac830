"""Train the small judge for text that it never saw, and measure it on such text.

``teach`` trains MPNet on every task at once and labels all texts. ``student`` trains
MiniLM on the predictions of one or more teachers, on human judgments, and, where it
continues from the shipped judge, on that judge's predictions: of styles, of fluency
(``--keep``) and of nonsense, and its vectors where the teachers left none. ``soup``
averages the weights of several students of one fold that began alike and learnt in
another order. Folds (`left_out.FOLDS`) leave corpora out of both; their figures are the
ones to believe. Every stage ends after ``--seconds``.

Run    python -m training.judge.transfer teach   --fold all --seed 1 --seconds 150 ...
       python -m training.judge.transfer student --fold all --seed 1 --seconds 170 ...
       python -m training.judge.transfer soup    --fold all -o OUT ...
       each with --data transfer.npz --weights FOLDER --work FOLDER
Needs  transfer.npz (`transfer_data`); for students that go on from the shipped judge
       weak.npz (`nonsense_data`) and changed.npz (`changed_meanings`) beside it, after
       one --data; FOLDER with mpnet-*.npz and minilm-*.npz
       (`coarse_weights`); torch, transformers. ``--share 0.01`` tries it on a CPU.
Makes  WORK/NAME.json with figures, WORK/student-FOLD-SEED.pt; OUT/small-0.npz and so on
"""

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from paraphrast.judges.encoder.surface import COUNT
from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.fitting import Labelled, Plan, Task, fit
from paraphrast.judges.training.network import Head, Network
from training.judge.coarse_weights import read_coarse, split_arrays
from training.judge.left_out import FLUENCY, FOLDS, measure_tables
from training.judge.pack_weights import quantise
from training.judge.prediction import predict
from training.judge.shipped_weights import read_shipped
from training.judge.tables import choose_rows, load_several
from training.judge.tasks import Alike, Contrast, Nearer, Ordered, Taught
from training.styles import STYLES

HEADS = (
    Head("style", "classes", 14),
    Head("plays", "classes", 2),
    Head("acceptable", "flag"),
    Head("grammatical", "flag"),
    Head("natural", "flag"),
    Head("formality", "score", features=COUNT),
    Head("bare", "score"),
)
TEXTS = (  # what a teacher labels; a fold's own corpora are left out of it
    "style", "versions", "plays", "natural", "unlabelled", "cds", "outputs", "wide",
    "cola", "gug", "pt16", "squinky", "order", "sts", "alike",
    "cola_varied", "gug_varied", "pt16_varied", "squinky_varied",
)  # fmt: skip
CORPUS = {
    "cola_varied": "cola", "gug_varied": "gug", "pt16_varied": "pt16",
    "squinky_varied": "squinky",
    "pt16_bare": "pt16", "squinky_bare": "squinky", "versions": "everyday",
    "order": "everyday", "surface": "everyday", "alike": "everyday",
    "changed": "everyday",
}  # fmt: skip
VECTOR = 384
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TEACHER_RATE, STUDENT_RATE, FURTHER_RATE = 4e-5, 2e-4, 1e-4
POOL_ROWS = {"pool": 576, "varied": 224}
GROUPS = 4  # of a step's texts, by their length
KEPT = ("style", "plays", *FLUENCY)  # of what a student said in the beginning
LEARNT_BY_SHIPPED = {"pt16", "cola", "gug", "sts"}
SHARES = {"acceptable": 2.0, "grammatical": 2.0, "natural": 1.0, "formality": 0.5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", choices=("teach", "student", "soup"))
    parser.add_argument("--fold", choices=tuple(FOLDS), default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--keep", type=float, default=0.5)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    options.work.mkdir(parents=True, exist_ok=True)
    tables = load_several(options.data)
    if options.share < 1:
        tables = {name: sample_rows(t, options.share) for name, t in tables.items()}
    STAGES[options.stage](options, tables)


def teach(options: argparse.Namespace, tables: dict[str, Table]) -> None:
    """Train a teacher, measure it, and store its predictions for every text."""
    torch.manual_seed(options.seed)
    encoder, marks = read_coarse(options.weights, "mpnet")
    network = Network(encoder, HEADS, marks=marks)
    tasks = list(people_tasks(tables, options, scale=1.0))
    train_network(network, tasks, options, TEACHER_RATE)
    name = f"teacher-{options.fold}-{options.seed}"
    texts = pool_texts(tables, options.fold)
    said = predict(network, [*texts, *tables["pairs"].texts], device=DEVICE)
    arrays: dict[str, Any] = {k: v.astype(np.float16) for k, v in said.items()}
    np.savez(options.work / f"{name}.part.npz", **arrays)
    (options.work / f"{name}.part.npz").rename(options.work / f"{name}.npz")
    report(network, tables, options, name)


def student(options: argparse.Namespace, tables: dict[str, Table]) -> None:
    """Train a student on the predictions of the fold's teachers and human judgments."""
    network, further = begin_student(options)
    texts = pool_texts(tables, options.fold)
    logits, vectors = read_teachers(options)
    own = read_own(network, [*texts, *tables["pairs"].texts])
    vectors = join_vectors(vectors, own.pop("vector"))
    if further:
        logits |= keep_logits(logits, own, options.keep)
    parts = {"pool": 0, "varied": len(texts) - count_varied(tables, options.fold)}
    ends = [*list(parts.values())[1:], len(texts)]
    tasks: list[Task] = [
        Taught(
            Table(texts[start:end], np.zeros(end - start, np.float32)),
            scale_rows(POOL_ROWS[name], options),
            {head: values[start:end] for head, values in logits.items()},
            vectors[start:end],
            shares=SHARES,
        )
        for (name, start), end in zip(parts.items(), ends, strict=True)
        if end > start
    ]
    tasks += [
        Taught(
            tables["pairs"],
            scale_rows(64, options),
            {name: values[len(texts) :] for name, values in logits.items()},
            vectors[len(texts) :],
            shares=SHARES,
        ),
        *(
            task
            for task in people_tasks(tables, options, scale=0.7)
            if not isinstance(task, Contrast)
        ),
    ]
    if further and "weak" in tables:
        said = read_own(network, tables["weak"].texts)
        kept = {head: said[head] for head in FLUENCY}
        rows = scale_rows(96, options)
        tasks.append(Taught(tables["weak"], rows, kept, None, shares=SHARES))
    train_network(network, tasks, options, FURTHER_RATE if further else STUDENT_RATE)
    name = f"student-{options.fold}-{options.seed}"
    torch.save(network.state_dict(), options.work / f"{name}.pt")
    report(network, tables, options, name)


def soup(options: argparse.Namespace, tables: dict[str, Table]) -> None:
    """Average the students of a fold; write the average and every figure so far."""
    paths = sorted(options.work.glob(f"student-{options.fold}-*.pt"))
    states = [torch.load(p, map_location="cpu", weights_only=True) for p in paths]
    encoder, marks = read_coarse(options.weights, "minilm")
    network = Network(encoder, HEADS, marks=marks, vector=VECTOR).to(DEVICE)
    mean = {
        key: torch.stack([state[key].float() for state in states]).mean(0)
        if value.dtype.is_floating_point
        else value
        for key, value in states[0].items()
    }
    network.load_state_dict(mean)
    report(network, tables, options, f"soup-{options.fold}")
    options.output.mkdir(parents=True, exist_ok=True)
    packed: dict[str, Any] = {}
    for key, tensor in mean.items():
        if tensor.dtype.is_floating_point:
            packed |= quantise(key, tensor.cpu().float().numpy(), bits=8)
    for number, part in enumerate(split_arrays(packed)):
        np.savez_compressed(options.output / f"small-{number}.npz", **part)
    figures = {p.stem: json.loads(p.read_text()) for p in options.work.glob("*.json")}
    (options.output / "figures.json").write_text(json.dumps(figures, indent=1))
    kept = {
        f"{path.stem.removeprefix('rows-')}/{key}": values
        for path in options.work.glob("rows-*.npz")
        for key, values in np.load(path).items()
    }
    np.savez_compressed(options.output / "rows.npz", **kept)


def people_tasks(
    tables: dict[str, Table], options: argparse.Namespace, *, scale: float
) -> Iterable[Task]:
    """Return the tasks with human or made labels, less those that the fold omits."""
    get = tables.__getitem__
    tasks: dict[str, list[Task]] = {
        "style": [Labelled("style", get("style"), 72)],
        "versions": [Labelled("style", get("versions"), 32)],
        "plays": [Labelled("plays", get("plays"), 40)],
        "natural": [Labelled("natural", get("natural"), 48)],
        "outputs": [
            Labelled("natural", get("outputs"), 40),
            Labelled("grammatical", get("outputs"), 16, weight=0.3),
        ],
        "cola": [Labelled("acceptable", get("cola"), 28)],
        "gug": [Labelled("grammatical", get("gug"), 10)],
        "pt16": [Labelled("formality", get("pt16"), 20)],
        "pt16_bare": [Labelled("bare", get("pt16_bare"), 14, weight=0.5)],
        "squinky": [Labelled("formality", get("squinky"), 20)],
        "squinky_bare": [Labelled("bare", get("squinky_bare"), 14, weight=0.5)],
        "order": [Ordered("formality", get("order"), 16, weight=0.7)],
        "surface": [Ordered("formality", get("surface"), 16, exact=True)],
        "sts": [Alike(get("sts"), 48, weight=2.0)],
        "alike": [Alike(get("alike"), 32)],
        "pairs": [Contrast(get("pairs"), 32)],
    }
    if "changed" in tables:
        tasks["changed"] = [Nearer(get("changed"), 96)]
    if "weak" in tables:
        tasks["weak"] = [Labelled("natural", get("weak"), 64)]
    for name, several in tasks.items():
        if CORPUS.get(name, name) not in FOLDS[options.fold]:
            for task in several:
                rows = scale_rows(max(4, int(scale * task.rows)), options)
                yield replace(task, rows=rows)  # type: ignore[type-var]


def begin_student(options: argparse.Namespace) -> tuple[Network, bool]:
    """Return the student that learning begins with, and whether it was a judge before.

    That is the shipped judge, unless the fold leaves out what that one learnt from.
    """
    torch.manual_seed(1)  # students of all seeds begin alike, so that weights average
    encoder, marks = read_coarse(options.weights, "minilm")
    network = Network(encoder, HEADS, marks=marks, vector=VECTOR)
    state = read_shipped(options.weights)
    if not state or set(FOLDS[options.fold]) & LEARNT_BY_SHIPPED:
        return network, False
    own = network.state_dict()
    for name, values in state.items():
        if name in own:  # heads of more classes begin as before in those they had
            rows = torch.from_numpy(values).float()
            own[name][: len(rows)] = rows
    network.load_state_dict(own)
    return network, True


def read_own(network: Network, texts: list[Any]) -> dict[str, Any]:
    """Return a student's predictions before training, for the shipped styles only."""
    said = predict(network.to(DEVICE), texts, device=DEVICE)
    own = {name: torch.from_numpy(values).to(DEVICE) for name, values in said.items()}
    own["style"] = own["style"][:, : len(STYLES)]
    return own


def keep_logits(
    theirs: dict[str, Any], own: dict[str, Any], share: float
) -> dict[str, Any]:
    """Return interpolated logits of teachers and student, for the heads to be kept.

    Where the teachers have none, they are the student's own.
    """
    result = {}
    for head in KEPT:
        result[head] = own[head]
        if head in theirs:
            result[head] = theirs[head].clone()
            trained = result[head][:, : own[head].shape[1]]
            trained.mul_(1 - share).add_(own[head], alpha=share)
    return result


def join_vectors(theirs: Any | None, ours: Any) -> Any:
    """Return the mean of two sets of vectors, the first rotated to fit the second."""
    if theirs is None:
        return ours
    left, _, right = torch.linalg.svd(theirs.T @ ours)
    return torch.nn.functional.normalize(theirs @ (left @ right) + ours, dim=1)


def count_varied(tables: dict[str, Table], fold: str) -> int:
    """Return how many texts at the end of a fold's pool are variants of judged ones."""
    names = [n for n in TEXTS if n.endswith("_varied") and n in tables]
    return sum(len(tables[n]) for n in names if CORPUS[n] not in FOLDS[fold])


def pool_texts(tables: dict[str, Table], fold: str) -> list[Any]:
    """Return the texts that a fold's teachers label, in their order."""
    return [
        text
        for name in TEXTS
        if name in tables and CORPUS.get(name, name) not in FOLDS[fold]
        for text in tables[name].texts
    ]


def read_teachers(options: argparse.Namespace) -> tuple[dict[str, Any], Any | None]:
    """Return the teachers' mean logits, and their vectors in the student's dimension.

    A teacher may lack a head or the vectors, and is NaN where it was not asked.
    """
    several: list[dict[str, Any]] = []
    for path in sorted(options.work.glob(f"teacher-{options.fold}-*.npz")):
        with np.load(path) as archive:
            several.append({key: archive[key] for key in archive.files})
    names = sorted({name for outputs in several for name in outputs} - {"vector"})
    logits = {
        name: torch.from_numpy(
            np.nanmean(
                [
                    outputs[name].astype(np.float32)
                    for outputs in several
                    if name in outputs
                ],
                axis=0,
            )
        ).to(DEVICE)
        for name in names
    }
    whole = [outputs["vector"] for outputs in several if "vector" in outputs]
    if not whole:
        return logits, None
    joined = np.concatenate(whole, axis=1)
    vectors = torch.from_numpy(joined.astype(np.float32)).to(DEVICE)
    draw = torch.Generator().manual_seed(1)
    chosen = torch.randperm(len(vectors), generator=draw)[:60_000]
    sample = vectors[chosen.to(vectors.device)].double()
    # No mean is subtracted, so that cosines stay cosines.
    _, directions = torch.linalg.eigh(sample.T @ sample)
    kept = directions[:, -VECTOR:].flip(1).float()
    return logits, torch.nn.functional.normalize(vectors @ kept, dim=1)


def train_network(
    network: Network, tasks: list[Task], options: argparse.Namespace, rate: float
) -> None:
    """Train until the steps or the seconds run out."""
    began = time.time()
    name = f"{options.stage} {options.fold} {options.seed}"

    def progress(step: int, loss: float) -> None:
        print(f"{name}: {step} {loss:.3f} {time.time() - began:.0f}s", flush=True)
        if options.stage == "student":  # in case the machine is taken away
            part = f"part-{options.fold}-{options.seed}.pt"
            torch.save(network.state_dict(), options.work / part)

    steps = max(2, int(options.steps * options.share))
    plan = Plan(steps, rate, options.seed, seconds=options.seconds, groups=GROUPS)
    fit(network, tasks, plan, device=DEVICE, progress=progress)


def report(
    network: Network, tables: dict[str, Table], options: argparse.Namespace, name: str
) -> None:
    """Write a network's figures, and its prediction for each evaluated row."""
    reading = partial(predict, network, device=DEVICE)
    figures, rows = measure_tables(reading, tables, options.fold)
    rounded = {
        table: {what: round(value, 4) for what, value in row.items()}
        for table, row in figures.items()
    }
    record = {"left out": FOLDS[options.fold], "figures": rounded}
    print(name, json.dumps(record), flush=True)
    (options.work / f"{name}.json").write_text(json.dumps(record))
    arrays: dict[str, Any] = dict(rows)
    np.savez(options.work / f"rows-{name}.npz", **arrays)


def sample_rows(table: Table, share: float) -> Table:
    """Return a share of a table's rows, at least sixty."""
    return choose_rows(table, max(60, int(len(table) * share)))


def scale_rows(count: int, options: argparse.Namespace) -> int:
    """Return fewer rows per step if only a share of the data is used."""
    return count if options.share == 1 else max(2, count // 16)


STAGES = {"teach": teach, "student": student, "soup": soup}

if __name__ == "__main__":
    main()
