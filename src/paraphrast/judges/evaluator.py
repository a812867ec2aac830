"""ACC, SIM, FL, J and GM: what each requires of a model, and how they are combined.

An evaluator gives each segment a value from 0 to 1. `Accuracy`, `Similarity` and
`Fluency` are evaluators with a model, and each is a metric too. `Given` has values that
were computed elsewhere, such as published labels.

J (STRAP §3.2) multiplies the three for each sentence and then averages, so only an
output that is good in every respect counts. GM averages each over the corpus and then
takes the geometric mean: a system that has the style on some sentences and the meaning
on others looks good by it. Both are computed from the same rows and shown side by side;
J is the one to trust. Accuracy and fluency are 0 or 1 for a sentence; similarity is
from 0 to 1.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.metrics.base import CountingMetric, Matrix, Segment, mean_statistics
from paraphrast.storage import weights

LEAST_WORDS = 4  # of a text whose style can be told


class Model(Protocol):
    """What every model of a judge has."""

    @property
    def signature(self) -> str:
        """Return a name that changes with every setting and weight."""


class StyleClassifier(Model, Protocol):
    """Classifies the style of texts."""

    @property
    def styles(self) -> tuple[str, ...]:
        """Return the styles that it knows."""

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return P(style | text): (texts, styles)."""


class SimilarityModel(Model, Protocol):
    """Rates the similarity in meaning of two texts."""

    def __call__(self, sources: Sequence[str], targets: Sequence[str]) -> Matrix:
        """Return the similarity of each pair, 0 to 1: (pairs,)."""


class FluencyModel(Model, Protocol):
    """Rates the acceptability of texts."""

    def probabilities(self, texts: Sequence[str]) -> Matrix:
        """Return the probability that each text is acceptable: (texts,)."""


class FormalityModel(Model, Protocol):
    """Rates the formality of texts."""

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return each text's formality, -3 to 3; NaN for text without words."""


class Evaluator(Model, Hashable, Protocol):
    """Gives values to segments; implementations are frozen dataclasses."""

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's value, 0 to 1: (segments,)."""


class MeanInPercent(CountingMetric):
    """Makes an evaluator of one model a metric: the mean of its values, in percent."""

    __slots__ = ()

    @property
    def signature(self: Any) -> str:
        """Return the model's signature."""
        (field,) = fields(self)
        return str(getattr(self, field.name).signature)

    def statistics(self: Evaluator, segments: Sequence[Segment]) -> Matrix:
        """Return each segment's value in percent, and 1."""
        return mean_statistics(100 * compute_once(self, segments))


@dataclass(frozen=True, slots=True)
class Accuracy(MeanInPercent):
    """Share of outputs that a classifier assigns to the target style, in percent."""

    name: ClassVar[str] = "acc"

    classifier: StyleClassifier

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return 1 if the most probable style is the target, else 0.

        Texts without a style by `has_some_style` get 0.
        """
        wanted = find_targets(self.classifier, segments)
        outputs = [segment.output for segment in segments]
        probabilities = self.classifier.probabilities(outputs)
        right = (probabilities.argmax(axis=1) == wanted) & has_some_style(
            probabilities, outputs
        )
        return np.asarray(right, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Similarity(MeanInPercent):
    """Mean similarity to the best reference, or else to the source, in percent."""

    name: ClassVar[str] = "sim"

    model: SimilarityModel

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's similarity, 0 to 1."""
        against = [segment.references or (segment.source,) for segment in segments]
        if segments and not any(any(texts) for texts in against):
            raise ParaphrastError(
                "sim needs references or sources. Give a file with either."
            )
        counts = [len(texts) for texts in against]
        outputs = [
            s.output for s, n in zip(segments, counts, strict=True) for _ in range(n)
        ]
        every = self.model(outputs, [text for texts in against for text in texts])
        if not segments:
            return np.zeros(0)
        return np.maximum.reduceat(every, np.cumsum([0, *counts[:-1]]))


