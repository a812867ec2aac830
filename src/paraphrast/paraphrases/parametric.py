"""ParaMetric: evaluation of paraphrases by aligned translations.

Names follow PARAMETRIC §5. A group is a sentence s with all the pairs of its cluster
that contain it; its reference, paraREF(p, s, G), is what the other sentences have in
place of each phrase p of s: the non-identical phrase pairs consistent with the human
links, with unlinked outermost words allowed. A method's paraphrases are para_M(p, s).
Then ::

    LB-Precision = sum |para_M ∩ paraREF| / sum |para_M|
    Rel-Recall   = sum |para_M ∩ paraREF| / sum |paraREF|

where both sums run over every occurrence of every phrase in every group, as the counts
printed in §7.3 show (998 correct of 6,914 proposed and 14,078 in the reference are .14
and .07).

The paper has one sentence of eleven as s; here every sentence of a cluster is s in
turn. A phrase pair has length n when its longer side has n words.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.align.base import AlignedPair, Words
from paraphrast.align.formats import read_alignments
from paraphrast.align.links import Cells, possible_cells, sure_cells
from paraphrast.align.phrase_pairs import loose_phrase_pairs
from paraphrast.corpora.loaders.alignments import half_of
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.parametric_shares import Share, Shares
from paraphrast.paraphrases.table import Table

LONGEST = 5
LEAST = 0.01  # "those with a probability greater than or equal to 1%", §7.2

Span: TypeAlias = tuple[int, int]
Labels: TypeAlias = Literal["possible", "sure"]
Places: TypeAlias = Literal["all", "reworded"]
Half: TypeAlias = Literal["all", "train", "score"]
Paraphraser: TypeAlias = Callable[[Words, int, int], Iterable[tuple[Words, float]]]
"""para_M(p, s): the sentence, and where the phrase begins and ends in it."""


@dataclass(frozen=True)
class Group:
    """A sentence, and the reference paraphrases of each of its phrases."""

    cluster: str
    words: Words
    reference: dict[Span, set[Words]] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """The scores of phrases of at most ``longest`` words."""

    longest: int
    precision: Share
    recall: Share


@dataclass(frozen=True, eq=False)
class Judged:
    """All proposals of a method, and the whole reference, by cluster.

    The first five arrays have one entry per proposal: its cluster, its length, its
    probability, whether the reference has it, and whether it has anything there.
    ``wanted`` counts the reference by cluster and length: (clusters, longest).
    """

    cluster: NDArray[np.int64]
    length: NDArray[np.int64]
    probability: NDArray[np.float64]
    right: NDArray[np.bool_]
    reworded: NDArray[np.bool_]
    wanted: NDArray[np.int64]

    def at(
        self, *, longest: int, least: float = 0.0, places: Places = "all"
    ) -> "Judged":
        """Return the subset with shorter phrases and more probable paraphrases.

        With ``places="reworded"``, proposals in positions that no translation rewords
        are left out: they may be correct, but the reference cannot tell.
        """
        kept = (self.length <= longest) & (self.probability >= least)
        if places == "reworded":
            kept &= self.reworded
        return Judged(
            self.cluster[kept],
            self.length[kept],
            self.probability[kept],
            self.right[kept],
            self.reworded[kept],
            self.wanted[:, :longest],
        )

    def counts(self) -> tuple[NDArray[np.float64], ...]:
        """Return the correct, proposed and reference counts of each cluster."""
        clusters = len(self.wanted)
        right = np.bincount(self.cluster[self.right], minlength=clusters)
        proposed = np.bincount(self.cluster, minlength=clusters)
        counts = (right, proposed, self.wanted.sum(axis=1))
        return tuple(column.astype(np.float64) for column in counts)


def read_gold(path: Path, *, half: Half = "all") -> list[AlignedPair]:
    """Return manually aligned pairs, from a file in Jacana's format."""
    aligned = list(read_alignments(path, format="jacana"))
    pairs = aligned if half == "all" else half_of(aligned, half)
    if not pairs:
        raise ParaphrastError(f"{path} has no pair in {half!r}. Give another file.")
    return pairs


