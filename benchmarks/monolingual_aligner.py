"""How good and how fast is the monolingual aligner, and what contributes to that?

Run    python -m benchmarks.monolingual_aligner --mirror FOLDER \
           > benchmarks/results/monolingual_aligner.json
Backs  docs/monolingual-aligner.md and its rows in docs/benchmarks.md.

The package's aligner is scored on three gold sets that it was not trained on, with 95%
bootstrap intervals over pairs: sure links by macro F1, those between different words by
micro F1, and all links, sure or possible, at the operating point ``precision``
(benchmarks.operating_points has the others). It is timed on one core, by CPU time, on
the Edinburgh++ test set, cold (the first pairs that a process aligns) and warm.

The learning curve and the ablation train networks again, in NumPy, and score them on
mt-reference's scoring half and on MSR-RTE; the Edinburgh++ test set is not used. Two
initialisations are compared: random weights, and weights distilled from the teachers'
labels of unlabelled pairs (recipes/monolingual_aligner). The teachers had seen all gold
links, so the second curve shows what fine-tuning adds, not what fewer links would cost.
In the ablation each network starts from random weights and sees 300 pairs; one group of
features is removed, and nothing else changes. All of them use the same word vectors,
which come from the teachers' training, except the one without word vectors.
"""

import os
from typing import Any, Literal

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.report import report
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import from_gold
from paraphrast.align.measures import Labels, corpus_counts, macro, micro
from paraphrast.align.monolingual import Monolingual, family
from paraphrast.align.monolingual.features import NAMES
from paraphrast.align.monolingual.network import STEPS, Weights
from paraphrast.align.monolingual.training import Settings, fit, random_weights
from paraphrast.align.monolingual.weights import Thresholds, Trained
from paraphrast.align.scoring import f1_interval
from paraphrast.corpora.loaders import alignments

START = Path(__file__).parents[1] / "recipes" / "monolingual_aligner" / "start.npz"
REPEATS, SEED, ABLATION_PAIRS = 5, 1, 300
CURVE = {"random": (100, 300, 900), "distilled": (100, 300, 1753)}
FROM_RANDOM = Settings(epochs=10, rate=3e-3, seed=SEED)
FROM_DISTILLED = Settings(seed=SEED)
# Which of a cell's features belong together; the rest are similarities of vectors.
GROUPS = {
    "identical words and stems": [0, 1, *range(12, 17)],
    "spelling": [2, 3, 4, 21, 22],
    "word classes": [*range(5, 12)],
    "position": [*range(17, 21), 23, 24],
    "word vectors": slice(len(NAMES), None),
}
Pairs = Sequence[AlignedPair]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    folder = parser.parse_args().mirror
    test = gold(alignments.edinburgh(folder / "edinburgh", "test"))
    held_out = {
        "mt-reference, scoring half": half(folder, "score"),
        "MSR-RTE": gold(alignments.msr_rte(folder / "msr-rte", "M")),
    }
    aligner = family.load(None).preferring("precision")
    speed = time_aligner(aligner, test)
    train = gold(alignments.edinburgh(folder / "edinburgh", "train"))
    train += half(folder, "train")
    random.Random(SEED).shuffle(train)
    figures = {
        name: score_aligner(aligner, pairs)
        for name, pairs in {"Edinburgh++ test": test, **held_out}.items()
    }
    report(
        claim="the monolingual aligner's pairs per second on one core, warm",
        median=speed["warm"],
        range=speed["range"],
        cold=speed["cold"],
        figures=figures,
        calibration=calibration(aligner, test),
        learning_curve=curve(train, held_out),
        ablation=ablation(train, held_out),
        setting={
            "train_pairs": len(train),
            "test_pairs": len(test),
            "ablation_pairs": ABLATION_PAIRS,
            "resamples": 1000,
            "seed": SEED,
            "threads": 1,
        },
        versions=("numpy",),
    )


def gold(linked: Sequence[alignments.LinkedPair]) -> list[AlignedPair]:
    return [from_gold(pair) for pair in linked]


def half(folder: Path, name: Literal["train", "score"]) -> list[AlignedPair]:
    return gold(alignments.mt_reference_half(folder / "mt-reference", name))


def time_aligner(aligner: Monolingual, pairs: Pairs) -> dict[str, object]:
    words = [(pair.source, pair.target) for pair in pairs]
    rates = []
    for _ in range(REPEATS + 1):
        began = time.process_time()
        aligner(words)
        rates.append(round(len(words) / (time.process_time() - began)))
    cold, *warm = rates
    middle = round(statistics.median(warm))
    return {"cold": cold, "warm": middle, "range": [min(warm), max(warm)]}


