"""STYLE-GRADE: how much of the target style an output has, in degrees.

A probability says how sure a classifier is that a text has the style at all, and a good
one is nearly always sure. People mark degrees. Evidence gathers with the words of a
text, and its chance part with their square root; so the log-odds are divided by that
root and put on a scale from 0 to 1, where 0.5 leans to no side. The form was chosen on
lines of a held-out play that are part modern and part Shakespeare; docs/judges.md says
how, and what was not blind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.errors import unknown
from paraphrast.judges.accuracy import StyleClassifier, has_some_style
from paraphrast.judges.evaluator import MeanInPercent
from paraphrast.metrics.base import Matrix, Segment
from paraphrast.text.model_words import words

_SURE = 1e-12  # probabilities are kept this far from 0 and 1


@dataclass(frozen=True, slots=True)
class StyleGrade(MeanInPercent):
    """Mean grade of the target style; in percent."""

    name: ClassVar[str] = "style-grade"

    classifier: StyleClassifier

    @property
    def signature(self) -> str:
        """Return the classifier's."""
        return self.classifier.signature

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's grade, 0 to 1; 0 where `has_some_style` says no."""
        styles = self.classifier.styles
        for segment in segments:
            if segment.target not in styles:
                raise unknown("target style", segment.target, styles)
        outputs = [segment.output for segment in segments]
        wanted = [styles.index(segment.target) for segment in segments]
        found = grade_texts(self.classifier, outputs)
        chosen = found[np.arange(len(outputs)), wanted]
        return np.asarray(np.where(has_some_style(found, outputs), chosen, 0.0))


def grade_texts(classifier: StyleClassifier, texts: Sequence[str]) -> Matrix:
    """Return how much of each style a text has, 0 to 1: (texts, styles).

    A classifier that grades by itself is asked; from another the odds of each style
    against the rest are taken.
    """
    own = getattr(classifier, "grades", None)
    if own is not None:
        return np.asarray(own(texts))
    return grade_probabilities(classifier.probabilities(texts), texts)


def grade_probabilities(probabilities: Matrix, texts: Sequence[str]) -> Matrix:
    """Return the grades of calibrated probabilities: (texts, styles)."""
    found = np.clip(probabilities, _SURE, 1 - _SURE)
    return grade_odds(np.log(found) - np.log1p(-found), texts)


def grade_odds(odds: Matrix, texts: Sequence[str]) -> Matrix:
    """Return the grades of calibrated log-odds, a row or a figure a text."""
    # One more than the words, as a language model counts the end of a sentence.
    lengths = np.array([len(words(text)) + 1 for text in texts], np.float64)
    roots = np.sqrt(lengths).reshape(-1, *[1] * (odds.ndim - 1))
    return np.asarray(1 / (1 + np.exp(-odds / roots)))
