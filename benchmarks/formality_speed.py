"""How many sentences per second does `metrics judge --formality` score on one core?

Run    python -m benchmarks.formality_speed > benchmarks/results/formality_speed.json
Backs  the row "formality of a document" in docs/benchmarks.md.

The sentences are those of `rules_speed`, all different, as one document. The whole map
is timed: cutting sentences, the small judge's formality of each, the rules' phrases,
and the words of the least formal sentences; and so is the judge's part alone. Time is
CPU time on one thread, without loading; the judge caches nothing between repeats.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.report import report
from benchmarks.rules_speed import SEED, make_sentences
from paraphrast.judges.judge import SMALL, load
from paraphrast.study.formality_map import map_formality

SENTENCES, REPEATS = 2000, 5


def main() -> None:
    drawn = [sentence.text for sentence in make_sentences(4 * SENTENCES)]
    texts = list(dict.fromkeys(drawn))[:SENTENCES]
    document = "\n\n".join(texts)
    formality: Any = load(SMALL, threads=1).formality
    sentences = len(map_formality(document, formality.values))
    jobs: dict[str, tuple[int, Callable[[], object]]] = {
        "map": (sentences, lambda: map_formality(document, formality.values)),
        "judge alone": (len(texts), lambda: formality.values(texts)),
    }
    rates: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(REPEATS):
        for name, (count, job) in jobs.items():
            formality.reader._seen.clear()
            begin = time.process_time()
            job()
            rates[name].append(count / (time.process_time() - begin))
    report(
        claim="sentences of a document per CPU second: formality and informal phrases",
        median=round(statistics.median(rates["map"])),
        range=[round(min(rates["map"])), round(max(rates["map"]))],
        others={
            "judge alone": {
                "median": round(statistics.median(rates["judge alone"])),
                "range": [
                    round(min(rates["judge alone"])),
                    round(max(rates["judge alone"])),
                ],
            }
        },
        setting={
            "sentences": sentences,
            "words a sentence": round(
                statistics.mean(len(text.split()) for text in texts), 1
            ),
            "threads": 1,
            "repeats": REPEATS,
            "seed": SEED,
        },
        versions=("ctranslate2", "numpy"),
    )


if __name__ == "__main__":
    main()