def groups(
    pairs: Sequence[AlignedPair], *, longest: int = LONGEST, labels: Labels = "possible"
) -> list[Group]:
    """Return each sentence of each cluster with its reference paraphrases.

    Pairs belong to the same cluster if their names agree up to the last dot. With
    ``labels="sure"`` possible links are left out.
    """
    if longest < 1:
        raise ParaphrastError(f"longest must be at least 1 word, not {longest}.")
    result: dict[tuple[str, Words], Group] = {}
    for number, pair in enumerate(pairs):
        cluster = cluster_of(pair) or str(number)
        source, target = (
            result.setdefault((cluster, words), Group(cluster, words))
            for words in (pair.source, pair.target)
        )
        for start, end, low, high in reworded_spans(
            pair, longest=longest, labels=labels
        ):
            said, other = pair.source[start:end], pair.target[low:high]
            source.reference.setdefault((start, end), set()).add(other)
            target.reference.setdefault((low, high), set()).add(said)
    return list(result.values())


def cluster_of(pair: AlignedPair) -> str:
    """Return the part of a pair's name that its cluster shares."""
    return pair.name.rpartition(".")[0] or pair.name


def reworded_spans(
    pair: AlignedPair, *, longest: int, labels: Labels = "possible"
) -> list[tuple[int, int, int, int]]:
    """Return PP(e1, e2, A): the spans of all phrase pairs that are not identical."""
    cells: Cells = (sure_cells if labels == "sure" else possible_cells)(pair.links)
    source, target = pair.source, pair.target
    return [
        (start, end, low, high)
        for start, end, low, high in loose_phrase_pairs(
            cells, len(source), len(target), longest=longest
        )
        if source[start:end] != target[low:high]
    ]


def judge(
    groups: Sequence[Group], paraphrases: Paraphraser, *, longest: int = LONGEST
) -> Judged:
    """Score a method's paraphrases for every phrase of every group.

    A phrase is not a paraphrase of itself; one that is proposed twice counts once, with
    its higher probability.
    """
    numbers = {
        name: number
        for number, name in enumerate(dict.fromkeys(group.cluster for group in groups))
    }
    wanted = np.zeros((len(numbers), longest), dtype=np.int64)
    rows: list[tuple[int, int, float, bool, bool]] = []
    for group in groups:
        cluster = numbers[group.cluster]
        for start, end in spans(len(group.words), longest):
            reference = _short(group.reference.get((start, end), ()), longest)
            for other in reference:
                wanted[cluster, max(end - start, len(other)) - 1] += 1
            for other, probability in _answer(group.words, start, end, paraphrases):
                length = max(end - start, len(other))
                if length <= longest:
                    right = other in reference
                    rows.append((cluster, length, probability, right, bool(reference)))
    columns = list(zip(*rows, strict=True)) or [()] * 5
    return Judged(
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.bool_),
        np.array(columns[4], dtype=np.bool_),
        wanted,
    )


def of_table(table: Table) -> Paraphraser:
    """Return the method that uses a table's rows, in any position of a phrase.

    A paraphrase with several contexts has the sum of their probabilities.
    """
    cache: dict[Words, list[tuple[Words, float]]] = {}

    def answer(words: Words, start: int, end: int) -> list[tuple[Words, float]]:
        phrase = words[start:end]
        if phrase not in cache:
            sums: dict[str, float] = {}
            for row in table.of(" ".join(phrase)):
                sums[row.paraphrase] = sums.get(row.paraphrase, 0) + row.probability
            cache[phrase] = [(tuple(other.split()), p) for other, p in sums.items()]
        return cache[phrase]

    return answer


def spans(words: int, longest: int) -> Iterable[Span]:
    """Yield the start and end of each phrase of a sentence."""
    for start in range(words):
        for end in range(start + 1, min(start + longest, words) + 1):
            yield start, end


def rows(
    judged: Judged,
    *,
    least: float = LEAST,
    places: Places = "all",
    resamples: int = 1000,
    seed: int = 1,
) -> list[Row]:
    """Return LB-Precision and Rel-Recall for each greatest phrase length from 1.

    Intervals are by bootstrap over clusters.
    """
    longest = judged.wanted.shape[1]
    shares = Shares(len(judged.wanted), resamples=resamples, seed=seed)
    result = []
    for length in range(1, longest + 1):
        kept = judged.at(longest=length, least=least, places=places)
        right, proposed, wanted = kept.counts()
        row = Row(length, shares(right, proposed), shares(right, wanted))
        result.append(row)
    return result


def _short(phrases: Iterable[Words], longest: int) -> set[Words]:
    return {phrase for phrase in phrases if len(phrase) <= longest}


def _answer(
    words: Words, start: int, end: int, paraphrases: Paraphraser
) -> Iterable[tuple[Words, float]]:
    phrase = words[start:end]
    best: dict[Words, float] = {}
    for other, probability in paraphrases(words, start, end):
        if other != phrase and probability > best.get(other, -1.0):
            best[other] = probability
    return best.items()
