"""How fast does the filter judge a million pairs, and does its memory grow?

Run    python -m benchmarks.filter_speed > benchmarks/results/filter_speed.json
       (with --mirror FOLDER: real pairs from the catalogue's mirror, repeated)
Backs  the row "filter" in docs/benchmarks.md, and docs/filtering.md.

Every run is a fresh process, so that its peak memory is its own. The runs with one
and with two processes alternate, and their outputs must be the same bytes before
any figure counts. Time is that of the whole run: starting, fitting the similarity,
reading, judging, writing both outputs. Pairs are generated from a seed: copies with
small changes, reordered and reworded sentences, and unrelated ones, so that every
stage has work; the share that reaches each stage is in the result.
"""

import argparse
import hashlib
import json
import lzma
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.memory import read_peak
from benchmarks.report import report
from paraphrast.corpora.filtering import filter_files

SEED, PAIRS, SMALL, REPEATS = 1, 1_000_000, 100_000, 3
LINKS = """the a of to and in that it is was for on with as at by from but not are
this have be had his her they you we which or one would there their what so if more
when who will no out up about into them can only other new some could time these two
may then do first any my now such like our over man me even most after"""
STEMS = """garden window letter river market doctor village morning winter journey
teacher silver bottle answer question shadow captain kitchen mountain station harbour
soldier trumpet blanket picture mirror carpet lantern promise quarrel secret signal
temper thunder visitor whisper wonder weather shelter gather travel follow notice
remember believe consider discover gentle bitter clever hollow narrow distant ancient
curious sudden quiet bright heavy"""
ENDINGS = ("", "s", "ed", "ing", "er", "ly", "ness", "ful")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, help="Folder of the corpora.")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        json.dump(one_run(Path(options.one[0]), int(options.one[1])), sys.stdout)
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), options.mirror)


def compare(folder: Path, mirror: Path | None) -> None:
    lines = cycle(list(read_mirror(mirror))) if mirror else generate_pairs()
    large, small = folder / "large.tsv", folder / "small.tsv"
    large.write_text("".join(islice(lines, PAIRS)), "utf-8")
    with large.open(encoding="utf-8", newline="\n") as file:
        small.write_text("".join(islice(file, SMALL)), "utf-8")
    runs: dict[tuple[Path, int], list[dict[str, Any]]] = {
        (small, 1): [measure_filter(small, 1)]
    }
    for _ in range(REPEATS):
        for processes in (1, 2):
            result = measure_filter(large, processes)
            runs.setdefault((large, processes), []).append(result)
    if len({str(r["written"]) for p in (1, 2) for r in runs[large, p]}) > 1:
        sys.exit("the outputs differ; there is nothing to compare")
    one, two = runs[large, 1], runs[large, 2]
    rates = {p: [PAIRS / r["seconds"] for r in runs[large, p]] for p in (1, 2)}
    report(
        claim="pairs per second through STRAP's six filters, in one process",
        median=round(statistics.median(rates[1])),
        range=[round(min(rates[1])), round(max(rates[1]))],
        two_processes={
            "median": round(statistics.median(rates[2])),
            "range": [round(min(rates[2])), round(max(rates[2]))],
        },
        per_processor_second={
            p: round(PAIRS / min(r["processor_seconds"] for r in runs[large, p]))
            for p in (1, 2)
        },
        peak_megabytes={
            f"{SMALL:,} pairs": runs[small, 1][0]["megabytes"],
            f"{PAIRS:,} pairs": max(r["megabytes"] for r in one),
            f"{PAIRS:,} pairs, two processes, each": max(r["megabytes"] for r in two),
        },
        stages=one[0]["stages"],
        setting={
            "pairs": PAIRS,
            "bytes": large.stat().st_size,
            "text": "mirror, repeated" if mirror else f"generated, seed {SEED}",
            "repeats": REPEATS,
        },
        versions=("numpy", "py3langid"),
    )


def measure_filter(path: Path, processes: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.filter_speed",
        "--one",
        str(path),
        str(processes),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def one_run(path: Path, processes: int) -> dict[str, Any]:
    outputs = [path.with_suffix(".kept"), path.with_suffix(".rejected")]
    start = time.perf_counter()
    result = filter_files([path], outputs[:1], rejected=outputs[1], processes=processes)
    seconds = time.perf_counter() - start
    usage = [
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return {
        "seconds": seconds,
        "processor_seconds": sum(u.ru_utime + u.ru_stime for u in usage),
        "megabytes": round(max(read_peak(), usage[1].ru_maxrss) / 1024),
        "written": [digest(output) for output in outputs],
        "stages": {row["stage"]: row["kept"] for row in result.as_dict()["stages"]},
    }


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def generate_pairs() -> Iterator[str]:
    """Yield an endless stream of pairs, as lines."""
    draw = random.Random(SEED)
    links = LINKS.split()
    rare = [stem + ending for stem in STEMS.split() for ending in ENDINGS]
    while True:
        words = [
            draw.choice(links if draw.random() < 0.5 else rare)
            for _ in range(draw.randint(6, 18))
        ]
        kind = draw.random()
        if kind < 0.3:  # nearly a copy
            other = list(words)
            other[draw.randrange(len(other))] = draw.choice(rare)
        elif kind < 0.9:  # reworded, and one in five reordered
            changed = [
                word if draw.random() < 0.5 else draw.choice(links) for word in words
            ]
            cut = draw.randrange(len(words)) if draw.random() < 0.2 else 0
            other = changed[cut:] + changed[:cut]
        else:
            other = draw.choices(rare, k=len(words))
        yield f"{' '.join(words).capitalize()}.\t{' '.join(other).capitalize()}.\n"


def read_mirror(folder: Path) -> Iterator[str]:
    """Yield the pairs of Quora, and two captions of each picture."""
    for name in ("quora", "multi30k-captions"):
        path = folder / "paraphrase" / f"{name}.tsv.xz"
        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
            for line in file:
                source, target, *_ = line.rstrip("\n").split("\t")
                yield f"{source}\t{target}\n"


if __name__ == "__main__":
    main()
