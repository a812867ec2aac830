"""How well one alignment agrees with another: words, phrase pairs, error rate.

Names follow COHN08 §3. Of the alignment A to be scored and the reference B, S are the
sure cells and P all cells. With ``labels="asymmetric"``, as in the paper, a sure link
of A need only be possible in B, and a sure link of B only possible in A::

    precision = |A_S ∩ B_P| / |A_S|      recall = |A_P ∩ B_S| / |B_S|        (2)

Over phrase pairs, atomic ones are looked up among all of the other side::

    precision = |A_atom ∩ B| / |A_atom|  recall = |A ∩ B_atom| / |B_atom|    (3)

``labels="sure"`` and ``"possible"`` compare S with S and P with P instead. Precision
without predictions and recall without gold links are 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from paraphrast.align.base import AlignedPair, Words
from paraphrast.align.links import Cells, possible_cells, sure_cells
from paraphrast.align.phrase_pairs import Spans, divide_pairs
from paraphrast.errors import ParaphrastError

Labels: TypeAlias = Literal["asymmetric", "sure", "possible"]
Identical: TypeAlias = Literal["ignored", "kept"]
Level: TypeAlias = Literal["words", "phrases"]
Average: TypeAlias = Literal["micro", "macro"]


@dataclass(frozen=True)
class Counts:
    """Counts for precision and recall: correct of predicted, found of gold."""

    said_and_right: int
    said: int
    wanted_and_found: int
    wanted: int

    @property
    def precision(self) -> float:
        """Return the share of predictions that are correct."""
        return self.said_and_right / self.said if self.said else 1.0

    @property
    def recall(self) -> float:
        """Return the share of gold items that were found."""
        return self.wanted_and_found / self.wanted if self.wanted else 1.0

    @property
    def error_rate(self) -> float:
        """Return AER (Och and Ney 2003), 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)."""
        total = self.said + self.wanted
        return 1 - (self.said_and_right + self.wanted_and_found) / total if total else 0


@dataclass(frozen=True)
class Agreement:
    """Precision, recall, their harmonic mean, and the alignment error rate."""

    precision: float
    recall: float
    error_rate: float

    @cached_property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def word_counts(
    system: AlignedPair,
    gold: AlignedPair,
    *,
    labels: Labels = "asymmetric",
    identical: Identical = "ignored",
) -> Counts:
    """Compare the links of one sentence pair."""
    said, allowed, offered, wanted = _sides(system, gold, labels)
    if identical == "ignored":
        same = _identical_cells(gold.source, gold.target)
        said, wanted = said - same, wanted - same
    return Counts(len(said & allowed), len(said), len(wanted & offered), len(wanted))


def phrase_counts(
    system: AlignedPair,
    gold: AlignedPair,
    *,
    labels: Labels = "asymmetric",
    identical: Identical = "ignored",
) -> Counts:
    """Compare the phrase pairs of one sentence pair."""
    cells = _sides(system, gold, labels)
    pairs = {side: divide_pairs(side) for side in set(cells)}
    everything = {
        side: {*result.atomic, *result.composite} for side, result in pairs.items()
    }
    said, allowed, offered, wanted = cells
    atoms_said, atoms_wanted = (
        {
            spans
            for spans in pairs[side].atomic
            if identical == "kept" or not _is_identical(spans, gold)
        }
        for side in (said, wanted)
    )
    return Counts(
        len(atoms_said & everything[allowed]),
        len(atoms_said),
        len(atoms_wanted & everything[offered]),
        len(atoms_wanted),
    )


def micro(counts: Sequence[Counts]) -> Agreement:
    """Return the agreement of all pairs taken together."""
    total = Counts(
        sum(pair.said_and_right for pair in counts),
        sum(pair.said for pair in counts),
        sum(pair.wanted_and_found for pair in counts),
        sum(pair.wanted for pair in counts),
    )
    return Agreement(total.precision, total.recall, total.error_rate)


def macro(counts: Sequence[Counts]) -> Agreement:
    """Return the means over pairs; F1 is that of the mean precision and recall."""
    if not counts:
        raise ParaphrastError("there are no sentence pairs to score.")
    return Agreement(
        sum(pair.precision for pair in counts) / len(counts),
        sum(pair.recall for pair in counts) / len(counts),
        sum(pair.error_rate for pair in counts) / len(counts),
    )


def corpus_counts(
    system: Sequence[AlignedPair],
    gold: Sequence[AlignedPair],
    *,
    level: Level = "words",
    labels: Labels = "asymmetric",
    identical: Identical = "ignored",
) -> list[Counts]:
    """Compare two alignments of the same sentence pairs, pair by pair."""
    count = {"words": word_counts, "phrases": phrase_counts}[level]
    return [
        count(answer, other, labels=labels, identical=identical)
        for answer, other in zip(system, gold, strict=True)
    ]


def _sides(
    system: AlignedPair, gold: AlignedPair, labels: Labels
) -> tuple[Cells, Cells, Cells, Cells]:
    """Return A's and B's cells for precision, then A's and B's cells for recall."""
    sure, possible = sure_cells(system.links), possible_cells(system.links)
    gold_sure, gold_possible = sure_cells(gold.links), possible_cells(gold.links)
    if labels == "sure":
        return sure, gold_sure, sure, gold_sure
    if labels == "possible":
        return possible, gold_possible, possible, gold_possible
    return sure, gold_possible, possible, gold_sure


def _identical_cells(source: Words, target: Words) -> Cells:
    return frozenset(
        (i, j)
        for i, word in enumerate(source)
        for j, other in enumerate(target)
        if word == other
    )


def _is_identical(spans: Spans, pair: AlignedPair) -> bool:
    start, end, low, high = spans
    return pair.source[start:end] == pair.target[low:high]