def score_aligner(aligner: Monolingual, pairs: Pairs) -> dict[str, object]:
    links = aligner([(pair.source, pair.target) for pair in pairs])
    system = [replace(pair, links=own) for pair, own in zip(pairs, links, strict=True)]
    return {
        "pairs": len(pairs),
        "sure": agreement(system, pairs, "sure"),
        "sure_or_possible": agreement(system, pairs, "possible"),
    }


def agreement(system: Pairs, pairs: Pairs, labels: Labels) -> dict[str, object]:
    everything = corpus_counts(system, pairs, labels=labels, identical="kept")
    different = corpus_counts(system, pairs, labels=labels, identical="ignored")
    result = macro(everything)
    return {
        "precision": percent(result.precision),
        "recall": percent(result.recall),
        "f1": percent(result.f1),
        "f1_interval": [percent(end) for end in f1_interval(everything, "macro")],
        "micro_f1": percent(micro(everything).f1),
        "different_words_f1": percent(micro(different).f1),
        "different_words_interval": [
            percent(end) for end in f1_interval(different, "micro")
        ],
    }


def calibration(aligner: Monolingual, pairs: Pairs) -> list[dict[str, float]]:
    """Compare the links' probabilities with how many of them people drew."""
    links = aligner([(pair.source, pair.target) for pair in pairs])
    said, true = [], []
    for pair, own in zip(pairs, links, strict=True):
        cells = {(link.source, link.target) for link in pair.links}
        said += [link.probability for link in own]
        true += [(link.source, link.target) in cells for link in own]
    probability, right = np.array(said), np.array(true)
    bins = np.minimum((probability * 10).astype(int), 9)
    return [
        {
            "links": int((bins == k).sum()),
            "mean_probability": round(float(probability[bins == k].mean()), 3),
            "right": round(float(right[bins == k].mean()), 3),
        }
        for k in sorted(set(bins.tolist()))
    ]


def curve(train: Pairs, held_out: dict[str, list[AlignedPair]]) -> list[object]:
    distilled = dict(np.load(START))
    points: list[object] = [
        {"start": "distilled", "pairs": 0} | brief(distilled, held_out)
    ]
    for start, sizes in CURVE.items():
        begin = distilled if start == "distilled" else random_weights(seed=SEED)
        settings = FROM_DISTILLED if start == "distilled" else FROM_RANDOM
        for size in sizes:
            weights = fit(train[:size], begin, settings=settings)
            points.append({"start": start, "pairs": size} | brief(weights, held_out))
            sys.stderr.write(f"{points[-1]}\n")
    return points


def ablation(train: Pairs, held_out: dict[str, list[AlignedPair]]) -> dict[str, object]:
    few = train[:ABLATION_PAIRS]
    begin = random_weights(seed=SEED)
    result: dict[str, object] = {}
    everything: dict[str, dict[str, np.ndarray]] = {"all features": {}}
    fewer = {f"without {name}": fixed for name, fixed in remove_groups(begin).items()}
    for name, fixed in (everything | fewer).items():
        start = {
            key: np.where(fixed[key], np.float32(0), weight) if key in fixed else weight
            for key, weight in begin.items()
        }
        weights = fit(few, start, settings=FROM_RANDOM, fixed=fixed)
        result[name] = brief(weights, held_out)
        sys.stderr.write(f"{name}: {result[name]}\n")
    return result


def remove_groups(weights: Weights) -> dict[str, dict[str, np.ndarray]]:
    """Return, for each group of features, masks of the weights that it needs."""
    fixed: dict[str, dict[str, np.ndarray]] = {}
    for name, columns in GROUPS.items():
        still: Any = np.zeros(weights["features"].shape, dtype=bool)
        still[:, columns] = True
        fixed[name] = {"features": still}
    for side in ("sources", "targets"):
        fixed["word vectors"][side] = np.ones(weights[side].shape, dtype=bool)
    for name, parts in (
        ("neighbouring cells", ("around",)),
        ("rows and columns", ("row", "column")),
    ):
        keys = [f"{part} {number}" for part in parts for number in range(len(STEPS))]
        fixed[name] = {key: np.ones(weights[key].shape, dtype=bool) for key in keys}
    return fixed


def brief(
    weights: Weights, held_out: dict[str, list[AlignedPair]]
) -> dict[str, dict[str, float]]:
    aligner = Monolingual(Trained(weights, Thresholds()))
    result = {}
    for name, pairs in held_out.items():
        figures: Any = score_aligner(aligner, pairs)["sure"]
        result[name] = {key: figures[key] for key in ("f1", "different_words_f1")}
    return result


def percent(share: float) -> float:
    return round(100 * share, 2)


if __name__ == "__main__":
    main()
