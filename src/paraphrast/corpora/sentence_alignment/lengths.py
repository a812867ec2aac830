"""The probability of the sentence lengths in a bead (Moore 2002, section 3.1).

A source sentence of l words has a translation of Poisson(l r) words, r being the ratio
of the mean lengths of the two documents. The lengths of unpaired sentences, and of the
source side of every bead, follow the distribution in their document. The two target
sentences of a 1-2 bead share a Poisson total, divided like two independent draws from
the target document, given their sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.sentence_alignment.search import (
    CONTRACT,
    DELETE,
    EXPAND,
    INSERT,
    MATCH,
    Floats,
)

# Moore's prior probabilities of the beads, in the order of `search.SHAPES`.
PRIORS = np.log([0.94, 0.01, 0.01, 0.02, 0.02])


@dataclass(frozen=True, slots=True)
class LengthModel:
    """Log-probabilities of the lengths of two documents.

    Values of a target sentence are stored at the column after it, as in the lattice:
    sentence j-1 at column j, and so are those of sentences j-2 and j-1 together. Where
    there is no such sentence the log-probability is minus infinity.
    """

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    target_pairs: NDArray[np.int64]
    source_marginals: Floats
    target_marginals: Floats
    split_marginals: Floats
    log_factorials: Floats
    ratio: float

    def row(self, i: int, start: int, stop: int) -> Floats:
        """Return the scores of the beads that end at nodes (i, start..stop-1)."""
        scores = np.full((5, stop - start), -np.inf)
        lengths, pairs = self.targets[start:stop], self.target_pairs[start:stop]
        scores[INSERT] = self.target_marginals[start:stop]
        exists = np.where(scores[INSERT] > -np.inf, 0.0, -np.inf)
        if i > 0:
            length, alone = self.sources[i - 1], self.source_marginals[i - 1]
            scores[DELETE] = alone
            scores[MATCH] = alone + self._poisson(length, lengths) + exists
            splits = self.split_marginals[start:stop]
            scores[EXPAND] = alone + self._poisson(length, pairs) + splits
        if i > 1:
            length, alone = (
                self.sources[i - 2 : i].sum(),
                self.source_marginals[i - 2 : i].sum(),
            )
            scores[CONTRACT] = alone + self._poisson(length, lengths) + exists
        return scores + PRIORS[:, None]

    def _poisson(self, length: int, lengths: NDArray[np.int64]) -> Floats:
        mean = length * self.ratio
        logs: Floats = lengths * np.log(mean) - mean - self.log_factorials[lengths]
        return logs


def length_model(sources: Sequence[int], targets: Sequence[int]) -> LengthModel:
    """Fit the model to the lengths of all sentences, each at least one word."""
    source, target = np.array(sources), np.array(targets)
    pairs = target[:-1] + target[1:]
    longest = 2 * int(target.max())
    marginals = _marginals(target)
    splits = marginals[:-1] + marginals[1:] - _log_sums(target, pairs)
    return LengthModel(
        sources=source,
        targets=np.concatenate(([0], target)),
        target_pairs=np.concatenate(([0, 0], pairs)),
        source_marginals=_marginals(source),
        target_marginals=np.concatenate(([-np.inf], marginals)),
        split_marginals=np.concatenate(([-np.inf, -np.inf], splits)),
        log_factorials=np.cumsum(np.log(np.maximum(np.arange(longest + 1), 1))),
        ratio=float(target.mean() / source.mean()),
    )


def _marginals(lengths: NDArray[np.int64]) -> Floats:
    _, which, counts = np.unique(lengths, return_inverse=True, return_counts=True)
    logs: Floats = np.log(counts / len(lengths))[which]
    return logs


def _log_sums(lengths: NDArray[np.int64], wanted: NDArray[np.int64]) -> Floats:
    """Return log P(the lengths of two random sentences sum to the given ones)."""
    distinct, counts = np.unique(lengths, return_counts=True)
    shares = counts / len(lengths)
    sums, which = np.unique(np.add.outer(distinct, distinct), return_inverse=True)
    totals = np.bincount(which.ravel(), weights=np.outer(shares, shares).ravel())
    logs: Floats = np.log(totals[np.searchsorted(sums, wanted)])
    return logs
