"""What do the monolingual aligner's operating points give, and for which uses?

Run    OPENBLAS_NUM_THREADS=1 python -m benchmarks.operating_points --mirror FOLDER \
           > benchmarks/results/operating_points.json
Backs  docs/monolingual-aligner.md.

All links, sure and possible, by macro precision, recall and F1 with 95% intervals from
resampling pairs, on gold sets that the aligner was not trained on. The thresholds were
chosen by cross-validation on training links (training.aligner.tune); ``precision`` is
the aligner before it had operating points. Beside them stand, on
mt-reference's scoring half, aligners that need no links: identical words, identical
stems, and eflomal, trained on the words of the pairs that it aligns, as is usual.

Two uses are measured. A document's formatting follows each new word to its origin in
the source: how many words have the origin that people linked them to, another one, or
none? And people who correct the links remove and add some: how many per pair?

All points run the same network. Whether they take the same time is measured by CPU
time, in turn in one process.
"""

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.report import report
from paraphrast import registry
from paraphrast.align.base import (
    PREFERENCES,
    AlignedPair,
    Aligner,
    Link,
    Preference,
)
from paraphrast.align.links import from_gold, possible_cells
from paraphrast.align.measures import corpus_counts, macro
from paraphrast.align.monolingual import Monolingual, family
from paraphrast.align.monolingual.forms import stem
from paraphrast.align.scoring import intervals
from paraphrast.corpora.loaders import alignments
from paraphrast.rewriting.formats.origins import choose_origins

HALF = "mt-reference, scoring half"
CURVE = [number / 100 for number in range(10, 86, 3)]
TIMED, REPEATS = 300, 5
Pairs = Sequence[AlignedPair]
Figures = dict[str, object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    folder = parser.parse_args().mirror
    half = alignments.mt_reference_half(folder / "mt-reference", "score")
    sets = {
        name: [from_gold(pair) for pair in linked]
        for name, linked in {
            HALF: half,
            "Edinburgh++ test": alignments.edinburgh(folder / "edinburgh", "test"),
            "MSR-RTE": alignments.msr_rte(folder / "msr-rte", "M"),
        }.items()
    }
    points = {name: family.load(None).preferring(name) for name in PREFERENCES}
    system = {
        name: {point: align_pairs(own, pairs) for point, own in points.items()}
        for name, pairs in sets.items()
    }
    ratios = time_points(points, sets[HALF][:TIMED])
    report(
        claim="CPU time of the aligner at balance, over that at precision",
        median=round(statistics.median(ratios), 2),
        range=[round(min(ratios), 2), round(max(ratios), 2)],
        thresholds=dict(points["balance"].trained.thresholds.possible),
        points={
            name: {
                "pairs": len(pairs),
                **{point: figures(system[name][point], pairs) for point in points},
            }
            for name, pairs in sets.items()
        },
        without_links=baselines(sets[HALF]),
        curve=curve(points["balance"], sets[HALF]),
        uses={
            name: {point: uses(system[name][point], sets[name]) for point in points}
            for name in (HALF, "MSR-RTE")
        },
        setting={
            "labels": "sure and possible",
            "average": "macro",
            "resamples": 1000,
            "seed": 1,
            "timed_pairs": TIMED,
            "repeats": REPEATS,
            "threads": 1,
        },
        versions=("numpy", "sil-thot"),
    )


def align_pairs(aligner: Aligner, pairs: Pairs) -> list[AlignedPair]:
    links = aligner([(pair.source, pair.target) for pair in pairs])
    return [replace(pair, links=own) for pair, own in zip(pairs, links, strict=True)]


def figures(system: Pairs, pairs: Pairs) -> Figures:
    counts = corpus_counts(system, pairs, labels="possible", identical="kept")
    result, ends = macro(counts), intervals(counts, "macro")
    values = {
        "precision": result.precision,
        "recall": result.recall,
        "f1": result.f1,
    }
    return {name: percent(value) for name, value in values.items()} | {
        f"{name}_interval": [percent(end) for end in ends[name]] for name in values
    }


def baselines(pairs: Pairs) -> dict[str, Figures]:
    """Score aligners that need no links."""
    identity = registry.find("aligners", "identity").load(None)
    stems = [
        replace(
            pair,
            source=tuple(stem(word.lower()) for word in pair.source),
            target=tuple(stem(word.lower()) for word in pair.target),
        )
        for pair in pairs
    ]
    by_stem = zip(pairs, align_pairs(identity, stems), strict=True)
    eflomal = registry.find("aligners", "eflomal").train(pairs)
    grown = replace(
        eflomal, settings=replace(eflomal.settings, symmetrisation="grow-diag")
    )
    systems = {
        "identical words": align_pairs(identity, pairs),
        "identical stems": [replace(pair, links=own.links) for pair, own in by_stem],
        "eflomal, intersection": align_pairs(eflomal, pairs),
        "eflomal, grow-diag": align_pairs(grown, pairs),
    }
    return {name: figures(system, pairs) for name, system in systems.items()}


def curve(aligner: Monolingual, pairs: Pairs) -> list[dict[str, float]]:
    """Score all links above each threshold; sure ones are always among them."""
    grids = aligner.probabilities([(pair.source, pair.target) for pair in pairs])
    least = aligner.trained.thresholds.sure
    points = []
    for threshold in CURVE:
        system = [
            replace(
                pair,
                links=tuple(
                    Link(i, j)
                    for i, j in np.argwhere(
                        (sure > least) | (linked > threshold)
                    ).tolist()
                ),
            )
            for pair, (sure, linked) in zip(pairs, grids, strict=True)
        ]
        counts = corpus_counts(system, pairs, labels="possible", identical="kept")
        result = macro(counts)
        points.append(
            {
                "threshold": threshold,
                "precision": percent(result.precision),
                "recall": percent(result.recall),
            }
        )
    return points


def uses(system: Pairs, pairs: Pairs) -> Figures:
    """Count words by their origins, and the corrections that people would make."""
    right = wrong = none = removed = added = 0
    for own, gold in zip(system, pairs, strict=True):
        said, wanted = possible_cells(own.links), possible_cells(gold.links)
        removed, added = removed + len(said - wanted), added + len(wanted - said)
        origins = choose_origins(own.source, own.target, own.links)
        linked = {j for _, j in wanted}
        for target, source in enumerate(origins):
            if target in linked:
                none += source < 0
                right += (source, target) in wanted
                wrong += source >= 0 and (source, target) not in wanted
    words = right + wrong + none
    return {
        "words": words,
        "right_origin": percent(right / words),
        "wrong_origin": percent(wrong / words),
        "no_origin": percent(none / words),
        "removed_per_pair": round(removed / len(pairs), 2),
        "added_per_pair": round(added / len(pairs), 2),
    }


def time_points(points: Mapping[Preference, Monolingual], pairs: Pairs) -> list[float]:
    words = [(pair.source, pair.target) for pair in pairs]
    ratios = []
    for _ in range(REPEATS):
        seconds: dict[Preference, float] = {}
        for name in PREFERENCES:
            began = time.process_time()
            points[name](words)
            seconds[name] = time.process_time() - began
        ratios.append(seconds["balance"] / seconds["precision"])
    return ratios


def percent(share: float) -> float:
    return round(100 * share, 2)


if __name__ == "__main__":
    main()
