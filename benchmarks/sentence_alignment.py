"""Does our sentence alignment recover XU12's published Enotes pairs, and how fast?

Run    python -m benchmarks.sentence_alignment --mirror FOLDER \
           > benchmarks/results/sentence_alignment.json
Backs  the row "sentence alignment" in docs/benchmarks.md, docs/sentence-alignment.md.

Eight plays before alignment (xu12/enotes-unaligned) are aligned and compared with
the 10,365 published pairs (xu12/enotes). A pair counts as often as its exact text
occurs on both sides; the two lists are also compared in order.

What the figure means: the published pairs are the output of Moore's own program, so
full agreement says that ours is the same computation, not that every pair is right.
It is no held-out figure either. How words are tokenised, which side is the source and
that all plays share a word model were chosen with all eight plays in view, among about
a dozen combinations; so was the number of words of a sentence that training reads. The
other choices a user has are reported beside it.

NLTK's Gale-Church aligner looks at every pair of positions, so it is run on the two
smallest plays only, each in turn with our own length-only pass. The two models are not
the same (letters and a normal distribution there, words and a Poisson one here), so
their agreement is given beside the time. All times are CPU time of this one process.
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from nltk.translate import gale_church

from benchmarks.report import report
from paraphrast.corpora import Pair
from paraphrast.corpora.sentence_alignment import (
    Bead,
    align_documents,
    align_lengths,
    align_sentences,
    aligned_pairs,
    read_documents,
)

REPEATS, THRESHOLD = 3, 0.5
Document = tuple[list[str], list[str]]
Plays = dict[str, Document]
Pairs = dict[str, list[Pair]]
Result = TypeVar("Result")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    folder = parser.parse_args().mirror / "xu12"
    plays, published = read_plays(folder)
    lines = sum(len(side) for play in plays.values() for side in play)
    shared, seconds = time_work(lambda: moore(plays), repeats=REPEATS)
    rates = [lines / each for each in seconds]
    report(
        claim="agreement with XU12's published Enotes pairs",
        **agreement(shared, published),
        same_pairs_in_the_same_order=shared == published,
        plays={
            name: agreement({name: shared[name]}, {name: published[name]})
            for name in plays
        },
        other_choices=other_choices(plays, published),
        sentences_per_cpu_second={
            "median": round(statistics.median(rates)),
            "range": [round(min(rates)), round(max(rates))],
        },
        beside_nltk=beside_nltk(plays, published),
        setting={
            "plays": len(plays),
            "source_lines": sum(len(source) for source, _ in plays.values()),
            "target_lines": sum(len(target) for _, target in plays.values()),
            "source": "original",
            "target": "modern",
            "threshold": THRESHOLD,
            "word_model": "one for all plays",
            "repeats": REPEATS,
            "held_out": False,
            "settled_on_these_plays": [
                "how words are cut",
                "which side is the source",
                "one word model for all plays",
                "words of a sentence that training reads",
            ],
        },
        versions=("numpy", "nltk"),
    )


def read_plays(folder: Path) -> tuple[Plays, Pairs]:
    plays, published = {}, {}
    for path in sorted((folder / "enotes-unaligned").glob("*_original.snt")):
        modern = path.with_name(path.name.replace("_original", "_modern"))
        sides = [folder / "enotes" / f"{p.name}.aligned" for p in (path, modern)]
        name = path.name.removesuffix("_original.snt")
        [plays[name]] = read_documents(path, modern)
        [(source, target)] = read_documents(*sides)
        pairs = zip(source, target, strict=True)
        published[name] = [Pair(*both) for both in pairs]
    return plays, published


def moore(plays: Plays, *, cognates: bool = False) -> Pairs:
    aligned = align_documents(list(plays.values()), cognates=cognates)
    return {
        name: aligned_pairs(plays[name], beads, threshold=THRESHOLD)
        for name, beads in zip(plays, aligned, strict=True)
    }


def each(plays: Plays, align: Callable[[list[str], list[str]], list[Bead]]) -> Pairs:
    return {
        name: aligned_pairs(play, align(*play), threshold=THRESHOLD)
        for name, play in plays.items()
    }


def turn_pairs(plays: Plays) -> Pairs:
    backwards = {name: (target, source) for name, (source, target) in plays.items()}
    return {
        name: [Pair(pair.target, pair.source) for pair in pairs]
        for name, pairs in moore(backwards).items()
    }


def other_choices(plays: Plays, published: Pairs) -> dict[str, object]:
    choices = {
        "lengths only": each(plays, align_lengths),
        "a word model a play": each(plays, align_sentences),
        "modern as source": turn_pairs(plays),
        "cognates": moore(plays, cognates=True),
    }
    return {name: agreement(pairs, published) for name, pairs in choices.items()}


def beside_nltk(plays: Plays, published: Pairs) -> dict[str, object]:
    smallest = sorted(plays, key=lambda name: len(plays[name][0]) * len(plays[name][1]))
    few = {name: plays[name] for name in smallest[:2]}
    theirs: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    ratios: list[float] = []
    for name, play in few.items():
        theirs[name], their_seconds = time_work(partial(nltk_pairs, play))
        alone = {name: play}
        result, our_seconds = time_work(
            partial(each, alone, align_lengths), repeats=REPEATS
        )
        ours |= result
        ratios.append(their_seconds[0] / statistics.median(our_seconds))
    wanted = {name: published[name] for name in few}
    return {
        "plays": list(few),
        "nltk_gale_church": agreement(theirs, wanted),
        "our_lengths_only": agreement(ours, wanted),
        "nltk_time_divided_by_ours": [round(ratio, 1) for ratio in ratios],
    }


def nltk_pairs(play: Document) -> list[Pair]:
    gale_church.MAX_ALIGN_BLOCKS = 10_000
    source, target = play
    lengths = [[len(line) for line in side] for side in play]
    links = gale_church.align_blocks(*lengths)
    uses = [Counter(link[side] for link in links) for side in (0, 1)]
    return [
        Pair(source[i], target[j])
        for i, j in links
        if uses[0][i] == 1 and uses[1][j] == 1
    ]


def agreement(result: Pairs, published: Pairs) -> dict[str, float | int]:
    ours = sum(len(pairs) for pairs in result.values())
    theirs = sum(len(pairs) for pairs in published.values())
    common = sum(
        (Counter(result[name]) & Counter(published[name])).total() for name in published
    )
    return {
        "precision": round(common / ours, 4),
        "recall": round(common / theirs, 4),
        "f1": round(2 * common / (ours + theirs), 4),
        "ours": ours,
        "published": theirs,
        "common": common,
    }


def time_work(
    work: Callable[[], Result], *, repeats: int = 1
) -> tuple[Result, list[float]]:
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return result, seconds


if __name__ == "__main__":
    main()
