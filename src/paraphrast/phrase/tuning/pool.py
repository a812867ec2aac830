"""N-best lists merged over rounds, each candidate once, however often it comes back.

A candidate is the same if its sentence, its words and its features are. Its
statistics are counted when its words are first seen with its sentence, never again.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.matrix import find_sorted
from paraphrast.phrase.candidates import Candidates, Numbers
from paraphrast.text.runs import starts_of

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Decode(Protocol):
    """A decoder of the tuning sentences, always the same ones in the same order."""

    def __call__(self, weights: Vector, /) -> Candidates:
        """Return the best candidates of every sentence, the very best first."""
        ...


class Counter(Protocol):
    """What counts a candidate's statistics (see `objective.Objective`)."""

    def statistics(self, candidates: Candidates) -> Vector:
        """Return one row of statistics per candidate."""
        ...


class Pool:
    """All candidates seen so far, each once, with their statistics.

    ``lists`` answers for them (`paraphrast._native.Lists`); ``statistics`` has their
    rows, ``features`` one row per feature, and sentence i has the candidates
    ``starts[i]:starts[i + 1]``.
    """

    def __init__(self, counter: Counter) -> None:
        """Start empty."""
        self._counter = counter
        self._known: dict[str, int] = {}
        self._keys = np.zeros(0, np.uint64)  # of candidates, sorted
        self._outputs = np.zeros(0, np.uint64)  # of outputs, sorted, and a row of each
        self._output_rows = np.zeros((0, 0))
        self._sentences = np.zeros(0, np.int64)
        self.features = np.zeros((0, 0), np.float32)  # (features, candidates)
        self.statistics = np.zeros((0, 0))
        self.starts = np.zeros(1, np.int64)
        self.lists: _native.Lists = _native.Lists(
            self.features, self.starts, self.statistics
        )

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self._sentences)

    def add(self, candidates: Candidates) -> int:
        """Merge lists into the pool; return how many candidates were new."""
        _check(candidates, len(self.starts) - 1 if len(self) else None)
        sentences = candidates.sentences()
        outputs, keys = _native.candidate_keys(
            sentences,
            candidates.word_starts,
            self._word_ids(candidates),
            np.ascontiguousarray(candidates.features, np.float32),
        )
        _, first = np.unique(keys, return_index=True)
        new = np.sort(first[find_sorted(self._keys, keys[first]) < 0])
        if len(new):
            statistics = self._count(candidates, outputs, new)
            self._merge(candidates, sentences, statistics, new)
            self._keys = np.union1d(self._keys, keys[new])
        return len(new)

    def _word_ids(self, candidates: Candidates) -> NDArray[np.uint32]:
        """Return the words as numbers that stay the same from list to list."""
        ids = self._known
        own = [ids.setdefault(word, len(ids)) for word in candidates.vocabulary]
        words: NDArray[np.uint32] = np.array(own, np.uint32)[candidates.words]
        return words

    def _count(
        self, candidates: Candidates, outputs: NDArray[np.uint64], new: Numbers
    ) -> Vector:
        """Return statistics of the new rows; an output is counted once for all."""
        wanted, first, inverse = np.unique(
            outputs[new], return_index=True, return_inverse=True
        )
        fresh = find_sorted(self._outputs, wanted) < 0
        ordered = np.sort(first[fresh])
        if len(ordered):
            counted = self._counter.statistics(candidates.rows(new[ordered]))
            old = self._output_rows if len(self._outputs) else counted[:0]
            keys = np.concatenate([self._outputs, outputs[new[ordered]]])
            order = np.argsort(keys)
            self._outputs = keys[order]
            self._output_rows = np.concatenate([old, counted])[order]
        return self._output_rows[np.searchsorted(self._outputs, wanted)[inverse]]

    def _merge(
        self, candidates: Candidates, sentences: Numbers, rows: Vector, new: Numbers
    ) -> None:
        merged = np.concatenate([self._sentences, sentences[new]])
        order = np.argsort(merged, kind="stable")
        added = np.asarray(candidates.features[new], np.float32).T
        old = self.features if len(self) else added[:, :0]
        features = np.concatenate([old, added], axis=1)
        self.features = np.take(features, order, axis=1)
        earlier = self.statistics if len(self) else rows[:0]
        self.statistics = np.concatenate([earlier, rows])[order]
        self._sentences = merged[order]
        counts = np.bincount(merged, minlength=len(candidates.starts) - 1)
        self.starts = starts_of(counts)
        self.lists = _native.Lists(self.features, self.starts, self.statistics)

    def totals(self, weights: Vector) -> Vector:
        """Return the summed statistics of each list's best candidate."""
        best = self.lists.best(self.lists.scores(weights))
        total: Vector = self.statistics[best].sum(axis=0)
        return total


def _check(candidates: Candidates, sentences: int | None) -> None:
    counts = np.diff(candidates.starts)
    if sentences is not None and len(counts) != sentences:
        raise ParaphrastError(
            f"tuning: the decoder gave lists for {len(counts)} sentences after lists "
            f"for {sentences}. Decode the same sentences in every round."
        )
    if (counts < 1).any():
        raise ParaphrastError(
            f"tuning: sentence {int(np.argmin(counts)) + 1} has no candidate. "
            "Leave it out, or let the decoder copy what it cannot rewrite."
        )
    rows = np.isfinite(candidates.features).all(axis=1)
    if not rows.all():
        row = int(np.argmin(rows))
        sentence = int(np.searchsorted(candidates.starts, row, "right"))
        raise ParaphrastError(
            f"tuning: a candidate of sentence {sentence} has a feature that is not a "
            "finite number. Check the scores of the table and the language models."
        )
