"""Combine the checker's score with other signals of meaning; print a curve.

A logistic regression over `checker.FEATURES` is fitted to a reader's ratings of a
student's own outputs: does the rewrite say exactly the same (2), or less (1, 0)? Only
outputs that pass the guards count. The curve is of ten-fold predictions: of what is
shown at a threshold, how much says the same, and how much something else. For another
student than the rated one (``--student``) the weight of its log-probability is moved so
that both have the same mean and deviation on their own outputs for everyday's
development part.

A score means less in some styles than in others, so each style gets a threshold of its
own: the score from which ``--unchanged`` of the rewrites say nothing else (mark 1 or
2), by a logistic regression of score and style. A penalty holds styles with few ratings
near the others.

Run    python -m training.everyday.checker.combine --pack PACK --rated FILE
              -o training/everyday/combination.json [--student PACK] [--unchanged 0.86]
              [--keep FILE]
       FILE has rows with source, style, output and meaning; --keep takes the weights of
       an earlier combination
"""

import argparse
import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.estimators.logistic_regression import fit_with_constant, logistic
from paraphrast.neural.candidates.checker import (
    FEATURES,
    FOLDER,
    MeaningChecker,
    find_features,
)
from paraphrast.neural.candidates.guards import (
    Checks,
    find_rejection,
    select_guards,
)
from paraphrast.neural.models.generation import Candidate, Decoding, Request
from paraphrast.neural.models.pack import load_pack
from paraphrast.neural.styles import LOOSE
from training.everyday import corpus

FOLDS = 10
PENALTY = 1.0
STYLE_PENALTY = 10.0
ONE = 0.55  # threshold for styles that are not rated
THRESHOLDS = (0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--rated", type=Path, required=True)
    parser.add_argument("--student", type=Path)
    parser.add_argument("--most", type=int, default=3000)
    parser.add_argument("--unchanged", type=float, default=0.86)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    rows = [row for row in corpus.read_rows(options.rated) if passes(row)]
    random.Random(1).shuffle(rows)
    rows = rows[: options.most]
    features = measure(options.pack, rows)
    ratings = np.array([int(row["meaning"]) for row in rows])
    if options.keep:
        figures = json.loads(options.keep.read_text("utf-8"))
    else:
        figures = weigh(features, ratings)
    weights = np.array(figures["weights"])
    scores = predict(features, weights)
    styles = [row["style"] for row in rows]
    by_style = fit_thresholds(scores, styles, ratings, options.unchanged)
    if options.student:
        figures["weights"] = list(adapt(weights, options.pack, options.student))
    figures["by style"] = {
        "rated": len(rows),
        "unchanged": options.unchanged,
        "thresholds": by_style,
        **compare(scores, styles, ratings, by_style),
    }
    options.output.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def weigh(features: Any, ratings: Any) -> dict[str, Any]:
    """Return the weights that predict the mark 2, with a curve of thresholds."""
    same = (ratings == 2).astype(float)
    predicted = np.zeros(len(ratings))
    for fold in range(FOLDS):
        held = np.arange(len(ratings)) % FOLDS == fold
        predicted[held] = predict(features[held], fit(features[~held], same[~held]))
    curve = [
        {"threshold": least} | describe(predicted >= least, ratings)
        for least in THRESHOLDS
    ]
    for point in curve:
        print(json.dumps(point))
    return {
        "features": FEATURES,
        "weights": [round(float(value), 5) for value in fit(features, same)],
        "rated": len(ratings),
        "same": round(float(same.mean()), 3),
        "changed": round(float((ratings == 0).mean()), 3),
        "curve": curve,
    }


def passes(row: Any) -> bool:
    guards = select_guards(Checks(), loose=row["style"] in LOOSE, decent=False)
    return find_rejection(row["source"], row["output"], guards) is None


def measure(pack: Path, rows: Sequence[Any]) -> Any:
    """Return the features of rated rows, as the pack's student and checker see them."""
    engine = load_pack(pack, "plain", threads=2).steps[-1].engine
    sources, texts = ([row[key] for row in rows] for key in ("source", "output"))
    totals = engine.score([Request(row["source"], row["style"]) for row in rows], texts)
    candidates = [
        Candidate(text, total, len(engine.prompter.target(text)))
        for text, total in zip(texts, totals, strict=True)
    ]
    logits = MeaningChecker(pack / FOLDER, 2).compute_logits(sources, texts)
    return find_features(sources, candidates, logits)


def fit(features: Any, labels: Any) -> Any:
    """Return the weights and the intercept of a logistic regression."""
    return fit_with_constant(features, labels, PENALTY, tolerance=1e-6)


def predict(features: Any, weights: Any) -> Any:
    return logistic(features @ weights[:-1] + weights[-1])


def fit_thresholds(
    scores: Any, styles: Sequence[str], ratings: Any, unchanged: float
) -> dict[str, float]:
    """Return the score of each style from which so many rewrites are unchanged."""
    names = sorted(set(styles))
    odds = np.log(scores / (1 - scores))
    known = np.array([[style == name for name in names] for style in styles], float)
    rows = np.column_stack([odds, known])
    weights = fit_with_constant(rows, (ratings > 0).astype(float), STYLE_PENALTY)
    wanted = math.log(unchanged / (1 - unchanged)) - weights[-1]
    return {
        name: round(float(logistic((wanted - own) / weights[0])), 2)
        for name, own in zip(names, weights[1:-1], strict=True)
    }


def compare(
    scores: Any, styles: Sequence[str], ratings: Any, by_style: Mapping[str, float]
) -> dict[str, Any]:
    """Return what thresholds by style show, and what one for all styles shows."""
    least = np.array([by_style[style] for style in styles])
    return {
        "shown by them": describe(scores >= least, ratings),
        f"shown by {ONE} for all": describe(scores >= ONE, ratings),
    }


def adapt(weights: Any, old: Path, new: Path) -> Any:
    """Return weights adapted to the log-probabilities of another student."""
    (mean, spread), (other, wider) = (measure_confidence(pack) for pack in (old, new))
    at = FEATURES.index("log-probability")
    changed = weights.copy()
    changed[at] = weights[at] * spread / wider
    changed[-1] += weights[at] * mean - changed[at] * other
    return changed


def measure_confidence(pack: Path) -> tuple[float, float]:
    """Return mean and deviation of the log-probability per token of greedy outputs."""
    engine = load_pack(pack, "plain", threads=2).steps[-1].engine
    texts = [text.plain for text in corpus.read_texts() if text.split == "dev"]
    requests = [
        Request(text, corpus.STYLES[number % len(corpus.STYLES)])
        for number, text in enumerate(texts)
    ]
    means = [own[0].mean for own in engine.candidates(requests, Decoding())]
    print(f"{pack}: {np.mean(means):.3f} ± {np.std(means):.3f}")
    return float(np.mean(means)), float(np.std(means))


def describe(shown: Any, ratings: Any) -> dict[str, float]:
    """Return how much is shown, and how much of it says the same."""
    own, same = ratings[shown], ratings == 2
    return {
        "shown": round(float(shown.mean()), 3),
        "changed": round(float((own == 0).mean()), 3),
        "same": round(float((own == 2).mean()), 3),
        "same lost": round(float((same & ~shown).sum() / same.sum()), 3),
    }  # fmt: skip


if __name__ == "__main__":
    main()
