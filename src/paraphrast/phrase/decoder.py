"""The decoder: the best sequence of phrases for a sentence, and the next best.

Stack decoding (Koehn et al. 2003) with cube pruning (Huang & Chiang 2007), compiled;
``native/search.h`` says how. Distortion, its limit and the reordering scores are as in
Moses. A word that the table cannot translate alone is copied. Sentences of more than
400 words are searched with smaller stacks, so that none takes more time or memory than
one of 400. No phrase ends more than 64 words after the first untranslated word; in
sentences of more than 64 words without a distortion limit, not more than 12.

Threads share the sentences; the output does not depend on their number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.estimators.language_model import LanguageModel
from paraphrast.phrase import features
from paraphrast.phrase.candidates import Candidates
from paraphrast.phrase.features import Weights
from paraphrast.phrase.table import KIND, PhraseTable

# The option row of a phrase that is not from the table.
COPIED, FORCED, KEPT = -1, -2, -3
LONGEST = 0xFFFE

Sentences: TypeAlias = Sequence[Sequence[str]]
# Of each sentence the spans whose translation is given: (start, end, words).
Spans: TypeAlias = Sequence[Sequence[tuple[int, int, Sequence[str]]]]
Vector: TypeAlias = NDArray[np.float64]


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ParaphrastError(f"{name} must be {least} to {most}, not {value}.")


@dataclass(frozen=True, slots=True)
class Search:
    """Settings of the search.

    Cube pruning makes ``pops`` hypotheses per stack; the best ``stack`` of them are
    kept if their scores are within ``beam`` of the best. ``cube=False`` makes all of
    them and keeps ``stack``. A source phrase has at most ``options`` (0: all). No jump
    is longer than ``distortion`` (0: monotone, -1: any). With ``copy`` every word may
    also be copied, with ``copy``, a natural logarithm, as each table score.
    """

    pops: int = 1000
    stack: int = 1000
    beam: float = inf
    options: int = 20
    distortion: int = 6
    cube: bool = True
    copy: float | None = None

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        for name, least in (("pops", 1), ("stack", 1), ("options", 0)):
            _check(name, getattr(self, name), least, 10**9)
        _check("distortion", self.distortion, -1, 10**6)
        if not self.beam >= 0:
            raise ParaphrastError(f"beam must not be negative, but is {self.beam}.")
        if self.copy is not None and not -1e3 <= self.copy <= 0:
            raise ParaphrastError(f"copy must be -1000 to 0, not {self.copy}.")


FULL = Search()
# Few hypotheses that go on get more of the pops each: 30 find better scores than 100.
FAST = Search(pops=100, stack=30)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A source span and its target span.

    ``option`` is a row of the table, or `COPIED`, `FORCED` or `KEPT`.
    """

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    option: int


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A translation: its words, their origins, and its features.

    ``features`` are in the order of `Decoder.features`; ``score`` is their sum by the
    weights. ``links`` are (source index, target index).
    """

    words: tuple[str, ...]
    score: float
    features: Vector
    phrases: tuple[Phrase, ...]
    links: tuple[tuple[int, int], ...]


class Decoder:
    """A table, language models and weights, ready to decode."""

    def __init__(
        self,
        table: PhraseTable,
        models: Mapping[str, LanguageModel],
        weights: Weights | None = None,
        search: Search = FULL,
    ) -> None:
        """Check the table; ``models`` are by the name that their feature bears."""
        try:
            native = _native.PhraseTable(table.arrays())
        except ValueError as error:
            raise ParaphrastError(
                f"the phrase table is damaged: {error}. {KIND.again}"
            ) from error
        self._native = _native.Decoder(native, [m.native for m in models.values()])
        self.table = table
        self.features = features.names(
            list(models), table.names, reordering=table.has_reordering
        )
        self.weights = (weights or Weights({})).vector(self.features)
        self.search = search
        self._target = table.target.all()

    def decode(
        self, sentences: Sentences, *, forced: Spans = (), threads: int = 1
    ) -> list[Hypothesis]:
        """Return the best translation of each sentence."""
        lists = self.alternatives(sentences, 1, forced=forced, threads=threads)
        return [hypotheses[0] for hypotheses in lists]

    def alternatives(
        self,
        sentences: Sentences,
        number: int,
        *,
        distinct: bool = True,
        forced: Spans = (),
        threads: int = 1,
    ) -> list[list[Hypothesis]]:
        """Return the best translations of each sentence, at most so many.

        With ``distinct`` no two have the same words.
        """
        result = self._decode(
            sentences,
            self.weights,
            alternatives=number,
            distinct=distinct,
            forced=forced,
            threads=threads,
        )
        hypotheses = self._hypotheses(result)
        starts = result["starts"].tolist()
        return [
            hypotheses[start:end]
            for start, end in zip(starts, starts[1:], strict=False)
        ]

    def candidates(
        self,
        sentences: Sentences,
        weights: Vector,
        number: int = 100,
        *,
        threads: int = 1,
    ) -> Candidates:
        """Return the best distinct translations by other weights, to tune on."""
        result = self._decode(
            sentences,
            weights,
            alternatives=number,
            distinct=True,
            forced=(),
            threads=threads,
        )
        return Candidates(
            starts=result["starts"].astype(np.int64),
            features=result["features"],
            word_starts=result["word_starts"].astype(np.int64),
            words=result["words"],
            vocabulary=[*self._target, *result["extra"]],
        )

    def _decode(
        self,
        sentences: Sentences,
        weights: Vector,
        *,
        alternatives: int,
        distinct: bool,
        forced: Spans,
        threads: int,
    ) -> dict[str, Any]:
        _check("the number of alternatives", alternatives, 1, 100_000)
        _check("the number of threads", threads, 1, 1024)
        if len(weights) != len(self.features) or not (abs(weights) <= 1e6).all():
            raise ParaphrastError(
                f"weights must be {len(self.features)} numbers of at most a million."
            )
        _check_sentences(sentences, forced)
        try:
            return self._native.decode(
                [list(words) for words in sentences],
                [float(weight) for weight in weights],
                forced=[[(a, b, list(words)) for a, b, words in s] for s in forced],
                **asdict(self.search),
                alternatives=alternatives,
                distinct=distinct,
                threads=threads,
            )
        except ValueError as error:
            raise ParaphrastError(f"cannot decode: {error}.") from error

    def _hypotheses(self, output: Mapping[str, Any]) -> list[Hypothesis]:
        vocabulary = (
            [*self._target, *output["extra"]] if output["extra"] else self._target
        )
        words = [vocabulary[number] for number in output["words"].tolist()]
        phrases = [Phrase(*row) for row in output["phrases"].tolist()]
        links = [(i, j) for i, j in output["links"].tolist()]
        parts = ("word_starts", "phrase_starts", "link_starts")
        w, p, k = (output[name].tolist() for name in parts)
        return [
            Hypothesis(
                tuple(words[w[i] : w[i + 1]]),
                score,
                output["features"][i],
                tuple(phrases[p[i] : p[i + 1]]),
                tuple(links[k[i] : k[i + 1]]),
            )
            for i, score in enumerate(output["scores"].tolist())
        ]


def _check_sentences(sentences: Sentences, forced: Spans) -> None:
    if forced and len(forced) != len(sentences):
        raise ParaphrastError(
            f"there are {len(forced)} lists of spans for {len(sentences)} sentences."
        )
    for number, words in enumerate(sentences, start=1):
        if len(words) > LONGEST:
            raise ParaphrastError(
                f"sentence {number} has {len(words)} words, but the decoder takes at "
                f"most {LONGEST}. Split it."
            )
    for number, (words, spans) in enumerate(
        zip(sentences, forced, strict=False), start=1
    ):
        position = 0
        for start, end, _ in spans:
            if not position <= start < end <= len(words):
                raise ParaphrastError(
                    f"sentence {number}: the forced span {start}:{end} overlaps "
                    f"another, is empty or lies outside its {len(words)} words."
                )
            position = end
