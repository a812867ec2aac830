"""How candidates are searched for: the attempts, in their order, as data.

The first attempt decodes as the pack says. The others are for texts that it left
without a rewrite: a wider beam search, then other ways to hide what must stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import regex

from paraphrast.neural.candidates.guards.form import is_repetitive
from paraphrast.neural.models.generation import Candidate, Decoding
from paraphrast.neural.models.pack import Step
from paraphrast.text.overlap import unigram_overlap, words

# A wider search has so many candidates, at most so much longer than the source: what
# goes on in a loop is no use.
WIDE, WIDE_RATIO, WIDE_PATIENCE = 6, 1.5, 2.0
MARGIN = 0.7  # log-probability per token below the likeliest of a wider search
SMALL_MARGIN = 0.15  # the same, below a candidate that changes nothing
MOST_WORDS_AGAIN = 40  # of a text that is tried again
LEAST_SHARED = 0.15  # F1 of words between a wider search's candidate and the source

# Which texts an attempt is for: by what came of the attempts before it.
When: TypeAlias = Literal["untried", "unchanged", "rejected"]
# What is hidden from the model: protected spans if the pack learned to copy
# placeholders, names as well, or protected spans if the pack did not learn it.
Hide: TypeAlias = Literal["as trained", "names", "otherwise"]

_PLACEHOLDER = regex.compile(r"zqx+\d+q")  # of paraphrast.text.masking


@dataclass(frozen=True, slots=True)
class Attempt:
    """One search; with a ``margin`` it is a wide beam, cut off at so much less."""

    name: str
    when: When
    hide: Hide = "as trained"
    margin: float | None = None


ATTEMPTS = (
    Attempt("default", "untried"),
    Attempt("about as likely", "unchanged", margin=SMALL_MARGIN),
    Attempt("wider", "rejected", margin=MARGIN),
    Attempt("names hidden", "rejected", hide="names"),
    Attempt("hidden otherwise", "rejected", hide="otherwise"),
)
WIDER = ATTEMPTS[2]


@dataclass(frozen=True)
class Searcher:
    """Asks one model, and never twice for the same text in the same way.

    ``sample`` adds candidates to the first search, to choose from.
    """

    step: Step
    decoding: Decoding
    sample: Decoding | None
    seed: int
    _known: dict[tuple[bool, str], list[Candidate]] = field(default_factory=dict)

    def find_candidates(
        self, texts: Sequence[str], attempt: Attempt
    ) -> list[list[Candidate]]:
        """Return the candidates of each text, the likeliest first."""
        wide = attempt.margin is not None
        new = [t for t in dict.fromkeys(texts) if (wide, t) not in self._known]
        if new:
            answers = self._search_wide(new) if wide else self._search(new)
            for text, candidates in zip(new, answers, strict=True):
                self._known[wide, text] = candidates
        results = [self._known[wide, text] for text in texts]
        if attempt.margin is None:
            return results
        return [
            [c for c in candidates if _is_sound(c, candidates[0], text, attempt.margin)]
            for text, candidates in zip(texts, results, strict=True)
        ]

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

    def _search_wide(self, texts: Sequence[str]) -> list[list[Candidate]]:
        decoding = replace(
            self.decoding,
            method="beam",
            beam=WIDE,
            candidates=WIDE,
            ratio=min(self.decoding.ratio, WIDE_RATIO),
            patience=WIDE_PATIENCE,
        )
        requests = [self.step.request(text) for text in texts]
        return self.step.engine.candidates(requests, decoding)


def is_worth_retrying(text: str) -> bool:
    """Say whether a text is tried again; what is long or a loop takes long."""
    return len(text.split()) <= MOST_WORDS_AGAIN and not is_repetitive(text)


def _is_sound(
    candidate: Candidate, likeliest: Candidate, read: str, margin: float
) -> bool:
    """Say whether a candidate of a wide search is not only there to fill it."""
    source, text = (
        [word for word in words(side) if not _PLACEHOLDER.match(word)]
        for side in (read, candidate.text)
    )
    near = unigram_overlap(source, text).f1 >= LEAST_SHARED
    return near and candidate.mean >= likeliest.mean - margin
