"""How far an output has the target style: the mean of a value from 0 to 1.

XU12 proposes three such values, each learnt from a corpus of the source style and
one of the target style, without parallel text: `style_cosine`,
`style_language_model` and `style_logistic`. Each module has a ``train``, and what
it returns is a `StyleModel`; a plugin's model is scored in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.base import Matrix, MeanMetric, Segment


class StyleModel(Protocol):
    """A learnt notion of one style as against another."""

    @property
    def name(self) -> str:
        """Return the name of the score it gives."""
        ...

    @property
    def signature(self) -> str:
        """Return a name that changes with every setting and weight."""
        ...

    def values(self, texts: Sequence[str]) -> Matrix:
        """Return how much each text has the target style, 0 to 1: (texts,)."""
        ...


@dataclass(frozen=True, slots=True)
class StyleScore(MeanMetric):
    """Mean over sentences of how much each has the target style, 0 to 1."""

    model: StyleModel

    @property
    def name(self) -> str:
        """Return the model's name: ``style-cosine`` and so on."""
        return self.model.name

    def values(self, segments: Sequence[Segment]) -> Matrix:
        """Return each output's value, 0 to 1."""
        return self.model.values([s.output for s in segments])


def refuse_empty(source: Sequence[str], target: Sequence[str]) -> None:
    """Refuse to learn a style from nothing."""
    for name, texts in (("source", source), ("target", target)):
        if not any(text.strip() for text in texts):
            raise ParaphrastError(f"the {name} style has no text. Give a file of it.")
