"""The accuracy of a network on text that it has not seen."""

import numpy as np
from numpy.typing import NDArray

from paraphrast.judges.training.examples import Table
from paraphrast.judges.training.network import Network
from training.judge.prediction import predict

CLASSES = {"style": "style", "plays": "plays", "cds": "cds"}


def measure(
    network: Network, tables: dict[str, Table], part: str, device: str
) -> dict[str, float]:
    """Return figures for ``part``: "own" to choose by, or "test"."""
    named = {"own": "dev", "test": "test"}[part]
    plays = {"own": "valid", "test": "test"}[part]
    wanted = {
        "style": ("style", f"style_{named}"),
        "plays": ("plays", f"plays_{plays}"),
        "cds": ("cds", f"cds_{part}"),
        "CoLA Matthews": ("acceptable", f"cola_{part}"),
        "CoLA by natural": ("natural", f"cola_{part}"),
        "GUG Pearson": ("grammatical", f"gug_{part}"),
        "GUG by acceptable": ("acceptable", f"gug_{part}"),
        "GUG by natural": ("natural", f"gug_{part}"),
        "PT16 Spearman": ("formality", f"pt16_{part}"),
        "PT16 bare Spearman": ("bare", f"pt16_{part}_bare"),
        "PT16 bare head on all": ("bare", f"pt16_{part}"),
    }
    result = {}
    for figure, (head, table) in wanted.items():
        if head in network.specification:
            result[figure] = round(
                _figure(figure, network, head, tables[table], device), 4
            )
    if f"sts_{part}" in tables:
        rows = tables[f"sts_{part}"]
        vectors = predict(network, rows.texts, device=device)["vector"]
        cosines = (vectors[::2] * vectors[1::2]).sum(1)
        result["STS Spearman"] = round(spearman(cosines, rows.labels), 4)
        result["STS mean error"] = round(float(abs(cosines - rows.labels).mean()), 4)
    return result


def _figure(
    figure: str, network: Network, head: str, rows: Table, device: str
) -> float:
    features = {head: rows.extra["features"]} if "features" in rows.extra else None
    logits = predict(network, rows.texts, features=features, device=device)[head]
    if figure in CLASSES:
        return float((logits.argmax(1) == rows.labels).mean())
    if figure.startswith("CoLA"):
        right = rows.labels > 0.5
        guess = logits[:, 0] > 0
        if guess.all() or not guess.any():
            return 0.0
        return float(np.corrcoef(guess, right)[0, 1])
    if figure.startswith("GUG"):
        return float(np.corrcoef(1 / (1 + np.exp(-logits[:, 0])), rows.labels)[0, 1])
    return spearman(logits[:, 0], rows.labels)


def spearman(first: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the rank correlation; ties share the mean rank."""
    return float(np.corrcoef(_ranks(first), _ranks(other))[0, 1])


def _ranks(values: NDArray[np.float32]) -> NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[places]
