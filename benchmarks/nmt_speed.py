"""How many sentences per second does an NMT model of the paper's size rewrite?

Run    python -m benchmarks.nmt_speed > benchmarks/results/nmt_speed.json
Backs  the row "nmt_speed" in docs/benchmarks.md.

The work depends on sizes and lengths alone, so the weights are random: 2 layers of 500
units, embeddings of 300, 15,000 words, a copy mechanism, beam 5. Sources have 5 to 20
words; outputs never end, and are cut so that they are as long as their sources on
average. Equal work is checked first: a sentence alone gives what it gives in a batch.
Time is processor time of all threads, so that other work on the machine matters little.
"""

import statistics
import time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.report import report
from paraphrast.nmt import weights
from paraphrast.nmt.beam_search import Search, search
from paraphrast.nmt.inference import Network
from paraphrast.nmt.settings import Architecture
from paraphrast.nmt.vocabulary import END, SPECIAL, Vocabulary

SEED, WORDS, SENTENCES, REPEATS = 1, 15_000, 64, 5
SEARCH = Search(longest=0.25)  # and 10 words: 13 for a source of 12.5


def main() -> None:
    random = np.random.default_rng(SEED)
    network = make_network(random)
    words = network.model.vocabulary.words[len(SPECIAL) :]
    sources = [
        [words[i] for i in random.integers(0, WORDS, random.integers(5, 21))]
        for _ in range(SENTENCES)
    ]
    with threadpool_limits(1):
        together = search(network, sources, SEARCH)
        for source, outputs in zip(sources[:5], together, strict=False):
            assert search(network, [source], SEARCH) == [outputs]
        speeds = [measure_speed(network, sources) for _ in range(REPEATS)]
    report(
        claim="sentences per second of an NMT model, one core, processor time",
        median=round(statistics.median(speeds)),
        range=[round(min(speeds)), round(max(speeds))],
        setting={
            "sentences": SENTENCES,
            "source words": statistics.mean(map(len, sources)),
            "output words": statistics.mean(len(o[0].words) for o in together),
            "vocabulary": WORDS,
            "hidden": Architecture.hidden,
            "layers": Architecture.layers,
            "beam": SEARCH.beam,
            "seed": SEED,
        },
        versions=("numpy",),
    )


def make_network(random: np.random.Generator) -> Network:
    """Return a rounded model with random weights, whose outputs never end."""
    architecture = Architecture(copy=True)
    vocabulary = Vocabulary((*SPECIAL, *(f"word{i}" for i in range(WORDS))))
    arrays = {
        name: (0.05 * random.standard_normal(shape)).astype(np.float32)
        for name, shape in weights.list_shapes(architecture, len(vocabulary)).items()
    }
    arrays["bias"][END] = -100
    model = weights.make_weights(architecture, vocabulary, arrays)
    return Network(weights.round_weights(model))


def measure_speed(network: Network, sources: list[list[str]]) -> float:
    """Return sentences per second of processor time."""
    start = time.process_time()
    search(network, sources, SEARCH)
    return len(sources) / (time.process_time() - start)


if __name__ == "__main__":
    main()
