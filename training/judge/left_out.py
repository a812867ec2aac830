"""Corpora left out in turn, and a judge's figures on each.

A fold leaves out several corpora, no two of which are the only ones to teach a skill;
the two folds together leave out every corpus once. What a fold left out is measured
whole.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.training.examples import Table
from training.judge.measure import spearman
from training.styles import STYLES

FOLDS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "a": ("pt16", "cola", "sts"),
    "b": ("squinky", "everyday"),
}
FLUENCY = ("acceptable", "grammatical", "natural")
FELT = 0.05  # of a cosine
# The corpus of each table that is measured; tables end in _own or _test where part of
# the corpus is learnt from.
TABLES: Mapping[str, str] = {
    "pt16": "pt16", "squinky": "squinky", "order": "everyday", "surface": "everyday",
    "cola": "cola", "gug": "gug", "outputs": "outputs", "weak": "weak", "sts": "sts",
    "alike": "everyday", "changed": "everyday", "versions": "everyday",
    "plays_valid": "plays", "plays_test": "plays", "style_dev": "style",
}  # fmt: skip
Figures = dict[str, float]
Said = dict[str, NDArray[np.float32]]


class Predictor(Protocol):
    """Returns every head's logits and ``vector`` for texts, in their order."""

    def __call__(
        self,
        texts: Sequence[NDArray[np.int64]],
        *,
        features: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> Said:
        """Read texts given as tokens; a head with features gets those of its name."""


def measure_tables(
    predict: Predictor, tables: Mapping[str, Table], fold: str
) -> tuple[dict[str, Figures], dict[str, NDArray[np.float16]]]:
    """Return figures by table, and each row's predictions followed by its label.

    A corpus that the fold left out is measured whole, under its own name; of others
    only the parts that nothing was learnt from.
    """
    figures: dict[str, Figures] = {}
    rows: dict[str, NDArray[np.float16]] = {}
    for name in TABLES:
        chosen = choose_tables(tables, name, fold)
        if not chosen:
            continue
        table = join_tables(chosen)
        figures[name], given = _MEASURES.get(name, _classes)(predict, table, name)
        rows[name] = np.column_stack([*given, table.labels]).astype(np.float16)
    return figures, rows


def choose_tables(tables: Mapping[str, Table], name: str, fold: str) -> list[Table]:
    """Return the tables of this name from which the fold learns nothing."""
    parts = [f"{name}_own", f"{name}_test", name]
    if TABLES[name] not in FOLDS[fold] and f"{name}_own" in tables:
        parts.remove(name)
    return [tables[part] for part in parts if part in tables]


def join_tables(tables: Sequence[Table]) -> Table:
    """Return the rows of several tables of one kind as one table."""
    texts = [text for table in tables for text in table.texts]
    extra = {
        name: np.concatenate([table.extra[name] for table in tables])
        for name in tables[0].extra
    }
    labels = np.concatenate([table.labels for table in tables])
    return Table(texts, labels, tables[0].width, extra)


Measured = tuple[Figures, list[NDArray[np.float32]]]


def _formality(predict: Predictor, table: Table, _: str) -> Measured:
    said = predict(table.texts, features={"formality": table.extra["features"]})
    return {
        "Spearman": spearman(said["formality"][:, 0], table.labels),
        "Spearman of bare": spearman(said["bare"][:, 0], table.labels),
    }, [said["formality"][:, 0], said["bare"][:, 0]]


def _measure_order(predict: Predictor, table: Table, _: str) -> Measured:
    both = table.extra["features"].reshape(len(table.texts), -1)
    said = predict(table.texts, features={"formality": both})
    scores = said["formality"][:, 0].reshape(-1, 2)
    apart = scores[:, 0] - scores[:, 1]
    return {
        "order right": float((apart > 0).mean()),
        "mean difference": float(apart.mean()),
        "wanted": float(table.labels.mean()),
    }, [scores]


def _fluency(predict: Predictor, table: Table, name: str) -> Measured:
    said = predict(table.texts)
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
    return result, [said[head][:, 0] for head in FLUENCY]


def _standard(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((values - values.mean()) / (values.std() + 1e-6))


def best_matthews(values: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    """Return Matthews' coefficient, with as many texts accepted as people accept."""
    accepted = values > np.quantile(values, 1 - right.mean())
    if accepted.all() or not accepted.any():
        return 0.0
    return float(np.corrcoef(accepted, right)[0, 1])


def _pairs(predict: Predictor, table: Table, _: str) -> Measured:
    said = predict(table.texts)
    cosines = (said["vector"][::2] * said["vector"][1::2]).sum(1)
    return {"Spearman": spearman(cosines, table.labels)}, [cosines]


def _measure_changes(predict: Predictor, table: Table, _: str) -> Measured:
    vectors = predict(table.texts)["vector"].reshape(len(table), 3, -1)
    anchor, same, other = vectors.swapaxes(0, 1)
    apart = (anchor * same).sum(1) - (anchor * other).sum(1)
    result = {"similarity falls": float((apart > FELT).mean())}
    for kind in np.unique(table.labels):
        share = float((apart[table.labels == kind] > FELT).mean())
        result[f"similarity falls, kind {int(kind)}"] = share
    return result, [apart]


def _classes(predict: Predictor, table: Table, name: str) -> Measured:
    said = predict(table.texts)
    head = "plays" if name.startswith("plays") else "style"
    result = {"accuracy": float((said[head].argmax(1) == table.labels).mean())}
    has_style = table.labels < len(STYLES)
    if head == "style" and not has_style.all():  # what judges of eleven styles can tell
        chosen = said[head][has_style, : len(STYLES)].argmax(1)
        right = chosen == table.labels[has_style]
        result["accuracy among eleven"] = float(right.mean())
    return result, [said[head].argmax(1).astype(np.float32)]


_MEASURES: Mapping[str, Callable[[Predictor, Table, str], Measured]] = {
    "pt16": _formality,
    "squinky": _formality,
    "order": _measure_order,
    "surface": _measure_order,
    "cola": _fluency,
    "gug": _fluency,
    "outputs": _fluency,
    "weak": _fluency,
    "changed": _measure_changes,
    "sts": _pairs,
    "alike": _pairs,
}
