"""The features of a hypothesis, in the order in which the decoder adds them up.

A hypothesis' score is the sum of its features times their weights, all in natural
logarithms or counts. The order is: `FIXED`, one feature per language model, the scores
of the phrase table, and, if the table has them, the six reordering scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError, unknown

# distortion: minus the distance jumped over; words: minus the number of target words;
# phrases: the number of phrases used; unknown: minus the number of words copied
# because the table does not know them; kept: the number of target words that also
# stand in the source phrase they come from, which is what the style knob weighs.
FIXED = ("distortion", "words", "phrases", "unknown", "kept")
REORDERING = (
    "reordering monotone before",
    "reordering swap before",
    "reordering other before",
    "reordering monotone after",
    "reordering swap after",
    "reordering other after",
)
# What Moses starts from (words is minus the count here, as its penalty is).
DEFAULTS = {
    "distortion": 0.3,
    "words": -1.0,
    "phrases": 0.2,
    "unknown": 100.0,
    "kept": 0.0,
}
LANGUAGE_MODEL, TABLE, REORDER = 0.5, 0.2, 0.3


def names(
    models: Sequence[str], scores: Sequence[str], *, reordering: bool
) -> tuple[str, ...]:
    """Return the features' names for these language models and table scores."""
    return (
        *FIXED,
        *(f"model {name}" for name in models),
        *(f"table {name}" for name in scores),
        *(REORDERING if reordering else ()),
    )


def default_weight(name: str) -> float:
    """Return the weight a feature has before tuning."""
    if name.startswith("model "):
        return LANGUAGE_MODEL
    if name.startswith("table "):
        return TABLE
    if name.startswith("reordering "):
        return REORDER
    return DEFAULTS[name]


@dataclass(frozen=True)
class Weights:
    """A weight per feature, by name; others have their defaults."""

    values: Mapping[str, float]

    def vector(self, features: Sequence[str]) -> NDArray[np.float64]:
        """Return the weights in the order of ``features``."""
        for name in self.values:
            if name not in features:
                raise unknown("feature", name, features)
        result = [self.values.get(name, default_weight(name)) for name in features]
        vector = np.array(result, np.float64)
        if not np.isfinite(vector).all():
            raise ParaphrastError("weights must be finite numbers. Tune them again.")
        return vector
