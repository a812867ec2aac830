"""How long does Ĉ take for 800 sentence pairs, and is it what plain Python gives?

Run    python -m benchmarks.agreement_speed --mirror DATA \\
         > benchmarks/results/agreement_speed.json
Backs  "800 pairs in under a minute on one core" in docs/agreement.md.

Two annotators of RTE-2's 800 pairs (msr-rte), 1,000 samples per pair, starting from the
HMM aligner, whose own time is not counted. Before anything is timed, samples of a few
pairs are decomposed by `paraphrast.align.phrase_pairs`, one alignment at a time, and
the two must agree on every value. That plain version is timed on the same samples, in
turn with ours, and the ratio is its time / ours. Time is CPU time of the process.
"""

import argparse
import os
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import from_gold
from paraphrast.align.phrase_pairs import divide_pairs
from paraphrast.corpora.loaders.alignments import msr_rte
from paraphrast.study.alignments import align_automatically
from paraphrast.study.chance_corrected import SAMPLES, concordances, edit_lines
from paraphrast.study.unit_sets import Grid, Kind, concordance, unit_sets

SEED, REPEATS, CHECKED, STEP = 1, 3, 20, 40
ATOMIC: tuple[Kind, ...] = ("atomic phrases",)
CHOICES: dict[str, tuple[Kind, ...]] = {
    "words": ("words",),
    "atomic phrases": ATOMIC,
    "words, atomic phrases, all phrases": ("words", "atomic phrases", "phrases"),
}


def main() -> None:
    folder = arguments().mirror / "msr-rte"
    annotations = {
        name: [from_gold(pair) for pair in msr_rte(folder, name)] for name in "AB"
    }
    pairs = annotations["A"]
    initial = align_automatically("hmm", pairs)
    samples = draw_alignments(annotations, initial)
    assert_same(pairs, samples)
    whole = {
        name: [
            cpu_seconds(partial(concordances, annotations, initial, kinds=kinds))
            for _ in range(REPEATS)
        ]
        for name, kinds in CHOICES.items()
    }
    ratios = [
        cpu_seconds(lambda: [plain(pairs[row], *two) for row, two in samples.items()])
        / cpu_seconds(lambda: [ours(pairs[row], *two) for row, two in samples.items()])
        for _ in range(REPEATS)
    ]
    both = whole["words, atomic phrases, all phrases"]
    report(
        claim="seconds on one core for Ĉ of two annotators on 800 sentence pairs, over "
        "words, atomic phrase pairs and all phrase pairs, 1,000 samples per pair",
        median=round(statistics.median(both), 1),
        range=[round(min(both), 1), round(max(both), 1)],
        alone={
            name: round(statistics.median(times), 1)
            for name, times in whole.items()
            if name in ("words", "atomic phrases")
        },
        plain_python={
            "time / ours, atomic phrase pairs": round(statistics.median(ratios), 1),
            "range": [round(min(ratios), 1), round(max(ratios), 1)],
        },
        setting={
            "pairs": len(pairs),
            "samples": SAMPLES,
            "pairs compared with plain Python": len(samples),
            "repeats": REPEATS,
        },
        versions=("numpy",),
    )


def draw_alignments(
    annotations: dict[str, list[AlignedPair]], initial: list[Any]
) -> dict[int, list[Grid]]:
    """Draw random alignments for some pairs, as many as Ĉ draws."""
    lines = edit_lines(annotations, initial)
    draw = np.random.default_rng(SEED)
    samples = {}
    for row in range(0, CHECKED * STEP, STEP):
        pair = annotations["A"][row]
        start = np.zeros((len(pair.source), len(pair.target)), bool)
        for link in initial[row]:
            start[link.source, link.target] = True
        samples[row] = [
            start ^ (draw.random((SAMPLES, *start.shape)) < line(*start.shape))
            for line in lines.values()
        ]
    return samples


def ours(pair: AlignedPair, first: Grid, second: Grid) -> list[float]:
    sets = [
        unit_sets(grid, pair.source, pair.target, ATOMIC)["atomic phrases"]
        for grid in (first, second)
    ]
    values: list[float] = concordance(*sets).tolist()
    return values


def plain(pair: AlignedPair, first: Grid, second: Grid) -> list[float]:
    values = []
    for grids in zip(first, second, strict=True):
        one, other = (
            {
                (a, b, c, d)
                for a, b, c, d in divide_pairs(
                    zip(*map(list, grid.nonzero()), strict=True)
                ).atomic
                if pair.source[a:b] != pair.target[c:d]
            }
            for grid in grids
        )
        smaller = min(len(one), len(other))
        values.append(len(one & other) / smaller if smaller else float(one == other))
    return values


def assert_same(pairs: list[AlignedPair], samples: dict[int, list[Grid]]) -> None:
    for row, two in samples.items():
        if not np.allclose(ours(pairs[row], *two), plain(pairs[row], *two)):
            sys.exit(f"pair {row} differs from plain Python; there is nothing to time")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--mirror",
        type=Path,
        default=os.environ.get("PARAPHRAST_MIRROR"),
        required="PARAPHRAST_MIRROR" not in os.environ,
        help="the folder with the corpora",
    )
    result = parser.parse_args()
    result.mirror = Path(result.mirror)
    return result


if __name__ == "__main__":
    main()
