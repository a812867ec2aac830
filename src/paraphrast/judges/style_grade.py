"""STYLE-GRADE: the degree to which an output has the target style.

A probability says how sure a classifier is that a text has the style at all, and a good
one is nearly always sure. People rate degrees. The evidence grows with the number of
words of a text, and its noise with the square root; so the log-odds are divided by that
root and mapped to a scale from 0 to 1, where 0.5 is neutral. The formula was chosen on
lines of a held-out play that are part modern and part Shakespeare; docs/judges.md says
how, and what was not blind.

`StyleSubset` restricts a classifier of many styles to a few of them. Whether a rewrite
of modern English became Shakespeare is a question of two styles; a classifier that also
knows sermons and tweets would spread its answer over them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.errors import unknown
from paraphrast.judges.evaluator import (
    MeanInPercent,
    StyleClassifier,
    find_targets,
    has_some_style,
)
from paraphrast.metrics.base import Matrix, Segment
from paraphrast.text.model_words import words

_SURE = 1e-12  # probabilities are kept this far from 0 and 1


@dataclass(frozen=True, slots=True)
class StyleGrade(MeanInPercent):
    """Mean grade of the target style; in percent."""

    name: ClassVar[str] = "style-grade"

    classifier: StyleClassifier

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's grade, 0 to 1; 0 if `has_some_style` is false."""
        wanted = find_targets(self.classifier, segments)
        outputs = [segment.output for segment in segments]
        grades = grade_texts(self.classifier, outputs)
        chosen = grades[np.arange(len(outputs)), wanted]
        return np.asarray(np.where(has_some_style(grades, outputs), chosen, 0.0))


def grade_texts(classifier: StyleClassifier, texts: Sequence[str]) -> Matrix:
    """Return how much of each style a text has, 0 to 1: (texts, styles).

    A classifier's own grades are used if it has them; otherwise they follow from the
    odds of each style against the rest.
    """
    own = getattr(classifier, "grades", None)
    if own is not None:
        return np.asarray(own(texts))
    return grade_probabilities(classifier.probabilities(texts), texts)


def grade_probabilities(probabilities: Matrix, texts: Sequence[str]) -> Matrix:
    """Return the grades of calibrated probabilities: (texts, styles)."""
    clipped = np.clip(probabilities, _SURE, 1 - _SURE)
    return grade_odds(np.log(clipped) - np.log1p(-clipped), texts)


def grade_odds(odds: Matrix, texts: Sequence[str]) -> Matrix:
    """Return the grades of calibrated log-odds, one row or figure per text."""
    # One more than the words, as a language model counts the end of a sentence.
    lengths = np.array([len(words(text)) + 1 for text in texts], np.float64)
    roots = np.sqrt(lengths).reshape(-1, *[1] * (odds.ndim - 1))
    return np.asarray(1 / (1 + np.exp(-odds / roots)))


@dataclass(frozen=True, eq=False)
class StyleSubset:
    """A classifier restricted to ``styles``."""

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
        styles = classifier.styles
        probabilities = classifier.probabilities(texts)
        if tuple(styles) == self.styles:
            return probabilities
        chosen = probabilities[:, [styles.index(style) for style in self.styles]]
        total = chosen.sum(axis=1, keepdims=True)
        even = np.full_like(chosen, 1 / len(self.styles))
        return np.asarray(np.divide(chosen, total, out=even, where=total > 0))

    def grades(self, texts: Sequence[str]) -> Matrix:
        """Return how much of each style a text has, 0 to 1; see `style_grade`."""
        classifier = self._classifier()
        own = getattr(classifier, "grades", None)
        if own is None or len(classifier.styles) != len(self.styles):
            return grade_probabilities(self.probabilities(texts), texts)
        columns = [classifier.styles.index(style) for style in self.styles]
        return np.asarray(own(texts)[:, columns])

    def _classifier(self) -> StyleClassifier:
        # A classifier may have been trained on these very styles besides; its
        # signature covers that one too.
        special = getattr(self.classifier, "among", lambda _: None)(self.styles)
        return special or self.classifier
