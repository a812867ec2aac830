"""The last step, in numpy: train on the gold links, and write the aligner.

Cross-validation on the training links chose the thresholds. That of sure links: the
macro F1 of Edinburgh++'s sure links, and micro F1 of those between different words.
Those of possible links, over all links of mt-reference, whose annotators linked whole
phrases: nine in ten are right with ``precision``, F1 is best with ``balance``, three
in four are right with ``recall`` (`choose_points`; what ships is rounded).

Run    python -m training.aligner.tune --mirror FOLDER \\
           --start recipes/monolingual_aligner/start.npz -o trained|--cross-validate
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.align.base import AlignedPair, Preference
from paraphrast.align.links import links_of
from paraphrast.align.measures import corpus_counts, macro, micro
from paraphrast.align.monolingual.aligner import Monolingual
from paraphrast.align.monolingual.training import Settings, fit
from paraphrast.align.monolingual.weights import POSSIBLE, Thresholds, Trained, save
from training.aligner.gold_links import FOLDS, Gold, read_gold

SETTINGS = Settings(seed=2)
THRESHOLDS = Thresholds(sure=0.44, possible=POSSIBLE, hopeless=-2.0)
TRIED = tuple(number / 100 for number in range(10, 66, 2))
NINE_IN_TEN, THREE_IN_FOUR = 90.0, 75.0
SOURCES = json.loads(Path(__file__).with_name("sources.json").read_text("utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("-o", type=Path)
    parser.add_argument("--cross-validate", action="store_true")
    options = parser.parse_args()
    gold, start = read_gold(options.mirror), dict(np.load(options.start))
    if options.cross_validate:
        rows = cross_validate(gold, start)
        chosen = choose_points(rows)
        json.dump({"possible": chosen, "tried": rows}, sys.stdout, indent=1)
    if options.o:
        pairs = [example.pair for example in gold]
        weights = fit(pairs, start, settings=SETTINGS, tell=print_error)
        save(Trained(weights, THRESHOLDS), options.o, **SOURCES)


def cross_validate(gold: list[Gold], start: dict[str, Any]) -> list[dict[str, Any]]:
    """Score every threshold on the folds that a network has not seen."""
    left_out: list[tuple[Gold, np.ndarray]] = []
    for fold in range(FOLDS):
        train = [example.pair for example in gold if example.fold != fold]
        weights = fit(train, start, settings=SETTINGS, tell=print_error)
        rest = [example for example in gold if example.fold == fold]
        aligner = Monolingual(Trained(weights, Thresholds()))
        words = [(example.pair.source, example.pair.target) for example in rest]
        left_out += zip(rest, aligner.probabilities(words), strict=True)
    return [
        {"corpus": corpus, "threshold": threshold}
        | score_threshold(
            [example for example in left_out if example[0].style == style], threshold
        )
        for style, corpus in enumerate(("edinburgh", "mt-reference"))
        for threshold in TRIED
    ]


def choose_points(rows: list[dict[str, Any]]) -> dict[Preference, float]:
    """Return the threshold of possible links at each operating point."""
    rows = [row for row in rows if row["corpus"] == "mt-reference"]

    def lowest(precision: float) -> float:
        right = [row["threshold"] for row in rows if row["precision"] >= precision]
        return float(min(right or [max(row["threshold"] for row in rows)]))

    best = max(rows, key=lambda row: row["sure_or_possible_macro_f1"])
    return {
        "precision": lowest(NINE_IN_TEN),
        "balance": best["threshold"],
        "recall": lowest(THREE_IN_FOUR),
    }


def score_threshold(
    left_out: list[tuple[Gold, np.ndarray]], threshold: float
) -> dict[str, float]:
    pairs = [example.pair for example, _ in left_out]
    system = [
        apply_threshold(example.pair, grid, threshold) for example, grid in left_out
    ]
    kept = corpus_counts(system, pairs, labels="sure", identical="kept")
    other = corpus_counts(system, pairs, labels="sure", identical="ignored")
    every = macro(corpus_counts(system, pairs, labels="possible", identical="kept"))
    return {
        "precision": round(100 * every.precision, 2),
        "recall": round(100 * every.recall, 2),
        "macro_f1": round(100 * macro(kept).f1, 2),
        "different_words_f1": round(100 * micro(other).f1, 2),
        "sure_or_possible_macro_f1": round(100 * every.f1, 2),
    }


def apply_threshold(
    pair: AlignedPair, grid: np.ndarray, threshold: float
) -> AlignedPair:
    sure, either = (
        [(int(row), int(column)) for row, column in np.argwhere(layer > threshold)]
        for layer in grid
    )
    return replace(pair, links=links_of(sure, either))


def print_error(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
