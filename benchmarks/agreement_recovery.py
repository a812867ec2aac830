"""Does Ĉ find the agreement of annotators whose agreement we know?

Run    python -m benchmarks.agreement_recovery \\
         > benchmarks/results/agreement_recovery.json
Backs  the figure in docs/agreement.md, which is drawn from that file.

Two annotators start from the same automatic alignment. With probability c, the true
agreement, both give the same changed alignment; else each changes cells independently,
as chance does. So whatever they share beyond c is chance, and Ĉ should equal c, while
the raw agreement π should be higher. Many such corpora are made for every c: the mean
of Ĉ, its standard deviation, and how often its 95% interval contains c are reported.
No data is needed.
"""

import time

import numpy as np

from benchmarks.report import report
from paraphrast.align.base import AlignedPair, Link
from paraphrast.align.links import links_of
from paraphrast.metrics.defaults import Resampling
from paraphrast.study.chance_corrected import concordances
from paraphrast.study.unit_sets import KINDS

TRUE = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
CORPORA, PAIRS, SAMPLES, RESAMPLES = 25, 150, 100, 500
SHORTEST, LONGEST = 5, 15
INTERCEPT, SLOPE = 0.01, 0.002  # how often a cell is changed, relative to the length


def main() -> None:
    started = time.process_time()
    result = {
        true: [one_corpus(true, seed) for seed in range(CORPORA)] for true in TRUE
    }
    series = {
        kind: [
            summary(true, [corpus[kind] for corpus in result[true]]) for true in TRUE
        ]
        for kind in KINDS
    }
    worst = max(
        abs(row["mean"] - row["true"]) for rows in series.values() for row in rows
    )
    report(
        claim="largest distance of the mean Ĉ from the true agreement of simulated "
        "annotators, over words, atomic phrase pairs and all phrase pairs",
        largest=round(worst, 3),
        series=series,
        setting={
            "corpora": CORPORA,
            "pairs a corpus": PAIRS,
            "samples": SAMPLES,
            "words a sentence": [SHORTEST, LONGEST],
            "seconds": round(time.process_time() - started),
        },
        versions=("numpy",),
    )


def one_corpus(true: float, seed: int) -> dict[str, tuple[float, ...]]:
    made, initial = annotators(true, np.random.default_rng(seed))
    result = concordances(made, initial, samples=SAMPLES, seed=seed)
    values: dict[str, tuple[float, ...]] = {}
    for kind in KINDS:
        total = result[kind]["A", "B"].total(resampling=Resampling(RESAMPLES, seed))
        values[kind] = (total.value, total.low, total.high, total.observed)
    return values


def annotators(
    true: float, draw: np.random.Generator
) -> tuple[dict[str, list[AlignedPair]], list[tuple[Link, ...]]]:
    made: dict[str, list[AlignedPair]] = {"A": [], "B": []}
    initial = []
    for _ in range(PAIRS):
        rows, columns = draw.integers(SHORTEST, LONGEST, 2, endpoint=True)
        source = tuple(f"s{number}" for number in range(rows))
        target = tuple(f"t{number}" for number in range(columns))
        start = np.eye(rows, columns, dtype=bool)
        change = INTERCEPT + SLOPE * (rows + columns)
        first, second = (start ^ (draw.random(start.shape) < change) for _ in "AB")
        if draw.random() < true:
            second = first
        for name, grid in (("A", first), ("B", second)):
            made[name].append(AlignedPair(source, target, list_links(grid)))
        initial.append(list_links(start))
    return made, initial


def list_links(grid: np.ndarray) -> tuple[Link, ...]:
    return links_of((int(i), int(j)) for i, j in np.argwhere(grid))


def summary(true: float, corpora: list[tuple[float, ...]]) -> dict[str, float]:
    values, low, high, observed = np.array(corpora).T
    return {
        "true": true,
        "mean": round(float(values.mean()), 4),
        "deviation": round(float(values.std(ddof=1)), 4),
        "mean π": round(float(observed.mean()), 4),
        "interval holds the truth": round(
            float(((low <= true + 1e-9) & (true - 1e-9 <= high)).mean()), 3
        ),
    }


if __name__ == "__main__":
    main()
