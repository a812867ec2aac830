"""Are our paired tests faster than sacrebleu's, for the same p-values?

Run    python -m benchmarks.significance_speed --mirror FOLDER \\
         > benchmarks/results/significance_speed.json
Backs  the rows "paired bootstrap" and "approximate randomisation" of the benchmarks.

Ten systems (the first is the baseline), 2,924 sentences, 1,000 resamples. Before
anything is timed the p-values of both must be equal, with ties as sacrebleu counts
them. A test has two parts, counting statistics from the texts and resampling them;
each is timed for both, in turn in one process, and their sum is the whole test.
Both cache what they tokenised last, so these caches are emptied before every
timing. The claim is the median of the ratios, sacrebleu's time / ours.

The text is generated unless ``--mirror`` names a folder with STRAP's published
outputs; systems are then mixtures of them. ``--metrics`` adds chrf and ter (which
takes a minute per run to count).
"""

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sacrebleu.metrics.base import Metric as TheirMetric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from benchmarks.report import report
from paraphrast.comparison.significance import (
    approximate_randomisation,
    paired_bootstrap,
)
from paraphrast.metrics import tokens
from paraphrast.metrics.base import Matrix, Metric, Segment, rows
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.chrf import Chrf
from paraphrast.metrics.ter import Ter

SEED, SYSTEMS, SENTENCES, RESAMPLES = 12345, 10, 2_924, 1_000
METRICS: dict[str, tuple[Metric, Callable[[], TheirMetric]]] = {
    "bleu": (Bleu(), lambda: BLEU(force=True)),
    "chrf": (Chrf(), CHRF),
    "ter": (Ter(), TER),
}


