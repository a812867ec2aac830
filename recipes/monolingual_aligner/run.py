"""Score the package's aligner, and repeat the last step of its training.

``start.npz`` are the weights that learnt from the teacher's links of unlabelled pairs
(training.aligner). The last step trains them on the 714 Edinburgh++ training pairs and
the training half of mt-reference; the result is scored on the other sets. The
operating points are scored over all links, sure and possible, of translations of one
source; ``precision`` is the aligner as it was before it had operating points.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from paraphrast.align.base import PREFERENCES, AlignedPair, Preference
from paraphrast.align.links import from_gold
from paraphrast.align.measures import Average, Identical, Labels, corpus_counts
from paraphrast.align.measures import macro as macro_of
from paraphrast.align.measures import micro as micro_of
from paraphrast.align.monolingual import Monolingual, family
from paraphrast.align.monolingual.training import Settings, fit
from paraphrast.align.monolingual.weights import Trained
from paraphrast.align.scoring import f1_interval, intervals
from paraphrast.corpora.loaders import alignments
from paraphrast.reproduce import Value, Workspace

START = Path(__file__).with_name("start.npz")
LAST_STEP = Settings(seed=2)
TIMED, REPEATS = 300, 5


def measure_shipped(workspace: Workspace) -> dict[str, Value]:
    aligner = family.load(None)
    test = alignments.edinburgh(workspace.corpus("edinburgh"), "test")
    pairs = [from_gold(pair) for pair in test]
    everything = f1(align_pairs(aligner, pairs), pairs, "possible", "kept", "macro")
    return (
        sure("Edinburgh++ test", aligner, pairs)
        | {"Edinburgh++ test, all links, macro F1": everything}
        | measure_unseen(workspace, aligner)
    )


def measure_points(workspace: Workspace) -> dict[str, Value]:
    half = alignments.mt_reference_half(workspace.corpus("mt-reference"), "score")
    pairs = [from_gold(pair) for pair in half]
    result = {"time at balance over time at precision": compare_speed(pairs[:TIMED])}
    for point in PREFERENCES:
        system = align_pairs(family.load(None).preferring(point), pairs)
        counts = corpus_counts(system, pairs, labels="possible", identical="kept")
        agreement, ends = macro_of(counts), intervals(counts, "macro")
        signature = (
            f"labels:possible|identical:kept|average:macro|seed:1|prefer:{point}"
        )
        for name, label in (
            ("precision", "precision"),
            ("recall", "recall"),
            ("f1", "F1"),
        ):
            low, high = ends[name]
            result[
                f"mt-reference scoring half, all links at {point}, macro {label}"
            ] = Value(100 * getattr(agreement, name), 100 * low, 100 * high, signature)
    return result


def compare_speed(pairs: Sequence[AlignedPair]) -> Value:
    """Return the median ratio of CPU times, measured in turn."""

    def seconds(point: Preference) -> float:
        began = time.process_time()
        align_pairs(family.load(None).preferring(point), pairs)
        return time.process_time() - began

    ratios = [seconds("balance") / seconds("precision") for _ in range(REPEATS)]
    signature = f"pairs:{len(pairs)}|repeats:{REPEATS}|interval:range"
    return Value(median(ratios), min(ratios), max(ratios), signature)


def last_step(workspace: Workspace) -> dict[str, Value]:
    folder = workspace.corpus("mt-reference")
    linked = alignments.edinburgh(workspace.corpus("edinburgh"), "train")
    linked = [*linked, *alignments.mt_reference_half(folder, "train")]
    train = [from_gold(pair) for pair in linked]
    weights = fit(train, dict(np.load(START)), settings=LAST_STEP)
    thresholds = family.load(None).trained.thresholds
    result = measure_unseen(workspace, Monolingual(Trained(weights, thresholds)))
    return {f"last step again, {name}": value for name, value in result.items()}


def measure_unseen(workspace: Workspace, aligner: Monolingual) -> dict[str, Value]:
    half = alignments.mt_reference_half(workspace.corpus("mt-reference"), "score")
    merged = alignments.msr_rte(workspace.corpus("msr-rte"), "M")
    return {
        **sure("mt-reference scoring half", aligner, [from_gold(p) for p in half]),
        **sure("MSR-RTE", aligner, [from_gold(p) for p in merged]),
    }


def sure(
    name: str, aligner: Monolingual, pairs: Sequence[AlignedPair]
) -> dict[str, Value]:
    system = align_pairs(aligner, pairs)
    return {
        f"{name}, sure links, macro F1": f1(system, pairs, "sure", "kept", "macro"),
        f"{name}, sure links between different words, micro F1": f1(
            system, pairs, "sure", "ignored", "micro"
        ),
    }


def align_pairs(
    aligner: Monolingual, pairs: Sequence[AlignedPair]
) -> list[AlignedPair]:
    links = aligner([(pair.source, pair.target) for pair in pairs])
    return [replace(pair, links=own) for pair, own in zip(pairs, links, strict=True)]


def f1(
    system: Sequence[AlignedPair],
    pairs: Sequence[AlignedPair],
    labels: Labels,
    identical: Identical,
    average: Average,
) -> Value:
    counts = corpus_counts(system, pairs, labels=labels, identical=identical)
    result = (macro_of if average == "macro" else micro_of)(counts)
    low, high = f1_interval(counts, average)
    signature = f"labels:{labels}|identical:{identical}|average:{average}|seed:1"
    return Value(100 * result.f1, 100 * low, 100 * high, signature)


STEPS = {
    "shipped": measure_shipped,
    "points": measure_points,
    "last-step": last_step,
}
