"""PINC (Chen and Dolan 2011): the share of the output that is not in the source.

For each order, the share of the output's distinct n-grams that are not in the source; a
sentence's PINC is the mean over orders, the corpus's the mean over sentences. The two
conventions differ for a sentence with fewer words than the highest order: ``standard``
averages the orders that the sentence has, ``xu12`` divides by the highest order all the
same, as the published figures of XU12 do. An empty output has no n-grams and is no
paraphrase: its PINC is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from paraphrast.metrics.base import MeanMetric, Need, Segment, check_order
from paraphrast.metrics.tokens import Tokenizer, tokenise_text


@dataclass(frozen=True, slots=True)
class Pinc(MeanMetric):
    """Share of the output's n-grams that are not in the source."""

    name: ClassVar[str] = "pinc"
    library: ClassVar[str] = "sacrebleu"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    convention: Literal["standard", "xu12"] = "standard"
    tokenize: Tokenizer = "13a"
    lowercase: bool = False
    order: int = 4

    def __post_init__(self) -> None:
        """Refuse an order below 1."""
        check_order(self.order)

    def values(self, segments: Sequence[Segment]) -> list[float]:
        """Return each segment's PINC in percent."""
        return [self._pinc(segment) for segment in segments]

    def _pinc(self, segment: Segment) -> float:
        output, source = (
            tokenise_text(text, tokenize=self.tokenize, lowercase=self.lowercase)
            for text in (segment.output, segment.source)
        )
        new = []
        for order in range(1, min(self.order, len(output)) + 1):
            grams = _grams(output, order)
            new.append(len(grams - _grams(source, order)) / len(grams))
        orders = self.order if self.convention == "xu12" else len(new)
        return 100 * sum(new) / orders if new else 0.0


def _grams(tokens: list[str], order: int) -> set[tuple[str, ...]]:
    return set(zip(*(tokens[start:] for start in range(order)), strict=False))