@dataclass(frozen=True, slots=True)
class Fluency(MeanInPercent):
    """Share of outputs that a model rates acceptable, in percent."""

    name: ClassVar[str] = "fl"

    model: FluencyModel

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return 1 for outputs with a probability above one half, else 0."""
        probabilities = self.model.probabilities(
            [segment.output for segment in segments]
        )
        return (probabilities >= 0.5).astype(float)


@dataclass(frozen=True)
class Given:
    """Values of segments that were computed elsewhere, in the segments' order."""

    given: tuple[float, ...]

    @cached_property
    def signature(self) -> str:
        """Name the values by their hash."""
        return f"given-{weights.digest('given', {}, {'': np.array(self.given)})}"

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return the given values; there must be one per segment."""
        if len(segments) != len(self.given):
            raise ParaphrastError(
                f"{len(self.given)} values but {len(segments)} segments. "
                "Give one value per segment."
            )
        return np.array(self.given)


def joint_rows(accuracy: Matrix, similarity: Matrix, fluency: Matrix) -> Matrix:
    """Return rows (ACC, SIM, FL, their product, 1): (segments, 5)."""
    product = accuracy * similarity * fluency
    return np.stack(
        [accuracy, similarity, fluency, product, np.ones_like(product)], axis=-1
    )


@dataclass(frozen=True, slots=True)
class _Combined(CountingMetric):
    """Three evaluators, and the rows from which both J and GM are computed."""

    accuracy: Evaluator
    similarity: Evaluator
    fluency: Evaluator

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return `joint_rows` of the segments."""
        parts = (self.accuracy, self.similarity, self.fluency)
        return joint_rows(*(compute_once(part, segments) for part in parts))


@dataclass(frozen=True, slots=True)
class Joint(_Combined):
    """J: mean over sentences of accuracy times similarity times fluency, in percent."""

    name: ClassVar[str] = "j"

    def total(self, statistics: Matrix) -> Matrix:
        """Return the mean product in percent."""
        return np.asarray(100 * statistics[..., 3] / statistics[..., 4])


@dataclass(frozen=True, slots=True)
class GeometricMean(_Combined):
    """GM: geometric mean of the means of accuracy, similarity, fluency, in percent."""

    name: ClassVar[str] = "gm"

    def total(self, statistics: Matrix) -> Matrix:
        """Return the geometric mean of the three means in percent."""
        means = statistics[..., :3] / statistics[..., 4:5]
        return np.asarray(100 * np.cbrt(means.prod(axis=-1)))


def find_targets(classifier: StyleClassifier, segments: Sequence[Segment]) -> list[int]:
    """Return the index of each segment's target among the classifier's styles."""
    for segment in segments:
        if segment.target not in classifier.styles:
            raise unknown("target style", segment.target, classifier.styles)
    return [classifier.styles.index(segment.target) for segment in segments]


def has_some_style(probabilities: Matrix, texts: Sequence[str]) -> NDArray[np.bool_]:
    """Say which texts have a style, given the probabilities ``found``: (texts, styles).

    A text without a letter or digit has none, nor has one with a uniform distribution,
    which is how a classifier marks unreadable text.
    """
    written = np.array([any(map(str.isalnum, text)) for text in texts], dtype=bool)
    return np.asarray(written & (probabilities.max(axis=1) > probabilities.min(axis=1)))


def is_style_measurable(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Say which texts have enough words for their style to be judged.

    A good classifier of two styles is wrong on a quarter of the shorter lines of
    Twelfth Night; below this length nobody should rely on it.
    """
    counts = [
        sum(any(map(str.isalnum, word)) for word in text.split()) for text in texts
    ]
    return np.array([count >= LEAST_WORDS for count in counts], dtype=bool)


def compute_once(evaluator: Evaluator, segments: Sequence[Segment]) -> Matrix:
    """Return the evaluator's values, computed once for the same segments."""
    return _compute_once(evaluator, tuple(segments))


@lru_cache(maxsize=64)
def _compute_once(evaluator: Evaluator, segments: tuple[Segment, ...]) -> Matrix:
    values = evaluator.values(segments)
    values.setflags(write=False)
    return values
