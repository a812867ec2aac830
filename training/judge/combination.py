"""Shakespeare or modern English: encoders and n-grams combined, weighted on a play.

The language models and the linear classifier learn from the training part of Jhamtani
et al.'s plays, as the encoders did; Twelfth Night, the validation part, fits the
weights. No bias is fitted: held out in turn, fifteen plays lean to one side or the
other by up to one unit of log-odds, about evenly, so that one play's bias does not
transfer.
"""

from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import read_texts
from paraphrast.estimators.logistic_regression import fit_dense
from paraphrast.judges import accuracy
from paraphrast.judges.encoder.combination import EncoderOdds, LinearOdds, Odds
from paraphrast.judges.encoder.reading import Reader
from paraphrast.metrics.style_scores import train_language_model

HEAD = "plays"
SIDES = {"modern": "modern", "shakespeare": "original"}
FOLDS, PENALTY = 10, 1.0


def combine(
    readers: dict[str, Reader], corpus: Path, output: Path, *, reader: str
) -> dict[str, Any]:
    """Return the manifest's part, and write the models that it names."""
    train, valid = (read(corpus, part) for part in ("train", "valid"))
    language = train_language_model(*train.values(), order=3)
    linear = accuracy.train(train, valid=valid)
    names = ("modern.arrays", "shakespeare.arrays")
    for name, model in zip(names, (language.source, language.target), strict=True):
        model.save(output / name)
    linear.save(output / "linear.arrays")
    kinds: dict[str, tuple[Odds, dict[str, Any]]] = {
        "encoders": (
            EncoderOdds(tuple(readers.values()), HEAD),
            {"encoders": list(readers), "head": HEAD},
        ),
        "language-model": (language, {"files": list(names)}),
        "linear": (LinearOdds(linear), {"file": "linear.arrays"}),
    }
    result = fit_evidence({name: odds for name, (odds, _) in kinds.items()}, valid)
    return {
        "styles": list(SIDES),
        "reader": reader,
        "combination": {
            name: about | result[name] for name, (_, about) in kinds.items()
        },
    }


def read(corpus: Path, part: str) -> dict[str, list[str]]:
    return {
        style: list(read_texts(corpus / f"{part}.{side}.nltktok"))
        for style, side in SIDES.items()
    }


def fit_evidence(
    kinds: dict[str, Odds], valid: dict[str, list[str]]
) -> dict[str, dict[str, float]]:
    """Return each kind's weight among the others, and its sharpness alone."""
    texts = [text for result in valid.values() for text in result]
    labels = np.repeat([0.0, 1.0], [len(result) for result in valid.values()])
    columns = np.stack([kind.odds(texts) for kind in kinds.values()], axis=1)
    for name, column in zip(kinds, columns.T, strict=True):
        print(name, "alone", round(float(((column > 0) == labels).mean()), 4))
    print("together, by ten parts", round(cross_validate(columns, labels), 4))
    weights = fit_weights(columns, labels)
    return {
        name: {
            "weight": round(float(weight), 4),
            "sharpness": round(float(fit_weights(column[:, None], labels)[0]), 4),
        }
        for name, weight, column in zip(kinds, weights, columns.T, strict=True)
    }


def cross_validate(columns: Any, labels: Any) -> float:
    """Return the accuracy on held-out folds; both sides of a line are in one fold."""
    lines = len(labels) // 2
    part = np.tile(np.random.default_rng(1).permutation(lines) % FOLDS, 2)
    right: list[float] = []
    for number in range(FOLDS):
        out = part == number
        odds = columns[out] @ fit_weights(columns[~out], labels[~out])
        right += ((odds > 0) == labels[out]).tolist()
    return float(np.mean(right))


def fit_weights(columns: Any, labels: Any) -> Any:
    """Return weights by logistic regression without an intercept."""
    scales = columns.std(axis=0)
    penalties = np.full(columns.shape[1], PENALTY)
    return fit_dense(columns / scales, labels, penalties) / scales
