"""How fast are sentences parsed and merged, how well do lattices align, and how many
unseen places should a phrase keep?

Run    PARAPHRAST_MIRROR=… python -m benchmarks.syntactic_paraphrases \\
           > benchmarks/results/syntactic_paraphrases.json
Backs  docs/syntax.md and the default ``unseen`` of `syntax.acquisition`.

The training half of mt-reference is parsed from scratch, on one core, and the word
lattices, the paraphrase table and the rules (from people's links) are made from its
trees. Beside it stand PARAMETRIC's AlignPrec and AlignRecall on the same half, from
which nothing was learned for them. ``unseen`` is chosen by cross-validation: a table
of one half of the clusters is asked for every phrase of the other, and of the answers
of both, the likeliest 300 and 1,000 should be right as often as can be.
"""

import hashlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.report import report
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import from_gold
from paraphrast.corpora.loaders.alignments import mt_reference_half
from paraphrast.paraphrases import parametric
from paraphrast.paraphrases.syntax.acquisition import acquire
from paraphrast.paraphrases.syntax.grammar import rules
from paraphrast.paraphrases.syntax.treebank import ParsedPair, Treebank, parse_pairs
from recipes.parametric.alignment import align_by_merging, alignment_rows

SEED, RESAMPLES = 1, 1000
UNSEEN, LIKELIEST = (0, 3, 10, 30, 100), (300, 1000)


def main() -> None:
    folder = Path(os.environ["PARAPHRAST_MIRROR"]) / "mt-reference"
    gold = [from_gold(pair) for pair in mt_reference_half(folder, "train")]
    clock = Clock()
    bank = parse_pairs(gold)
    clock.stop("parsing")
    groups = bank.groups()
    table = acquire(groups)
    clock.stop("lattices and table")
    grammar = rules(bank.pairs)
    clock.stop("rules")
    aligned = [merge_trees(parsed) for parsed in bank.pairs]
    clock.stop("alignment")
    rows = alignment_rows(aligned, gold, resamples=RESAMPLES, seed=SEED)
    sentences = sum(map(len, groups))
    report(
        claim="sentences parsed per second, the lattices' alignment, and the share of "
        "likely paraphrases that are right by the number of unseen places",
        parsed_per_second=round(sentences / clock.seconds["parsing"], 1),
        seconds={name: round(took, 1) for name, took in clock.seconds.items()},
        flat_trees=bank.flat,
        table={"rows": len(table), "phrases": table.phrases()},
        rules=len(grammar),
        alignment={
            f"up to {row.longest} words": {
                "AlignPrec": round(row.precision.value, 3),
                "AlignRecall": round(row.recall.value, 3),
            }
            for row in rows
        },
        right_by_unseen={str(unseen): right(bank, unseen) for unseen in UNSEEN},
        setting={
            "half": "train",
            "pairs": len(gold),
            "sentences": sentences,
            "groups": len(groups),
            "seed": SEED,
        },
    )


def merge_trees(parsed: ParsedPair) -> AlignedPair:
    """Align a pair by merging its trees."""
    links = align_by_merging(parsed.source, parsed.target)
    return AlignedPair(parsed.pair.source, parsed.pair.target, links, parsed.pair.name)


def right(bank: Treebank, unseen: float) -> dict[str, float]:
    """Return the share of the likeliest proposals that are right, cross-validated."""
    sides: tuple[list[ParsedPair], list[ParsedPair]] = ([], [])
    for parsed in bank.pairs:
        name = parametric.cluster_of(parsed.pair).encode()
        sides[hashlib.sha256(name).digest()[1] % 2].append(parsed)
    judged = []
    for train, test in (sides, sides[::-1]):
        table = acquire(Treebank(tuple(train)).groups(), unseen=unseen)
        wanted = parametric.groups([parsed.pair for parsed in test])
        judged.append(parametric.judge(wanted, parametric.of_table(table)))
    probability = np.concatenate([part.probability for part in judged])
    good = np.concatenate([part.right for part in judged])
    order = np.argsort(-probability, kind="stable")
    return {
        f"likeliest {number}": round(float(good[order[:number]].mean()), 3)
        for number in LIKELIEST
    }


@dataclass
class Clock:
    """Seconds since the last stop, by name."""

    seconds: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=time.perf_counter)

    def stop(self, name: str) -> None:
        """Record the time that a step took."""
        now = time.perf_counter()
        self.seconds[name] = now - self.last
        self.last = now


if __name__ == "__main__":
    main()
