"""Align sentence pairs with a trained network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from paraphrast.align.base import Link, Preference, WordPair, refuse_long
from paraphrast.align.monolingual.features import grids
from paraphrast.align.monolingual.forms import Floats
from paraphrast.align.monolingual.network import Inputs, forward
from paraphrast.align.monolingual.vectors import Vectors
from paraphrast.align.monolingual.weights import Trained, save, vectors

_CELLS: Final = 5000  # in a batch; many more do not fit the processor's cache


@dataclass(frozen=True, slots=True)
class Monolingual:
    """Links words with the same meaning, each with a probability.

    It is the probability of being a link at all, sure or possible; whether a link is
    sure is decided separately. The operating point sets how probable a link must be if
    it is not sure; sure links are the same at all of them. Case is ignored.
    """

    longest: ClassVar[int] = 1024  # words per side; a grid of that size takes 2 GB

    trained: Trained
    about: dict[str, object] = field(default_factory=dict)
    prefer: Preference = "precision"

    def __call__(self, pairs: Sequence[WordPair]) -> list[tuple[Link, ...]]:
        """Return the links of each pair, in the order of their words."""
        result: list[tuple[Link, ...]] = [()] * len(pairs)
        for number, sure, linked in self._scores(pairs):
            result[number] = self._choose_links(sure, linked)
        return result

    def probabilities(self, pairs: Sequence[WordPair]) -> list[Floats]:
        """Return both probabilities of every cell: 2, source words, target words."""
        result = [
            np.zeros((2, len(source), len(target)), dtype=np.float32)
            for source, target in pairs
        ]
        for number, sure, linked in self._scores(pairs):
            result[number] = np.stack([sure, linked])
        return result

    def preferring(self, preference: Preference) -> "Monolingual":
        """Return the aligner at that operating point."""
        return replace(self, prefer=preference)

    def save(self, folder: Path) -> None:
        """Write the aligner so that its family can load it."""
        save(self.trained, folder, **self.about)

    def _scores(
        self, pairs: Sequence[WordPair]
    ) -> Iterator[tuple[int, Floats, Floats]]:
        refuse_long(pairs, longest=self.longest, aligner="monolingual")
        for batch in batches(pairs):
            chosen = [pairs[number] for number in batch]
            inputs = inputs_of(chosen, vectors())
            trained = self.trained
            scores = forward(
                trained.weights, inputs, hopeless=trained.thresholds.hopeless
            ).scores
            sure, linked = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
            linked = np.maximum(sure, linked)  # a sure link is a link
            for index, number in enumerate(batch):
                source, target = pairs[number]
                inside = (index, slice(len(source)), slice(len(target)))
                yield number, sure[inside], linked[inside]

    def _choose_links(self, sure: Floats, linked: Floats) -> tuple[Link, ...]:
        cut = self.trained.thresholds
        is_sure, least = sure > cut.sure, cut.possible[self.prefer]
        return tuple(
            Link(i, j, round(float(linked[i, j]), 4), sure=bool(is_sure[i, j]))
            for i, j in np.argwhere(is_sure | (linked > least)).tolist()
        )


def batches(pairs: Sequence[WordPair], cells: int = _CELLS) -> Iterator[list[int]]:
    """Yield the indices of pairs in batches of similar size, without empty pairs."""
    sizes = {
        number: (len(source), len(target))
        for number, (source, target) in enumerate(pairs)
        if source and target
    }
    batch: list[int] = []
    rows = columns = 0
    for number in sorted(sizes, key=lambda number: _like_size(*sizes[number])):
        rows, columns = max(rows, sizes[number][0]), max(columns, sizes[number][1])
        if batch and (len(batch) + 1) * rows * columns > cells:
            yield batch
            batch = []
            rows, columns = sizes[number]
        batch.append(number)
    if batch:
        yield batch


def _like_size(rows: int, columns: int) -> tuple[int, int]:
    """Order sizes boustrophedonically, so that neighbours need little padding."""
    band = rows // 3
    return band, -columns if band % 2 else columns


def inputs_of(pairs: Sequence[WordPair], word_vectors: Vectors) -> Inputs:
    """Return what the network sees of a batch."""
    laid = grids(pairs)
    similar, sources, targets = word_vectors.similarities(laid)
    channels = np.concatenate([laid.cells, similar])
    return Inputs(channels, sources, targets, laid.mask)
