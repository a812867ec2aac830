"""How much time and memory does a pivot table from 440,000 Europarl pairs take?

Run    python -m benchmarks.paraphrase_extraction --mirror FOLDER \\
           > benchmarks/results/paraphrase_extraction.json
Backs  the row "paraphrase extraction" in docs/benchmarks.md, and docs/paraphrases.md.

The command `paraphrast paraphrases extract` runs end to end in a fresh process with two
workers: unpacking, cutting into words, word alignment, phrase pairs, the table on disk.
Memory is that of all its processes together, sampled five times per second, once for
the whole text and once for a fifth of it, to show whether it grows. Before that the
aligner inside, fast_align reimplemented with arrays, is compared with sil-thot's:
same pairs, both directions, five iterations, aligned and merged by grow-diag-final-and;
time on Europarl in processor seconds of one process, in turn, and F1 of sure links on
the training half of Edinburgh++, with the identity lexicon for both.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from thot.alignment import (
    FastAlignModel,
    SymmetrizationHeuristic,
    SymmetrizedAligner,
)

from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.corpora import catalogue, write_pairs
from paraphrast.corpora.loaders.alignments import edinburgh
from paraphrast.paraphrases import open_table
from paraphrast.paraphrases.coded_text import CodedText
from paraphrast.paraphrases.diagonal import TENSIONS, Diagonal
from paraphrast.paraphrases.words import english_words, foreign_words

PARTS = ("en-fr", "en-de")
SMALLER, ALIGNER_PAIRS, REPEATS, QUERIES = 44_000, 5_000, 3, 2_000
PHRASES = ("on the other hand", "in order to", "take into account", "agree")


Words: TypeAlias = tuple[list[str], list[str]]
Links: TypeAlias = set[tuple[int, int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    mirror = parser.parse_args().mirror
    aligners = compare_pivots(mirror)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = extract_paraphrases(
            [f"europarl:{part}" for part in PARTS], mirror, folder
        )
        table = open_table(folder / "table")
        milliseconds = time_queries(table)
        examples = {
            phrase: [row.paraphrase for row in table.of(phrase, limit=8)]
            for phrase in PHRASES
        }
        some = [smaller(mirror, part, folder) for part in PARTS]
        fifth = extract_paraphrases(some, mirror, folder)
    report(
        claim="seconds from Europarl's 440,000 pairs to a pivot table, two cores",
        median=whole["seconds"],
        memory_megabytes={
            f"{whole['pairs_read']:,} pairs": whole["megabytes"],
            f"{fifth['pairs_read']:,} pairs": fifth["megabytes"],
        },
        table={key: whole[key] for key in ("bytes", "phrases", "paraphrases", "pairs")},
        query_milliseconds=milliseconds,
        aligner=aligners,
        examples=examples,
        setting={"method": "pivot", **whole["settings"], "processes": 2},
        versions=("numpy", "sil-thot"),
    )


def extract_paraphrases(texts: list[str], mirror: Path, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "paraphrast", "paraphrases", "extract", *texts]
    command += ["--method", "pivot", "--processes", "2", "--json"]
    command += ["-o", str(folder / "table"), "--folder", str(folder)]
    command += ["--mirror", str(mirror)]
    most = 0
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while running.poll() is None:
        most = max(most, kilobytes(running.pid))
        time.sleep(0.2)
    if running.returncode:
        sys.exit("the extraction failed; there is nothing to report")
    output, _ = running.communicate()
    record: dict[str, Any] = json.loads(output)
    return record | {"megabytes": round(most / 1024)}


def kilobytes(process: int) -> int:
    """Return the memory of a process and of all its descendants."""
    try:
        status = Path(f"/proc/{process}/status").read_text().split("\n")
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has just ended
        return 0
    own = [int(line.split()[1]) for line in status if line.startswith("VmRSS")]
    return sum(own) + sum(kilobytes(int(child)) for child in children)


def smaller(mirror: Path, part: str, folder: Path) -> str:
    path = folder / f"{part}.tsv"
    pairs = catalogue.load_pairs("europarl", part, mirror=mirror)
    write_pairs(islice(pairs, SMALLER), path)
    return str(path)


def time_queries(table: Any) -> float:
    places = np.linspace(0, len(table.starts) - 2, QUERIES).astype(int)
    phrases = [table._phrase(int(index)) for index in places]
    start = time.perf_counter()
    for phrase in phrases:
        table.of(phrase, limit=20)
    return round(1000 * (time.perf_counter() - start) / QUERIES, 3)


def compare_pivots(mirror: Path) -> dict[str, Any]:
    pairs = [
        (english_words(pair.source), foreign_words(pair.target))
        for pair in islice(
            catalogue.load_pairs("europarl", "en-fr", mirror=mirror), ALIGNER_PAIRS
        )
    ]
    pairs = [pair for pair in pairs if max(map(len, pair)) <= 60]
    ratios = []
    for _ in range(REPEATS):
        theirs = cpu_seconds(lambda: thot_links(pairs, len(pairs)))
        ratios.append(theirs / cpu_seconds(lambda: our_links(pairs, len(pairs))))
    gold = edinburgh(catalogue.locate("edinburgh", mirror=mirror), "train")
    text = [
        (linked.pair.source.lower().split(), linked.pair.target.lower().split())
        for linked in gold
    ]
    words = sorted({word for pair in text for side in pair for word in side})
    lexicon = text + [([word], [word]) for word in words]
    sure = [linked.sure for linked in gold]
    return {
        "claim": "sil-thot's fast_align's processor time divided by ours",
        "median": round(statistics.median(ratios), 1),
        "range": [round(min(ratios), 1), round(max(ratios), 1)],
        "f1_edinburgh_train": {
            "ours": f1(our_links(lexicon, len(text)), sure),
            "sil-thot": f1(thot_links(lexicon, len(text)), sure),
        },
    }


def our_links(pairs: list[Words], wanted: int) -> list[Links]:
    with tempfile.TemporaryDirectory() as name:
        text = CodedText(Path(name) / "text")
        text.write(pairs)
        model = Diagonal(*map(len, text.vocabularies), slots=1 << 23)
        model.train(lambda: ((source, target) for _, source, target in text.batches()))
        (_, source, target) = next(text.batches())
        rows, columns = model.align(source, target)
    sentences = np.searchsorted(source.starts, rows, "right") - 1
    links: list[Links] = [set() for _ in pairs]
    for sentence, i, j in zip(
        sentences.tolist(),
        (rows - source.starts[sentences]).tolist(),
        (columns - target.starts[sentences]).tolist(),
        strict=True,
    ):
        links[sentence].add((i, j))
    return links[:wanted]


def thot_links(pairs: list[Words], wanted: int) -> list[Links]:
    models = [FastAlignModel(), FastAlignModel()]
    for source, target in pairs:
        models[0].add_sentence_pair(source, target)
        models[1].add_sentence_pair(target, source)
    for model in models:
        model.start_training()
        for _ in TENSIONS:
            model.train()
        model.end_training()
    both = SymmetrizedAligner(*models)
    both.heuristic = SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    sources, targets = zip(*pairs[:wanted], strict=True)
    return [
        {(int(i), int(j)) for i, j in np.argwhere(matrix.to_numpy())}
        for _, matrix in both.get_best_alignments(list(sources), list(targets))
    ]


def f1(result: list[Links], sure: list[Any]) -> float:
    right = sum(len(one & two) for one, two in zip(result, sure, strict=True))
    return round(2 * right / (sum(map(len, result)) + sum(map(len, sure))), 3)


if __name__ == "__main__":
    main()
