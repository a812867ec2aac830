r"""How fast is the large judge on one core, and what does 8-bit precision cost it?

Run    python -m benchmarks.large_judge FOLDER --weights PACKED \
           > benchmarks/results/large_judge.json
       (FOLDER is the mirror of the corpora; PACKED holds the packed weights that
       training/judge/assemble.py read; the large judge must have been built)
Backs  docs/encoder-judges.md.

Speed: lines of Romeo and Juliet are judged as rewrites of their modern sides: style,
similarity to the source, fluency and formality of each, in CPU time on one thread and
without loading; a line is read by four encoders, its source by one. An encoder in
single precision is timed in turn. Quality: the encoders in single precision and in 8
bits, all else alike, on text that chose nothing. Memory is the peak of a fresh process
that only loads the judge and judges. Other work on the machine slows CPU time down,
too, so its load is noted.
"""

import argparse
import csv
import os
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.judge_speed import lines
from benchmarks.memory import measure_megabytes, read_peak
from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.corpora import read_lines, read_texts
from paraphrast.judges.encoder.reading import Reader
from paraphrast.judges.encoder.running import Int8Encoder
from paraphrast.judges.fluency import matthews, read_judgments
from paraphrast.judges.judge import LARGE, Judge, load
from paraphrast.judges.training.exporting import export
from paraphrast.metrics.correlation import spearman
from training.judge.packed_weights import widen_weights

ROWS, REPEATS = 200, 3
LINES, PAIRS = 500, 500  # of Romeo and Juliet, per side; of STS-B
STYLES = ("modern", "shakespeare")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--memory", action="store_true", help="only judge, print kB")
    options = parser.parse_args()
    loads = [round(os.getloadavg()[0], 1)]
    judge = load(Path("large"), threads=1)
    sources, outputs = (texts[:ROWS] for texts in lines(options.mirror))
    if options.memory:
        scores(judge, outputs, sources)
        print(read_peak())
        return
    readers = readers_of(judge)
    eight = quality(judge, readers, options.mirror)
    rates, ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        whole = {
            name: single(options.weights / f"{name}.npz", reader, Path(folder) / name)
            for name, reader in readers.items()
        }
        for _ in range(REPEATS):
            forget(readers)
            rates.append(ROWS / cpu_seconds(lambda: scores(judge, outputs, sources)))
            ratios.append(slower(readers["form"], whole["form"], outputs))
        with exchange_encoders(readers, whole):
            precise = quality(judge, readers, options.mirror)
    loads.append(round(os.getloadavg()[0], 1))
    files = [path for path in LARGE.expanduser().rglob("*") if path.is_file()]
    report(
        claim="rows judged per CPU second by the large judge: style, similarity to "
        "the source, fluency, formality",
        median=round(statistics.median(rates), 1),
        range=sorted(round(rate, 1) for rate in rates),
        **{
            "single precision's time divided by 8 bits', one encoder": round(
                statistics.median(ratios), 2
            ),
            "in 8 bits": eight,
            "in single precision": precise,
            "peak memory in MB": measure_megabytes(
                "benchmarks.large_judge", options.mirror
            ),
            "megabytes on disk": round(sum(p.stat().st_size for p in files) / 1e6),
        },
        setting={
            "rows": ROWS,
            "threads": 1,
            "repeats": REPEATS,
            "encoders": len(readers),
            "lines of a side": LINES,
            "pairs": PAIRS,
            "load": loads,
        },
        versions=("ctranslate2", "numpy"),
    )


def readers_of(judge: Judge) -> dict[str, Reader]:
    """Return the judge's readers by the names of their weights."""
    model: Any = judge
    evidence = model.accuracy.among(STYLES).evidence
    plays = next(e.kind.readers for e in evidence if hasattr(e.kind, "readers"))
    readers = {"form": model.fluency.reader, "meaning": model.similarity.reader}
    return readers | {f"plays{i}": reader for i, reader in enumerate(plays, start=1)}


def single(path: Path, reader: Reader, folder: Path) -> Int8Encoder:
    """Return an encoder of the same weights that works in single precision."""
    with np.load(path) as archive:
        arrays = {n[8:]: archive[n] for n in archive.files if n.startswith("encoder.")}
    tokenizer: Any = reader.tokenizer
    export(widen_weights(arrays), tokenizer.tokens, folder, heads=12, quantization=None)
    hidden = reader.encoder.hidden
    return Int8Encoder(folder, hidden=hidden, numbered=True, precision="float32")


@contextmanager
def exchange_encoders(
    readers: dict[str, Reader], encoders: dict[str, Int8Encoder]
) -> Iterator[None]:
    """Let readers use other encoders temporarily."""
    kept = {name: reader.encoder for name, reader in readers.items()}
    for name, reader in readers.items():
        reader.encoder = encoders[name]
    forget(readers)
    yield
    for name, reader in readers.items():
        reader.encoder = kept[name]
    forget(readers)


def forget(readers: dict[str, Reader]) -> None:
    for reader in readers.values():
        reader._seen.clear()


def slower(reader: Reader, whole: Int8Encoder, texts: list[str]) -> float:
    """Return the time of single precision as a multiple of that of 8 bits."""
    alone = {"form": reader}
    forget(alone)
    ours = cpu_seconds(lambda: reader.pool(texts))
    with exchange_encoders(alone, {"form": whole}):
        theirs = cpu_seconds(lambda: reader.pool(texts))
    return theirs / ours


def quality(judge: Judge, readers: dict[str, Reader], mirror: Path) -> dict[str, float]:
    """Return figures on held-out text; style is that of the play encoders alone."""
    plays = [reader for name, reader in readers.items() if name.startswith("plays")]
    right = []
    for label, side in enumerate(("modern", "original")):
        texts = list(read_texts(mirror / f"jhamtani17/test.{side}.nltktok"))[:LINES]
        logits = np.sum(
            [each.heads.logits("plays", each.pool(texts)) for each in plays], axis=0
        )
        right += (logits.argmax(axis=1) == label).tolist()
    path = mirror / "cola/in_domain_dev.tsv"
    judged = read_judgments(read_lines(path), where=str(path))
    accepted = judge.fluency.probabilities([text for text, _ in judged]) >= 0.5
    with (mirror / "stsb/stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        pairs = list(csv.reader(file))[:PAIRS]
    similar = judge.similarity([p[0] for p in pairs], [p[1] for p in pairs])
    people = np.array([float(p[2]) for p in pairs])
    return {
        "Romeo and Juliet, accuracy of the play encoders": round(
            100 * float(np.mean(right)), 2
        ),
        "CoLA dev, Matthews": round(
            matthews(accepted, np.array([ok for _, ok in judged])), 4
        ),
        "STS-B dev, Spearman": round(spearman(similar, people), 4),
    }


def scores(judge: Judge, outputs: list[str], sources: list[str]) -> list[Any]:
    model: Any = judge
    return [
        model.accuracy.among(STYLES).probabilities(outputs),
        model.similarity(outputs, sources),
        model.fluency.probabilities(outputs),
        model.formality.values(outputs),
    ]


if __name__ == "__main__":
    main()
