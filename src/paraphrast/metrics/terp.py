"""TERp (Snover et al. 2009): TER with stems, synonyms and paraphrases.

An output that expresses the reference's meaning in other words is not wrong. TERp is
TER (`ter`) with more kinds of edits, each at its own cost: a word for another with the
same stem, a word for its synonym, a phrase for its paraphrase; and a block may move to
such a match. Synonyms and paraphrases come from a table built by ``paraphrast
paraphrases`` (its single words are the synonyms): ``terp:table=FILE.tsv``.

A paraphrase costs ``fixed + edits · (log · log10 p + linear · p + edit)``, at least 0,
where p is its probability and edits is the cost of the two phrases without it (the
paper's equation). `tune_costs` fits costs to human judgments. Without stems and table,
with ``shifts="exact"`` and all costs 1, TERp is TER.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from paraphrast.errors import ParaphrastError
from paraphrast.language.stemming import stem
from paraphrast.language.words import FUNCTION
from paraphrast.metrics import terp_table
from paraphrast.metrics.base import Matrix, Segment, rows
from paraphrast.metrics.correlation import pearson
from paraphrast.metrics.ter import EditRate, open_ter, refuse_books
from paraphrast.metrics.terp_edits import Costs, Likeness, Words, edits
from paraphrast.metrics.terp_table import PhraseTable

COSTS = ("insert", "delete", "replace", "move", "stem", "log", "edit")
_STEPS = (0.5, 0.8, 1.25, 2.0)


class TableFile(str):
    """The path of a table, identified in signatures by its contents."""

    __slots__ = ()

    @property
    def signature(self) -> str:
        """Return the table's signature; none for no table."""
        return self.table.signature if self else "none"

    @property
    def table(self) -> PhraseTable:
        """Return the table; the empty one for no path."""
        return terp_table.read(Path(self)) if self else terp_table.EMPTY


@dataclass(frozen=True)
class Terp(EditRate):
    """Edits to the nearest reference per 100 words; stems and paraphrases cost less."""

    name: ClassVar[str] = "terp"

    table: str = ""
    stems: bool = True
    shifts: Literal["relaxed", "exact"] = "relaxed"
    insert: float = 1.0
    delete: float = 1.0
    replace: float = 1.0
    move: float = 1.0
    stem: float = 0.25
    fixed: float = 0.0
    log: float = -0.1
    linear: float = 0.0
    edit: float = 0.25
    normalise: bool = False
    punctuation: bool = True
    lowercase: bool = True

    def __post_init__(self) -> None:
        """Refuse negative costs; identify the table by its contents."""
        for name in ("insert", "delete", "replace", "move", "stem", "edit"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(
                    f"{name} must be 0 or more, not {getattr(self, name)}."
                )
        object.__setattr__(self, "table", TableFile(self.table))

    def statistics(self, segments: Sequence[Segment]) -> Matrix:
        """Return the cost of the edits and the references' mean length."""
        result = []
        for number, segment in enumerate(segments, start=1):
            refuse_books("terp", number, segment)
            output = self._words(segment.output)
            references = [self._words(text) for text in segment.references]
            prices = [self.price(output, reference) for reference in references]
            length = sum(map(len, references)) / len(references)
            result.append((min(prices), length))
        return np.array(result, dtype=np.float64)

    def price(self, output: Words, reference: Words) -> float:
        """Return the cost of turning words into a reference's words."""
        return edits(output, reference, self._costs, self._likeness(output, reference))

    @property
    def paraphrases(self) -> PhraseTable:
        """Return the table in use."""
        return TableFile(self.table).table

    @cached_property
    def _costs(self) -> Costs:
        return Costs(self.insert, self.delete, self.replace, self.move)

    def _likeness(self, output: Words, reference: Words) -> Likeness:
        phrases: dict[Words, dict[Words, float]] = {}
        table = self.paraphrases
        for phrase, other, p in table.find_paraphrases(output, reference):
            phrases.setdefault(phrase, {})[other] = self._paraphrase(phrase, other, p)

        def words(word: str, other: str) -> float | None:
            prices = [
                price
                for price in (
                    phrases.get((word,), {}).get((other,)),
                    self.stem if self.stems and stem(word) == stem(other) else None,
                )
                if price is not None
            ]
            return min(prices, default=None)

        if self.shifts == "relaxed":
            return Likeness(words, phrases, _has_content)
        return Likeness(words, phrases)

    def _paraphrase(self, phrase: Words, other: Words, probability: float) -> float:
        plain = edits(phrase, other, self._costs, Likeness())
        weight = self.log * math.log10(probability) + self.linear * probability
        return min(plain, max(0.0, self.fixed + plain * (weight + self.edit)))

    def _words(self, text: str) -> Words:
        return tuple(self._tokenizer._preprocess_segment(text).split())

    @cached_property
    def _tokenizer(self) -> Any:
        return open_ter(self)


def tune_costs(
    metric: Terp,
    segments: Sequence[Segment],
    judgments: Sequence[float],
    *,
    costs: Sequence[str] = COSTS,
    rounds: int = 3,
) -> Terp:
    """Fit costs to human judgments (higher is better); evaluate on other text.

    Coordinate search: one cost at a time is changed as long as that raises the linear
    correlation of the sentences' rates with the judgments.
    """
    if len(segments) != len(judgments):
        raise ParaphrastError(
            f"{len(segments)} segments but {len(judgments)} judgments. "
            "Give one judgment per segment."
        )
    best, result = metric, _agreement(metric, segments, judgments)
    for _ in range(rounds):
        start = result
        for name in costs:
            for step in _STEPS:
                changed = replace(best, **{name: getattr(best, name) * step})
                agreement = _agreement(changed, segments, judgments)
                if agreement > result:
                    best, result = changed, agreement
        if result == start:
            break
    return best


def _agreement(
    metric: Terp, segments: Sequence[Segment], judgments: Sequence[float]
) -> float:
    return -pearson(metric.each(rows(metric, segments)), list(judgments))


def _has_content(words: Words) -> bool:
    return any(word[0].isalnum() and word not in FUNCTION for word in words)
