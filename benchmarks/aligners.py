r"""How well does each aligner link the words of Edinburgh++'s test pairs?

Run    OPENBLAS_NUM_THREADS=1 python -m benchmarks.aligners --mirror FOLDER \
           > benchmarks/results/aligners.json
Backs  the row "Word alignment" in docs/benchmarks.md, and docs/alignment.md.

Sure links against sure links, as Edinburgh++ is usually scored: precision, recall, F1
are means over the 306 pairs (macro), in percent, with the 95% interval of F1 from
resampling pairs. Links between different words are scored apart (micro).

Statistical aligners see no links. As is usual they are trained on the very text they
align, here the 714 training and 306 test pairs, with the identity lexicon, and the
directions are intersected; their scores when trained on the training text alone, which
is what a user with new pairs gets, are given beside these. Pretrained aligners are
used as they are. The outputs of other programs are those published with the corpus.
For the HMM and eflomal, each choice is also varied by itself.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.report import report
from paraphrast import registry
from paraphrast.align.base import AlignedPair, Aligner
from paraphrast.align.formats import read_alignments
from paraphrast.align.links import from_gold
from paraphrast.align.measures import corpus_counts, macro, micro
from paraphrast.align.scoring import f1_interval
from paraphrast.align.statistical import Statistical, StatisticalAligner
from paraphrast.align.symmetrisation import METHODS
from paraphrast.corpora.loaders.alignments import edinburgh

BASELINES = {
    "GIZA++, intersection": "giza/edinburgh.align.giza.intersect.json",
    "GIZA++, grow-diag-final": "giza/edinburgh.align.giza.grow-diag-final.json",
    "ITG": "itg/edinburgh.s2t.sitg.json",
    "METEOR": "meteor/edinburgh-meteor.macacc.json",
    "TED": "ted/edinburgh.test.align.ted.json",
}
VARIED = ("hmm", "eflomal")
Pairs = Sequence[AlignedPair]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    folder = parser.parse_args().mirror / "edinburgh"
    train, test = (
        [from_gold(pair) for pair in edinburgh(folder, part)]
        for part in ("train", "test")
    )
    aligners, new_pairs, choices = {}, {}, {}
    for name in registry.names("aligners"):
        family = registry.find("aligners", name)
        if not isinstance(family, Statistical):
            aligners[name] = measure_aligner(family.load(None), test)
            continue
        aligner, seconds = train_aligner(family, [*train, *test])
        aligners[name] = measure_aligner(aligner, test) | {"training_seconds": seconds}
        new_pairs[name] = measure_aligner(train_aligner(family, train)[0], test)
        if name in VARIED:
            choices[name] = vary_settings(family, aligner, [*train, *test], test)
    report(
        claim="links of Edinburgh++'s test pairs, sure against sure, percent",
        aligners=aligners,
        trained_without_the_test_text=new_pairs,
        other_choices=choices,
        outputs_published_with_the_corpus={
            name: figures(list(read_alignments(folder / "baselines" / path)), test)
            for name, path in BASELINES.items()
        },
        setting={
            "train_pairs": len(train),
            "test_pairs": len(test),
            "labels": "sure",
            "average": "macro; different words micro",
            "resamples": 1000,
            "seed": 1,
        },
        versions=("sil-thot", "numpy"),
    )


def train_aligner(
    family: Statistical, pairs: Pairs
) -> tuple[StatisticalAligner, float]:
    began = time.process_time()
    aligner = family.train(pairs)
    return aligner, round(time.process_time() - began, 1)


def measure_aligner(aligner: Aligner, test: Pairs) -> dict[str, object]:
    began = time.process_time()
    links = aligner([(pair.source, pair.target) for pair in test])
    seconds = time.process_time() - began
    system = [replace(pair, links=own) for pair, own in zip(test, links, strict=True)]
    rate = {"pairs_per_cpu_second": round(len(test) / seconds)}
    return figures(system, test) | rate


def figures(system: Pairs, test: Pairs) -> dict[str, object]:
    everything = corpus_counts(system, test, labels="sure", identical="kept")
    different = corpus_counts(system, test, labels="sure", identical="ignored")
    result, apart = macro(everything), micro(different)
    interval = f1_interval(everything, "macro")
    return {
        "precision": percent(result.precision),
        "recall": percent(result.recall),
        "f1": percent(result.f1),
        "f1_interval": [percent(bound) for bound in interval],
        "error_rate": percent(result.error_rate),
        "different_words_f1": percent(apart.f1),
        "different_words_interval": [
            percent(bound) for bound in f1_interval(different, "micro")
        ],
    }


def vary_settings(
    family: Statistical, aligner: StatisticalAligner, pairs: Pairs, test: Pairs
) -> dict[str, object]:
    usual = family.settings
    merged: dict[str, object] = {
        method: measure_aligner(
            replace(aligner, settings=replace(usual, symmetrisation=method)), test
        )
        for method in METHODS
        if method != usual.symmetrisation
    }
    changes = {
        "no lexicon": replace(usual, lexicon="none"),
        "mixed case": replace(usual, case="mixed"),
    }
    retrained = {
        name: measure_aligner(replace(family, settings=changed).train(pairs), test)
        for name, changed in changes.items()
    }
    return merged | retrained


def percent(share: float) -> float:
    return round(100 * share, 1)


if __name__ == "__main__":
    main()
