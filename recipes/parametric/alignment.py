"""ParaMetric's scores of an alignment: AlignPrec and AlignRecall (PARAMETRIC §5).

PP(e1, e2, A) are the non-identical phrase pairs that links A license. S are a
system's links, M people's; sums run over sentence pairs::

    AlignPrec   = sum |PP(e1, e2, S) ∩ PP(e1, e2, M)| / sum |PP(e1, e2, S)|
    AlignRecall = sum |PP(e1, e2, S) ∩ PP(e1, e2, M)| / sum |PP(e1, e2, M)|

`align_by_merging` gives the links that two merged trees imply.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import AlignedPair, Link
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.parametric import (
    LONGEST,
    Labels,
    Row,
    cluster_of,
    reworded_spans,
)
from paraphrast.paraphrases.parametric_shares import Shares
from paraphrast.paraphrases.syntax.lattice import FIRST, LAST, Lattice, State, lattice
from paraphrast.paraphrases.syntax.trees import Tree

Spans: TypeAlias = tuple[int, int, int, int]


def alignment_rows(
    system: Sequence[AlignedPair],
    gold: Sequence[AlignedPair],
    *,
    longest: int = LONGEST,
    labels: Labels = "possible",
    resamples: int = 1000,
    seed: int = 1,
) -> list[Row]:
    """Return AlignPrec and AlignRecall for each greatest phrase length from 1."""
    said = [
        set(reworded_spans(pair, longest=longest, labels=labels)) for pair in system
    ]
    return phrase_pair_rows(
        said, gold, longest=longest, labels=labels, resamples=resamples, seed=seed
    )


def phrase_pair_rows(
    said: Sequence[set[Spans]],
    gold: Sequence[AlignedPair],
    *,
    longest: int = LONGEST,
    labels: Labels = "possible",
    resamples: int = 1000,
    seed: int = 1,
) -> list[Row]:
    """Do the same for a method that gives phrase pairs rather than word links."""
    if len(said) != len(gold):
        raise ParaphrastError(
            f"{len(said)} aligned pairs were given for {len(gold)} gold pairs. "
            "Align the gold's own sentences, all of them, in their order."
        )
    clusters = {
        name: number
        for number, name in enumerate(
            dict.fromkeys(cluster_of(pair) or str(n) for n, pair in enumerate(gold))
        )
    }
    # Correct, proposed and gold pairs, by cluster and length.
    counts = np.zeros((3, len(clusters), longest))
    for number, (ours, pair) in enumerate(zip(said, gold, strict=True)):
        theirs = set(reworded_spans(pair, longest=longest, labels=labels))
        cluster = clusters[cluster_of(pair) or str(number)]
        counts[0, cluster] += _by_length(ours & theirs, longest)
        counts[1, cluster] += _by_length(ours, longest)
        counts[2, cluster] += _by_length(theirs, longest)
    shares = Shares(len(clusters), resamples=resamples, seed=seed)
    result = []
    for length in range(1, longest + 1):
        right, proposed, wanted = counts[:, :, :length].sum(axis=2)
        row = Row(length, shares(right, proposed), shares(right, wanted))
        result.append(row)
    return result


def _by_length(phrase_pairs: set[Spans], longest: int) -> NDArray[np.int64]:
    lengths = [
        max(end - start, high - low) - 1 for start, end, low, high in phrase_pairs
    ]
    return np.bincount(np.array(lengths, dtype=np.int64), minlength=longest)[:longest]


def align_by_merging(source: Tree, target: Tree) -> tuple[Link, ...]:
    """Link the words of two sentences that stand between the same states.

    Where the lattice is fine enough the links join single words; where the trees
    could not be merged they join every word of one stretch to every word of the
    other, so that the stretches are a phrase pair and nothing inside them is.
    """
    merged = lattice((source, target))
    paths = [path_of(merged, 0), path_of(merged, 1)]
    shared = {state for _, state in paths[0]} & {state for _, state in paths[1]}
    stretches = [list(_stretches(path, shared)) for path in paths]
    links = [
        Link(i, j, probability=1 / max(len(here), len(there)))
        for here, there in zip(*stretches, strict=True)
        for i in here
        for j in there
    ]
    return tuple(sorted(links))


def path_of(merged: Lattice, sentence: int) -> list[tuple[str, State]]:
    """Return the words of a sentence, each with the state that it enters."""
    result: list[tuple[str, State]] = []
    state = FIRST
    while state != LAST:
        edges = merged.edges[state].items()
        step = next(step for step, numbers in edges if sentence in numbers)
        result.append(step)
        state = step[1]
    return result


def _stretches(
    path: list[tuple[str, State]], shared: set[State]
) -> Iterator[list[int]]:
    """Yield the positions of the words between one shared state and the next."""
    stretch: list[int] = []
    for position, (_, state) in enumerate(path):
        stretch.append(position)
        if state in shared:
            yield stretch
            stretch = []
