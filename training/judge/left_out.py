"""Corpora left out in turn, and a network's figures on each.

A fold leaves several corpora out, none two of which teach the same skill alone, so
that two folds leave every corpus out once. What a fold left out is measured whole.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.network import Network
from training.judge.measure import spearman
from training.judge.prediction import predict

FOLDS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "a": ("pt16", "cola", "sts"),
    "b": ("squinky", "gug", "everyday"),
}
FLUENCY = ("acceptable", "grammatical", "natural")
# The corpus of each table that is measured; tables end in _own or _test where part of
# the corpus is learnt from.
TABLES: Mapping[str, str] = {
    "pt16": "pt16", "squinky": "squinky", "order": "everyday", "surface": "everyday",
    "cola": "cola", "gug": "gug", "outputs": "outputs", "sts": "sts",
    "alike": "everyday", "versions": "everyday", "plays_valid": "plays",
    "plays_test": "plays", "style_dev": "style",
}  # fmt: skip
Figures = dict[str, float]


def measure_tables(
    network: Network, tables: Mapping[str, Table], fold: str, device: str
) -> tuple[dict[str, Figures], dict[str, NDArray[np.float16]]]:
    """Return figures by table, and the logits of fluency of what was judged by people.

    A corpus that the fold left out is measured whole, under its own name; of others
    only the parts that nothing was learnt from.
    """
    figures: dict[str, Figures] = {}
    logits: dict[str, NDArray[np.float16]] = {}
    for name, corpus in TABLES.items():
        parts = [f"{name}_own", f"{name}_test", name]
        if corpus not in FOLDS[fold] and f"{name}_own" in tables:
            parts.remove(name)
        chosen = [tables[part] for part in parts if part in tables]
        if not chosen:
            continue
        table = join_tables(chosen)
        figures[name], said = _MEASURES.get(name, _classes)(
            network, table, name, device
        )
        if name in ("cola", "gug", "outputs"):
            columns = [said[head][:, 0] for head in FLUENCY]
            logits[name] = np.stack([*columns, table.labels], 1).astype(np.float16)
    return figures, logits


def join_tables(tables: Sequence[Table]) -> Table:
    """Return the rows of several tables of one kind as one table."""
    texts = [text for table in tables for text in table.texts]
    extra = {
        name: np.concatenate([table.extra[name] for table in tables])
        for name in tables[0].extra
    }
    labels = np.concatenate([table.labels for table in tables])
    return Table(texts, labels, tables[0].width, extra)


Measured = tuple[Figures, dict[str, NDArray[np.float32]]]


def _formality(network: Network, table: Table, _: str, device: str) -> Measured:
    said = predict(
        network,
        table.texts,
        features={"formality": table.extra["features"]},
        device=device,
    )
    return {
        "Spearman": spearman(said["formality"][:, 0], table.labels),
        "Spearman of bare": spearman(said["bare"][:, 0], table.labels),
    }, said


def _ordered(network: Network, table: Table, _: str, device: str) -> Measured:
    both = table.extra["features"].reshape(len(table.texts), -1)
    said = predict(network, table.texts, features={"formality": both}, device=device)
    scores = said["formality"][:, 0].reshape(-1, 2)
    apart = scores[:, 0] - scores[:, 1]
    return {
        "order right": float((apart > 0).mean()),
        "mean difference": float(apart.mean()),
        "wanted": float(table.labels.mean()),
    }, said


def _fluency(network: Network, table: Table, name: str, device: str) -> Measured:
    said = predict(network, table.texts, device=device)
    result: Figures = {}
    for head in FLUENCY:
        values = said[head][:, 0]
        result[f"Spearman of {head}"] = spearman(values, table.labels)
        if name == "cola":
            result[f"Matthews of {head}"] = best_matthews(values, table.labels > 0.5)
    total = np.sum([_standard(said[head][:, 0]) for head in FLUENCY], axis=0)
    result["Spearman of the sum"] = spearman(total, table.labels)
    if name == "cola":
        result["Matthews of the sum"] = best_matthews(total, table.labels > 0.5)
    return result, said


def _standard(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((values - values.mean()) / (values.std() + 1e-6))


def best_matthews(values: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    """Return Matthews' coefficient with as many accepted as people accept."""
    accepted = values > np.quantile(values, 1 - right.mean())
    if accepted.all() or not accepted.any():
        return 0.0
    return float(np.corrcoef(accepted, right)[0, 1])


def _pairs(network: Network, table: Table, _: str, device: str) -> Measured:
    said = predict(network, table.texts, device=device)
    cosines = (said["vector"][::2] * said["vector"][1::2]).sum(1)
    return {"Spearman": spearman(cosines, table.labels)}, said


def _classes(network: Network, table: Table, name: str, device: str) -> Measured:
    said = predict(network, table.texts, device=device)
    head = "plays" if name.startswith("plays") else "style"
    return {"accuracy": float((said[head].argmax(1) == table.labels).mean())}, said


_MEASURES: Mapping[str, Callable[[Network, Table, str, str], Any]] = {
    "pt16": _formality,
    "squinky": _formality,
    "order": _ordered,
    "surface": _ordered,
    "cola": _fluency,
    "gug": _fluency,
    "outputs": _fluency,
    "sts": _pairs,
    "alike": _pairs,
}
