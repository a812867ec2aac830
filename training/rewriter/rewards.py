"""The reward of a sampled rewrite: style x meaning x fluency, no overused n-grams.

A sample that loses a name or a number, copies its source or is out of all proportion is
worth nothing (`is_acceptable`), and one that changes the negation half. Style and
fluency are the guide's; fluency is also how natural the text is beside real text of the
style (`naturalness`). Meaning is MiniLM's similarity to the source; where a line of the
parallel plays gives a reference, most of it is similarity to that, by MiniLM and by
shared n-grams. A neutral paraphrase is worth more the less it keeps of its source's
style and words. N-grams that a student adds more often than the style does count
against it (`overused_ngrams`). The judge has no part in this.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from paraphrast.language.grammar import count_denials
from paraphrast.neural.models.generation import NEUTRAL
from paraphrast.text.overlap import unigram_overlap, words
from training.rewriter.overused_ngrams import OverusedNgrams
from training.rewriter.rejection_sampling import is_acceptable
from training.styles import STYLES

Row = tuple[str, str, str]  # source, target, style
ORDERS = (1, 2, 3)
BY_SOURCE, BY_REFERENCE, BY_WORDS = 0.2, 0.4, 0.4  # where there is a reference
DENIED = 0.5  # factor if only one of rewrite and source has a negation
FIGURES = ("worth", "style", "meaning", "fluency", "natural", "overused")


class Reader(Protocol):
    """A model that scores style and fluency (training.guide.model)."""

    def read(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return probabilities by text: style (texts, 11), plays, fluency (texts,)."""
        ...

    def forget(self) -> None:
        """Forget the texts read so far."""
        ...


class Near(Protocol):
    """A model of similarity in meaning (similarity.py)."""

    def cosines(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return for each text its similarity to its source."""
        ...


class Plain(Protocol):
    """A model of how natural a text is in its style (naturalness.py)."""

    def score(
        self, texts: Sequence[str], styles: Sequence[str], sources: Sequence[str],
        origins: Sequence[str],
    ) -> Any:  # fmt: skip
        """Return for each text a score from 0 to 1."""
        ...


@dataclass(frozen=True)
class Asked:
    """A text, its style, the target style, and a reference if any."""

    source: str
    origin: str
    style: str
    reference: str = ""


@dataclass(frozen=True)
class Looks:
    """The properties of a rewrite that need no model."""

    fit: float  # 0 if it cannot be accepted
    near_reference: float
    near_source: float


def looks(asked: Asked, texts: Sequence[str]) -> list[Looks]:
    """Examine the rewrites of one text, each distinct one once."""
    surface_of = {text: _looks(asked, text) for text in dict.fromkeys(texts)}
    return [surface_of[text] for text in texts]


def _looks(asked: Asked, text: str) -> Looks:
    own, source = words(text), words(asked.source)
    reference = words(asked.reference)
    alike = bool(count_denials(text)) == bool(count_denials(asked.source))
    return Looks(
        float(is_acceptable(asked.source, text)) * (1.0 if alike else DENIED),
        shared_ngrams(own, reference) if reference else 0.0,
        unigram_overlap(source, own).f1,
    )


def shared_ngrams(first: Sequence[str], other: Sequence[str]) -> float:
    """Return the mean n-gram F1 of both sides, over the orders that both have."""
    values = []
    for order in ORDERS:
        here, there = (
            Counter(tuple(side[i : i + order]) for i in range(len(side) - order + 1))
            for side in (first, other)
        )
        total = here.total() + there.total()
        if total:
            values.append(2 * (here & there).total() / total)
    return sum(values) / len(values) if values else 0.0


class Rewards:
    """Rates the samples of many texts at once."""

    def __init__(
        self,
        guide: Reader,
        near: Near,
        plain: Plain,
        overused: OverusedNgrams,
        pool: Any,
    ) -> None:
        """Take the models that rate, and the processes that examine texts."""
        self.guide, self.near, self.plain = guide, near, plain
        self.overused, self.pool = overused, pool

    def rate(
        self,
        asked: Sequence[Asked],
        texts: Sequence[Sequence[str]],
        *,
        count_ngrams: bool = True,
    ) -> Any:
        """Return the `FIGURES` of each text, in order: (all texts, 6).

        Without ``count_ngrams`` no n-gram is counted, and none is penalised.
        """
        looking = self.pool.starmap_async(looks, zip(asked, texts, strict=True), 8)
        flat = [text for own in texts for text in own]
        each = [a for a, own in zip(asked, texts, strict=True) for _ in own]
        result = self.guide.read(flat)
        natural = self._natural(each, flat)
        free = self._free(asked, texts) if count_ngrams else np.ones(len(flat))
        seen = [item for own in looking.get() for item in own]
        style = self._style(each, seen, result)
        meaning = self._meaning(each, seen, flat)
        fluency = np.asarray(result["fluency"])
        fit = np.array([item.fit for item in seen])
        self.guide.forget()
        worth = fit * style * meaning * fluency * natural * free
        return np.stack([worth, style, meaning, fluency, natural, free], 1)

    def _natural(self, each: Sequence[Asked], texts: Sequence[str]) -> Any:
        return self.plain.score(
            texts,
            [item.style for item in each],
            [item.source for item in each],
            [item.origin for item in each],
        )

    def _free(self, asked: Sequence[Asked], texts: Sequence[Sequence[str]]) -> Any:
        result = self.overused.rate(
            [item.style for item in asked],
            [f"{item.source}\n{item.reference}" for item in asked],
            texts,
        )
        return np.array([value for own in result for value in own])

    def _style(self, each: Sequence[Asked], seen: Sequence[Looks], result: Any) -> Any:
        index = {style: number for number, style in enumerate(STYLES)}
        rows = np.arange(len(each))
        wanted = [index.get(item.style, 0) for item in each]
        own = np.asarray(result["style"])
        chance, plays = own[rows, wanted], np.asarray(result["plays"])
        for style, sided in (("shakespeare", plays), ("modern", 1 - plays)):
            of_plays = np.array([item.style == style for item in each])
            chance = np.where(of_plays, (chance + sided) / 2, chance)
        neutral = np.array([item.style == NEUTRAL for item in each])
        left = own[rows, [index[item.origin] for item in each]]
        new = np.array([min(1.0, 2 * (1 - item.near_source)) for item in seen])
        return np.where(neutral, (1 - left / 2) * new, chance)

    def _meaning(
        self, each: Sequence[Asked], seen: Sequence[Looks], texts: Sequence[str]
    ) -> Any:
        sources = [item.source for item in each]
        near = np.array(self.near.cosines(sources, texts))
        if any(item.reference for item in each):
            wanted = [item.reference or item.source for item in each]
            to_reference = np.array(self.near.cosines(wanted, texts))
            shared = np.array([item.near_reference for item in seen])
            mixed = BY_SOURCE * near + BY_REFERENCE * to_reference + BY_WORDS * shared
            near = np.where([bool(item.reference) for item in each], mixed, near)
        return near.clip(0, 1)


def advantages(worth: Any, each: int) -> Any:
    """Return the advantage of each sample over the others of its text.

    In standard deviations of the samples of its text; zero if all are equal.
    """
    groups = np.asarray(worth, np.float64).reshape(-1, each)
    spread = groups.std(1, keepdims=True)
    off = groups - groups.mean(1, keepdims=True)
    result = np.divide(off, spread, out=np.zeros_like(off), where=spread > 1e-4)
    return result.reshape(-1).astype(np.float32)
