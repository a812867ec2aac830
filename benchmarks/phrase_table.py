"""How fast is a phrase table learnt from links, against NLTK, and how large is it?

Run    python -m benchmarks.phrase_table --mirror FOLDER \
           > benchmarks/results/phrase_table.json
Backs  the row "phrase_table" in docs/benchmarks.md and README.md.

The text is XU12's Sparknotes plays without Romeo and Juliet (straightened, tokenised,
lower case), linked by fast_align in both directions, grow-diag-final-and. The claim is
NLTK's time to extract and count phrase pairs divided by ours, on the sentence pairs of
at most 15 words per side, without a limit to the phrases (NLTK's limit does not bound
the target side); before it is timed, both must find the same phrase pairs equally
often. Ours also counts orientations, links and examples meanwhile. Beside it stand the
CPU time for the whole text, extraction and scoring, in this process; its peak memory;
and the size of the table with and without significance pruning.
"""

import argparse
import os
import resource
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from nltk.translate.phrase_based import phrase_extraction

from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.align.base import AlignedPair, Link, WordPair
from paraphrast.align.statistical import fast_align
from paraphrast.corpora.loaders import plays
from paraphrast.phrase import pruning
from paraphrast.phrase.coded_corpus import Corpus, encode_links, encode_pairs
from paraphrast.phrase.extraction import PhrasePairs, Settings, extract
from paraphrast.phrase.scoring import score
from paraphrast.phrase.table import PhraseTable
from paraphrast.text.normalisation import join_apostrophes, straighten
from paraphrast.text.tokens import tokenise

REPEATS, SHORT, LONGEST_SENTENCE = 5, 15, 100
Linked = list[tuple[WordPair, tuple[Link, ...]]]


Work: TypeAlias = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    folder = parser.parse_args().mirror / "xu12"
    # In a process of its own, so that this one's memory is the table's alone.
    with get_context("spawn").Pool(1) as pool:
        linked = pool.apply(linked_pairs, (folder,))
    before = read_resident()
    corpus, table = learn_table(linked)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    few = [row for row in linked if max(map(len, row[0])) <= SHORT]
    check(few)
    times = [cpu_seconds(lambda: learn_table(linked)) for _ in range(REPEATS)]
    report(
        claim="NLTK's time to extract the same phrase pairs divided by ours",
        **ratios(lambda: nltk_pairs(few), lambda: our_pairs(few)),
        whole_text={
            "sentence_pairs": len(linked),
            "phrase_pairs": len(table),
            "seconds": spread(times, 2),
            "sentence_pairs_per_second": round(len(linked) / statistics.median(times)),
            "phrase_pairs_per_second": round(len(table) / statistics.median(times)),
            "peak_megabytes": round(memory),
        },
        size=sizes(table, corpus),
        setting={
            "nltk_pairs": len(few),
            "longest_phrase": Settings().longest,
            "repeats": REPEATS,
        },
        versions=("nltk", "sil-thot"),
    )


def linked_pairs(folder: Path) -> Linked:
    pairs = [
        (words(pair.source), words(pair.target))
        for play in plays.plays(folder, "sparknotes")
        if not play.startswith("romeo")
        for pair in plays.read_aligned(folder, "sparknotes", play)
    ]
    pairs = [p for p in pairs if all(p) and max(map(len, p)) <= LONGEST_SENTENCE]
    grown = replace(fast_align.settings, symmetrisation="grow-diag-final-and")
    aligner = replace(fast_align, settings=grown).train(
        [AlignedPair(*pair) for pair in pairs]
    )
    return list(zip(pairs, aligner(pairs), strict=True))


def words(text: str) -> tuple[str, ...]:
    return tuple(tokenise(join_apostrophes(straighten(text)).lower()))


def learn_table(linked: Linked) -> tuple[Corpus, PhraseTable]:
    corpus = encode_pairs([pair for pair, _ in linked])
    links = encode_links(corpus, [[links for _, links in linked]])
    return corpus, score(corpus, links, extract(corpus, links))


def our_pairs(linked: Linked) -> tuple[Corpus, PhrasePairs]:
    corpus = encode_pairs([pair for pair, _ in linked])
    links = encode_links(corpus, [[links for _, links in linked]])
    return corpus, extract(corpus, links, settings=Settings(longest=SHORT))


def nltk_pairs(linked: Linked) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for (source, target), links in linked:
        cells = [(link.source, link.target) for link in links]
        result = phrase_extraction(" ".join(source), " ".join(target), cells)
        counts.update((one, two) for *_, one, two in result)
    return counts


def check(few: Linked) -> None:
    corpus, result = our_pairs(few)
    sides = (
        (corpus.source.vocabulary.all(), result.sources, result.phrases),
        (corpus.target.vocabulary.all(), result.targets, result.outputs),
    )
    source, target = (
        [
            " ".join(vocabulary[word] for word in runs.words[start:end])
            for start, end in zip(
                runs.starts[numbers], runs.starts[numbers + 1], strict=True
            )
        ]
        for vocabulary, runs, numbers in sides
    )
    ours = dict(zip(zip(source, target, strict=True), result.counts, strict=True))
    if ours != nltk_pairs(few):
        sys.exit("NLTK finds other phrase pairs; there is nothing to compare")


def sizes(table: PhraseTable, corpus: Corpus) -> dict[str, dict[str, float]]:
    kinds = {
        "whole": table,
        "alpha-epsilon": pruning.significant(table, corpus, threshold="alpha-epsilon"),
        "alpha+epsilon": pruning.significant(table, corpus, threshold="alpha+epsilon"),
    }
    return {
        name: {"phrase_pairs": len(kind), "megabytes": megabytes(kind)}
        for name, kind in kinds.items()
    }


def megabytes(table: PhraseTable) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        table.save(path)
        return round(path.stat().st_size / 1e6, 1)


def read_resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def ratios(theirs: Work, ours: Work) -> dict[str, object]:
    return spread([cpu_seconds(theirs) / cpu_seconds(ours) for _ in range(REPEATS)], 1)


def spread(values: list[float], digits: int) -> dict[str, object]:
    return {
        "median": round(statistics.median(values), digits),
        "range": [round(min(values), digits), round(max(values), digits)],
    }


if __name__ == "__main__":
    main()
