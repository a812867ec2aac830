"""N-best lists of many sentences, as packed arrays for tuning.

`tuning` merges and searches such lists; they have no Python object per row, so that
2,000 sentences with 100 candidates each are made in well under a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.runs import Runs, starts_of

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """N-best lists of some sentences, packed.

    Sentence i has the rows ``starts[i]:starts[i + 1]``; row j has the features
    ``features[j]`` and the words ``words[word_starts[j]:word_starts[j + 1]]``, which
    are indices of ``vocabulary``.
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
        rows = Runs(self.word_starts, self.words).take(chosen)
        sentences = self.sentences()[chosen]
        return Candidates(
            starts=starts_of(np.bincount(sentences, minlength=len(self.starts) - 1)),
            features=self.features[chosen],
            word_starts=rows.starts,
            words=rows.words,
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
