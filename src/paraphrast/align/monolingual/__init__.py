"""An aligner for two sentences in the same language, trained on human alignments.

`family` is registered as ``monolingual``; its aligner comes trained with the package,
needs only numpy, and gives many-to-many links, each with a probability and a label.
docs/monolingual-aligner.md describes its training data and quality.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.align.base import AlignedPair
from paraphrast.align.monolingual.aligner import Monolingual
from paraphrast.align.monolingual.weights import Trained, load, load_shipped


@dataclass(frozen=True)
class Family:
    """Makes monolingual aligners."""

    summary: str = (
        "our own for English paraphrases; pretrained, can be fine-tuned on links"
    )

    def train(self, pairs: Sequence[AlignedPair]) -> Monolingual:
        """Fine-tune the package's aligner on the links of these pairs."""
        from paraphrast.align.monolingual.training import fit

        start = load_shipped()
        weights = fit(pairs, start.weights)
        about: dict[str, object] = {"pairs": len(pairs), "started_from": "shipped"}
        return Monolingual(Trained(weights, start.thresholds), about)

    def load(self, folder: Path | None) -> Monolingual:
        """Read a saved aligner; without a folder the package's own."""
        return Monolingual(load_shipped() if folder is None else load(folder))


family = Family()

__all__ = ["Family", "Monolingual", "family"]
