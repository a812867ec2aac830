"""N-best lists of many sentences, packed: what the decoder gives to tune on.

`tuning` merges and searches such lists; nothing in them is a Python object a row, so
that 2,000 sentences by 100 candidates are made in well under a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """N-best lists of some sentences, packed.

    Sentence i has the rows ``starts[i]:starts[i + 1]``; row j has the features
    ``features[j]`` and the words ``words[word_starts[j]:word_starts[j + 1]]``,
    which are numbers of ``vocabulary``.
    """

    starts: Numbers  # (sentences + 1,)
    features: NDArray[np.floating]  # (candidates, features)
    word_starts: Numbers  # (candidates + 1,)
    words: NDArray[np.integer]
    vocabulary: Sequence[str]

    def sentences(self) -> Numbers:
        """Return the number of each row's sentence."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def first(self) -> "Candidates":
        """Return the decoder's own choices alone."""
        return self.rows(self.starts[:-1])

    def rows(self, chosen: Numbers) -> "Candidates":
        """Return some rows, given in the order of their sentences."""
        words, word_starts = gather_words(self.words, self.word_starts, chosen)
        counts = np.bincount(
            self.sentences()[chosen], minlength=len(self.starts) - 1
        ).astype(np.int64)
        return Candidates(
            starts=starts_of(counts),
            features=self.features[chosen],
            word_starts=word_starts,
            words=words,
            vocabulary=self.vocabulary,
        )

    def texts(self) -> list[str]:
        """Return each row's words, joined by spaces."""
        words = [self.vocabulary[number] for number in self.words.tolist()]
        bounds = self.word_starts.tolist()
        return [
            " ".join(words[start:end])
            for start, end in zip(bounds, bounds[1:], strict=False)
        ]


def gather_words(
    words: NDArray[np.integer], starts: Numbers, chosen: Numbers
) -> tuple[NDArray[np.integer], Numbers]:
    """Return the words of the chosen rows, one after another, and their starts."""
    lengths = np.diff(starts)[chosen]
    new_starts = starts_of(lengths)
    shift = np.repeat(starts[chosen] - new_starts[:-1], lengths)
    return words[np.arange(new_starts[-1]) + shift], new_starts


def starts_of(counts: Numbers) -> Numbers:
    """Return where each run starts, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
