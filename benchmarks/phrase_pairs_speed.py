"""How fast are Edinburgh++'s phrase pairs extracted, against NLTK and plain Python?

Run    python -m benchmarks.phrase_pairs_speed --mirror FOLDER \
           > benchmarks/results/phrase_pairs_speed.json
Backs  the row "Phrase pairs" in docs/benchmarks.md, and docs/alignment.md.

The claim is the CPU time of this process for all phrase pairs, atomic and composite, of
the 1,020 sentence pairs, from their sure links and from all links. Beside it stand two
ratios. Plain Python follows the definition: for every run of source words it looks
through all links. NLTK's phrase_based extracts pairs with unlinked outermost words too,
and so does ours there. Before anything is timed, each must find the same pairs as ours.
NLTK is given one pair in ten, because it is so slow. They take turns.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from nltk.translate.phrase_based import phrase_extraction

from benchmarks.report import report
from benchmarks.timing import cpu_seconds
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import Cells, from_gold, possible_cells, sure_cells
from paraphrast.align.phrase_pairs import (
    Spans,
    divide_pairs,
    loose_phrase_pairs,
    phrase_pairs,
)
from paraphrast.corpora.loaders.alignments import edinburgh

REPEATS, EVERY = 5, 10


Work: TypeAlias = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="The corpora.")
    folder = parser.parse_args().mirror / "edinburgh"
    pairs = [
        from_gold(p) for part in ("train", "test") for p in edinburgh(folder, part)
    ]
    links = {
        "sure": [sure_cells(pair.links) for pair in pairs],
        "sure and possible": [possible_cells(pair.links) for pair in pairs],
    }
    few = pairs[::EVERY]
    check(links["sure and possible"], few)
    report(
        claim="seconds for all phrase pairs of 1,020 sentence pairs, one core",
        **seconds_for(links["sure and possible"]),
        sure_links_alone=seconds_for(links["sure"]),
        found={name: count_phrase_pairs(cells) for name, cells in links.items()},
        beside={
            "plain Python's time divided by ours": ratios(
                lambda: [plain(cells) for cells in links["sure and possible"]],
                lambda: [phrase_pairs(cells) for cells in links["sure and possible"]],
            ),
            "NLTK's time divided by ours": ratios(
                lambda: [nltk_spans(pair) for pair in few],
                lambda: [loose(pair) for pair in few],
            ),
        },
        setting={"pairs": len(pairs), "repeats": REPEATS, "nltk_pairs": len(few)},
        versions=("nltk",),
    )


def check(cells: list[Cells], few: list[AlignedPair]) -> None:
    for number, own in enumerate(cells):
        if plain(own) != phrase_pairs(own):
            sys.exit(f"pair {number}: plain Python finds others; nothing to compare")
    for number, pair in enumerate(few):
        if nltk_spans(pair) != loose(pair):
            sys.exit(f"pair {EVERY * number}: NLTK finds others; nothing to compare")


def plain(cells: Cells) -> list[Spans]:
    """Look through all links for every run of source words."""
    sources = sorted({i for i, _ in cells})
    spans = []
    for start in sources:
        for last in sources:
            if last < start:
                continue
            reached = [j for i, j in cells if start <= i <= last]
            low, high = min(reached), max(reached)
            if all(start <= i <= last for i, j in cells if low <= j <= high):
                spans.append((start, last + 1, low, high + 1))
    return spans


def loose(pair: AlignedPair) -> list[Spans]:
    rows, columns = len(pair.source), len(pair.target)
    longest = max(rows, columns)
    return loose_phrase_pairs(
        possible_cells(pair.links), rows, columns, longest=longest
    )


def nltk_spans(pair: AlignedPair) -> list[Spans]:
    cells = sorted(possible_cells(pair.links))
    sides = " ".join(pair.source), " ".join(pair.target)
    return sorted((*one, *two) for one, two, *_ in phrase_extraction(*sides, cells))


def seconds_for(cells: list[Cells]) -> dict[str, object]:
    times = [
        cpu_seconds(lambda: [divide_pairs(own) for own in cells])
        for _ in range(REPEATS)
    ]
    return {
        "median": round(statistics.median(times), 3),
        "range": [round(min(times), 3), round(max(times), 3)],
    }


def count_phrase_pairs(cells: list[Cells]) -> dict[str, int]:
    pairs = [divide_pairs(own) for own in cells]
    return {
        "atomic": sum(len(own.atomic) for own in pairs),
        "composite": sum(len(own.composite) for own in pairs),
    }


def ratios(theirs: Work, ours: Work) -> dict[str, object]:
    values = [cpu_seconds(theirs) / cpu_seconds(ours) for _ in range(REPEATS)]
    return {
        "median": round(statistics.median(values), 1),
        "range": [round(min(values), 1), round(max(values), 1)],
    }


if __name__ == "__main__":
    main()