@dataclass(frozen=True)
class Corpus:
    """One reference per sentence, and the systems' outputs."""

    references: list[str]
    systems: list[list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mirror", type=Path, help="folder that holds strap/")
    parser.add_argument("--metrics", nargs="+", default=["bleu"], choices=METRICS)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    os.environ["SACREBLEU_SEED"] = str(SEED)
    corpus = read_published(options.mirror) if options.mirror else generate_corpus()
    facts = {
        name: measure_corpus(name, corpus, options.repeats) for name in options.metrics
    }
    whole = facts[options.metrics[0]]["bootstrap"]["together"]
    report(
        claim="sacrebleu's time divided by ours, for the same p-values",
        median=whole["median"],
        range=whole["range"],
        metrics=facts,
        setting={
            "systems": SYSTEMS,
            "sentences": len(corpus.references),
            "resamples": RESAMPLES,
            "seed": SEED,
            "repeats": options.repeats,
            "text": "STRAP's outputs" if options.mirror else "generated",
        },
        versions=("sacrebleu", "numpy"),
    )


def measure_corpus(name: str, corpus: Corpus, repeats: int) -> dict[str, Any]:
    ours, make = METRICS[name]
    matrices, known = our_statistics(ours, corpus), their_statistics(make(), corpus)
    result: dict[str, Any] = {"counting": []}
    for test, samples in (("bs", "bootstrap"), ("ar", "randomisation")):
        p_values = our_test(test, ours, matrices)
        if p_values != their_test(test, make(), known, corpus):
            sys.exit(f"{name}, {samples}: the p-values differ; nothing to compare")
        result[samples] = {"p_values": [round(p, 4) for p in p_values]}
    times = [one_repeat(name, corpus, matrices, known) for _ in range(repeats)]
    result["counting"] = ratios(
        [(t["their counting"], t["our counting"]) for t in times]
    )
    for test, samples in (("bs", "bootstrap"), ("ar", "randomisation")):
        alone = [(t[f"their {test}"], t[f"our {test}"]) for t in times]
        both = [
            (t["their counting"] + theirs, t["our counting"] + mine)
            for t, (theirs, mine) in zip(times, alone, strict=True)
        ]
        result[samples] |= {"resampling": ratios(alone), "together": ratios(both)}
    return result


def one_repeat(
    name: str, corpus: Corpus, matrices: list[Matrix], theirs: dict[int, object]
) -> dict[str, float]:
    ours, make = METRICS[name]
    times = {
        "our counting": seconds(lambda: our_statistics(ours, corpus)),
        "their counting": seconds(lambda: their_statistics(make(), corpus)),
    }
    for test in ("bs", "ar"):
        times[f"our {test}"] = seconds(lambda: our_test(test, ours, matrices))  # noqa: B023
        times[f"their {test}"] = seconds(
            lambda: their_test(test, make(), theirs, corpus)  # noqa: B023
        )
    return times


def our_statistics(metric: Metric, corpus: Corpus) -> list[Matrix]:
    return [
        rows(
            metric,
            [
                Segment(output, references=(reference,))
                for output, reference in zip(outputs, corpus.references, strict=True)
            ],
        )
        for outputs in corpus.systems
    ]


def their_statistics(metric: TheirMetric, corpus: Corpus) -> dict[int, object]:
    return {
        id(outputs): metric._extract_corpus_statistics(outputs, [corpus.references])
        for outputs in corpus.systems
    }


def our_test(test: str, metric: Metric, matrices: list[Matrix]) -> list[float]:
    first, *others = matrices
    if test == "bs":
        result = paired_bootstrap(
            metric, first, others, resamples=RESAMPLES, seed=SEED, ties="ignored"
        )
        return [difference.p for difference in result]
    return approximate_randomisation(
        metric, first, others, trials=RESAMPLES, seed=SEED, ties="ignored"
    )


def their_test(
    test: str, metric: Any, theirs: dict[int, object], corpus: Corpus
) -> list[float]:
    # The statistics are already computed, so that this times the test alone.
    metric._extract_corpus_statistics = lambda outputs, _: theirs[id(outputs)]
    metric.num_refs = 1
    named: list[tuple[str, Sequence[str]]] = [
        (str(number), outputs) for number, outputs in enumerate(corpus.systems)
    ]
    paired = PairedTest(named, {"m": metric}, [corpus.references], test, RESAMPLES)
    _, results = paired()
    (column,) = (values for name, values in results.items() if name != "System")
    measured: list[Any] = column[1:]
    return [float(result.p_value) for result in measured]


def ratios(times: list[tuple[float, float]]) -> dict[str, object]:
    result = [theirs / ours for theirs, ours in times]
    return {
        "median": round(statistics.median(result), 2),
        "range": [round(min(result), 2), round(max(result), 2)],
        "seconds": [round(statistics.median(part), 3) for part in zip(*times)],  # noqa: B905
    }


def seconds(work: Callable[[], object]) -> float:
    for tokenizer in (Tokenizer13a, TokenizerRegexp, TercomTokenizer):
        tokenizer.__call__.cache_clear()
    tokens._split.cache_clear()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def generate_corpus() -> Corpus:
    """Invent references, and systems that get more and more words wrong."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices("aeiounrstlmd", k=n % 7 + 1)) for n in range(5_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]

    def invent_reference() -> list[str]:
        return draw.choices(words, weights, k=draw.randint(2, 24))

    def output(reference: list[str], rate: float) -> str:
        kept = (w if draw.random() > rate else draw.choice(words) for w in reference)
        return " ".join(kept) + " ."

    texts = [invent_reference() for _ in range(SENTENCES)]
    return Corpus(
        [" ".join(text) + " ." for text in texts],
        [[output(t, 0.3 + 0.003 * k) for t in texts] for k in range(SYSTEMS)],
    )


def read_published(mirror: Path) -> Corpus:
    """Mix STRAP's greedy outputs with those sampled at p = 0.6, line by line."""
    folder = mirror / "strap" / "shakespeare"
    draw = random.Random(SEED)
    greedy, sampled, gold = (
        (folder / name).read_text("utf-8").removesuffix("\n").split("\n")
        for name in ("generated_p_00.txt", "generated_p_06.txt", "gold.txt")
    )
    systems = [
        [
            a if draw.random() < k / 9 else b
            for a, b in zip(greedy, sampled, strict=True)
        ]
        for k in range(SYSTEMS)
    ]
    return Corpus(gold, systems)


if __name__ == "__main__":
    main()
