"""Ask a classifier of many styles about a few of them.

Whether a rewrite of modern English became Shakespeare is a question of two styles; a
classifier that also knows sermons and tweets would spread its answer over them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paraphrast.errors import unknown
from paraphrast.judges.accuracy import StyleClassifier
from paraphrast.judges.style_grade import grade_probabilities
from paraphrast.metrics.base import Matrix


@dataclass(frozen=True, eq=False)
class StyleSubset:
    """A classifier's word on which of ``styles`` a text has."""

    classifier: StyleClassifier
    styles: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a style that the classifier does not know."""
        for style in self.styles:
            if style not in self.classifier.styles:
                raise unknown("style", style, self.classifier.styles)

    @property
    def signature(self) -> str:
        """Return the classifier's signature with the styles."""
        return f"{self.classifier.signature} among {'+'.join(self.styles)}"

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return P(style | text, one of the styles): (texts, styles)."""
        classifier = self._classifier()
        known = classifier.styles
        found = classifier.probabilities(texts)
        if tuple(known) == self.styles:
            return found
        chosen = found[:, [known.index(style) for style in self.styles]]
        total = chosen.sum(axis=1, keepdims=True)
        even = np.full_like(chosen, 1 / len(self.styles))
        return np.asarray(np.divide(chosen, total, out=even, where=total > 0))

    def grades(self, texts: Sequence[str]) -> Matrix:
        """Return how much of each style a text has, 0 to 1; see `style_grade`."""
        classifier = self._classifier()
        own = getattr(classifier, "grades", None)
        if own is None or len(classifier.styles) != len(self.styles):
            return grade_probabilities(self.probabilities(texts), texts)
        places = [classifier.styles.index(style) for style in self.styles]
        return np.asarray(own(texts)[:, places])

    def _classifier(self) -> StyleClassifier:
        # A classifier may have been trained on these very styles besides; its
        # signature covers that one too.
        special = getattr(self.classifier, "among", lambda _: None)(self.styles)
        return special or self.classifier
