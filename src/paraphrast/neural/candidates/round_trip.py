"""Does a rewrite still say what its source says? The model's own way back tells.

A model that also writes plain paraphrases can be asked how likely it finds the source
as a paraphrase of its own rewrite. What got lost or was made up on the way cannot be
found again, and makes the source unlikely. Reading takes a fraction of the time that
writing does, and rewrites that share most words with their source are not asked about.
It is the pack's own model: no evaluator takes part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.prompts import NEUTRAL, Request
from paraphrast.text.overlap import unigram_overlap, words

NEAR = 0.6  # F1 of words from which a rewrite is not doubted
DOUBTFUL = -2.5  # log-probability a piece of the source below which it is
LOST = -4.0  # and below which it is not shown
WEIGHT = 0.25  # of the way back among several, where the model's own is 0.5


@dataclass(frozen=True)
class WayBack:
    """Goes back from rewrites with a model that writes plainly."""

    engine: Int8Engine
    style: str = NEUTRAL

    def found(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return for each text the log-probability a piece of its source; 0 if near."""
        asked = [
            place
            for place, (source, text) in enumerate(zip(sources, texts, strict=True))
            if unigram_overlap(words(source), words(text)).f1 < NEAR
        ]
        totals = self.engine.score(
            [Request(texts[place], self.style) for place in asked],
            [sources[place] for place in asked],
        )
        means = [0.0] * len(sources)
        for place, total in zip(asked, totals, strict=True):
            pieces = self.engine.prompter.target(sources[place])
            means[place] = total / len(pieces)
        return means
