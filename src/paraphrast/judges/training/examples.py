"""Texts and labels for training, as token ids.

A table has rows of one or more texts (``width``) and one label per row; further numeric
columns may be attached. Texts are encoded once, on any machine, so that the training
machine needs no text.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LONGEST = 126  # tokens of a text that are read in training


@dataclass(frozen=True)
class Table:
    """Rows of texts as tokens: ``texts[width * row + column]``."""

    texts: list[NDArray[np.int64]]
    labels: NDArray[np.float32]
    width: int = 1
    extra: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.labels)
