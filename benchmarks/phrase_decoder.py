"""How fast and how good is the whole phrase engine, compared with Moses?

Run    python -m benchmarks.phrase_decoder --mirror FOLDER \
           > benchmarks/results/phrase_decoder.json
Backs  the row "phrase_decoder" in docs/benchmarks.md and README.md.

The task is XU12's: 16 Sparknotes plays to learn from, the text of 36 plays for a
language model of order 3, and the 510 lines of Romeo and Juliet to rewrite, on one
thread, in processor time. Quality comes first: BLEU of both searches, and the paired
difference from what Moses wrote for the same lines. Moses cannot be installed with pip,
so its times are those measured once on a machine of the same kind (`MOSES`), and ratios
to them are correspondingly rough; training counts everything from raw text to a pack.
Each part runs in a process of its own, whose peak memory is then its own.
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.report import report
from paraphrast.comparison.significance import paired_bootstrap
from paraphrast.corpora.loaders import plays
from paraphrast.estimators import language_model
from paraphrast.metrics import Segment, score
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.pinc import Pinc
from paraphrast.phrase import model, training
from paraphrast.phrase.decoder import FAST, FULL, Decoder
from paraphrast.phrase.features import Weights
from paraphrast.storage.packs import read

REPEATS = 5
LEAST_GAIN = 0.1  # BLEU; the command line's
BLEU = Bleu(tokenize="none", smoothing="none")
PINC = Pinc(convention="xu12")
MOSES = {
    "sentences_per_second_full": 62,
    "sentences_per_second_fast": 260,
    "load_seconds": 4.6,
    "megabytes": 620,
    "training_seconds": 95,
    "tuning_seconds": 240,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    mirror = parser.parse_args().mirror
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "shakespeare"
        trained = apart(train, mirror, pack)
        full = apart(decode, mirror, pack, "full")
        fast = apart(decode, mirror, pack, "fast")
        tuned = apart(tune, mirror, pack)
    ours = {
        "sentences_per_second_full": full["speed"]["median"],
        "sentences_per_second_fast": fast["speed"]["median"],
        "load_seconds": full["load_seconds"],
        "megabytes": full["peak_megabytes"],
        "training_seconds": trained["seconds"],
        "tuning_seconds": tuned["seconds"],
    }
    report(
        claim="Moses' time to rewrite a line at full quality divided by ours",
        median=round(
            ours["sentences_per_second_full"] / MOSES["sentences_per_second_full"], 1
        ),
        range=[
            round(speed / MOSES["sentences_per_second_full"], 1)
            for speed in full["speed"]["range"]
        ],
        ours=ours,
        moses_measured_once=MOSES,
        full=full,
        fast=fast,
        fast_against_full=difference(fast.pop("lines"), full.pop("lines"), mirror),
        training=trained,
        tuning=tuned,
        setting={"lines": 510, "threads": 1, "repeats": REPEATS, "order": 3},
        versions=("sil-thot",),
    )


def apart(work: Callable[..., Any], *given: object) -> Any:
    """Do the work in a new process, so that its peak memory is its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


def train(mirror: Path, pack: Path) -> dict[str, object]:
    folder = mirror / "xu12"
    pairs = [
        (pair.source, pair.target)
        for play in plays.plays(folder, "sparknotes")
        if not play.startswith("romeo")
        for pair in plays.read_aligned(folder, "sparknotes", play)
    ]
    style = list(plays.texts_of(folder, "xu12", "plays"))
    settings = training.Settings(ngrams=language_model.Settings(order=3), held_out=0)
    began = time.process_time()
    training.train(
        training.Texts(pairs, style=style), pack, style="shakespeare", settings=settings
    )
    return {
        "seconds": round(time.process_time() - began, 1),
        "pairs": len(pairs),
        "peak_megabytes": peak(),
        "pack_megabytes": round(
            sum(path.stat().st_size for path in pack.iterdir()) / 1e6, 1
        ),
    }


def decode(mirror: Path, pack: Path, search: str) -> dict[str, object]:
    began = time.perf_counter()
    loaded = model.load_pack(pack)
    load = time.perf_counter() - began
    decoder = Decoder(
        loaded.table,
        dict(zip(loaded.settings.models, loaded.models, strict=True)),
        Weights({}),
        FULL if search == "full" else FAST,
    )
    lines = plays.romeo_and_juliet(mirror / "xu12", form="tokenised")
    sentences = [line.sparknotes.split() for line in lines]
    speeds = []
    for _ in range(REPEATS):
        began = time.process_time()
        result = decoder.decode(sentences)
        speeds.append(len(sentences) / (time.process_time() - began))
    memory = peak()
    outputs = [" ".join(hypothesis.words) for hypothesis in result]
    rows = segments(outputs, lines)
    moses = list(
        plays.texts_of(
            mirror / "peers/moses", "moses-outputs", "to-shakespeare.sparknotes"
        )
    )
    return {
        "speed": {
            "median": round(statistics.median(speeds)),
            "range": [round(min(speeds)), round(max(speeds))],
        },
        "load_seconds": round(load, 3),
        "peak_megabytes": memory,
        "bleu": round(score(BLEU, rows, resamples=0).value, 2),
        "pinc": round(score(PINC, rows, resamples=0).value, 2),
        "against_moses": difference(outputs, moses, mirror),
        "lines": outputs,
    }


def tune(mirror: Path, pack: Path) -> dict[str, object]:
    pairs = [
        (pair.source, pair.target)
        for pair in plays.pairs_of(mirror / "xu12", "xu12", "tuning")
    ]
    loaded = model.load(pack, read(pack).settings(model.Settings))
    began = time.process_time()
    wanted = model.Tuning(pairs, BLEU, least_gain=LEAST_GAIN, tokenised=True)
    _, tuned = model.tune_weights(loaded, wanted)
    return {
        "seconds": round(time.process_time() - began, 1),
        "rounds": len(tuned.rounds),
        "pairs": len(pairs),
        "bleu_before": round(tuned.rounds[0].value, 2),
        "bleu_after": round(tuned.best.value, 2),
        "peak_megabytes": peak(),
    }


def segments(outputs: list[str], lines: list[plays.Line]) -> list[Segment]:
    return [
        Segment(output, line.sparknotes, (line.original,))
        for output, line in zip(outputs, lines, strict=True)
    ]


def difference(ours: list[str], theirs: list[str], mirror: Path) -> dict[str, float]:
    lines = plays.romeo_and_juliet(mirror / "xu12", form="tokenised")
    first, second = (BLEU.statistics(segments(o, lines)) for o in (theirs, ours))
    result = paired_bootstrap(BLEU, first, [second])[0]
    return {
        "bleu": round(result.value, 2),
        "low": round(result.low, 2),
        "high": round(result.high, 2),
        "p": round(result.p, 4),
    }


def peak() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main()
