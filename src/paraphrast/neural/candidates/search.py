"""The search for candidates: the attempts, in their order, as data.

The first attempt uses the pack's decoding. The others are beam searches for texts
without a rewrite, either because nothing was changed or because guards rejected the
candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from paraphrast.neural.models.generation import Candidate, Decoding
from paraphrast.neural.models.pack import Step
from paraphrast.text.overlap import unigram_overlap, words

# A wider search has so many candidates, at most so much longer than the source: what
# goes on in a loop is no use. Three in place of six take half the time and find a fifth
# fewer rewrites (training/LOG.md).
WIDE, WIDE_RATIO, WIDE_PATIENCE = 6, 1.5, 2.0
MARGIN = 0.7  # log-probability per token below the likeliest of a wider search
SMALL_MARGIN = 0.15  # the same, below a candidate that changes nothing
LEAST_SHARED = 0.15  # F1 of words between a wider search's candidate and the source

# What came of the attempts so far.
State: TypeAlias = Literal["untried", "unchanged", "rejected", "done"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One search; with a ``margin`` it is a wide beam, pruned below the best by it."""

    name: str
    when: State
    margin: float | None = None


ATTEMPTS = (
    Attempt("default", "untried"),
    Attempt("about as likely", "unchanged", margin=SMALL_MARGIN),
    Attempt("wider", "rejected", margin=MARGIN),
)


@dataclass(frozen=True)
class Searcher:
    """Searches with one model; ``sample`` adds samples to the first search."""

    step: Step
    decoding: Decoding
    sample: Decoding | None
    seed: int

    def find_candidates(
        self, texts: Sequence[str], attempt: Attempt
    ) -> list[list[Candidate]]:
        """Return the candidates of each text, the most probable first."""
        distinct = list(dict.fromkeys(texts))
        if attempt.margin is None:
            results = self._search(distinct)
        else:
            results = self._search_wide(distinct, attempt.margin)
        answers = dict(zip(distinct, results, strict=True))
        return [answers[text] for text in texts]

    def _search(self, texts: Sequence[str]) -> list[list[Candidate]]:
        requests = [self.step.request(text) for text in texts]
        engine = self.step.engine
        answers = engine.candidates(requests, self.decoding, seed=self.seed)
        if self.sample is None:
            return answers
        # One by one, so that a text's draws do not depend on the texts before it.
        sampled = (
            engine.candidates([request], self.sample, seed=self.seed)[0]
            for request in requests
        )
        return [[*own, *more] for own, more in zip(answers, sampled, strict=True)]

    def _search_wide(
        self, texts: Sequence[str], margin: float
    ) -> list[list[Candidate]]:
        decoding = replace(
            self.decoding,
            method="beam",
            beam=WIDE,
            candidates=WIDE,
            ratio=min(self.decoding.ratio, WIDE_RATIO),
            patience=WIDE_PATIENCE,
        )
        requests = [self.step.request(text) for text in texts]
        results = self.step.engine.candidates(requests, decoding)
        return [
            [c for c in candidates if _is_sound(c, candidates[0], text, margin)]
            for text, candidates in zip(texts, results, strict=True)
        ]


def _is_sound(
    candidate: Candidate, likeliest: Candidate, read: str, margin: float
) -> bool:
    """Say whether a candidate of a wide search is more than filler."""
    near = unigram_overlap(words(read), words(candidate.text)).f1 >= LEAST_SHARED
    return near and candidate.mean >= likeliest.mean - margin
