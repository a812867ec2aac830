"""How candidates are searched for: the attempts, in their order, as data.

The first attempt decodes as the pack says. The others are for texts that it left
without a rewrite: a wider beam search, then other ways to hide what must stay.

At the end stands the round trip: a model that also writes plain paraphrases is asked
how likely it finds the source as a paraphrase of its own rewrite. What got lost or was
made up on the way makes the source unlikely, and the text is searched for again.
Scoring takes a fraction of the time that writing does, and rewrites that share most
words with their source are not asked about. It is the pack's own model: no evaluator
takes part.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import regex

from paraphrast.neural.candidates.guards import is_repetitive
from paraphrast.neural.candidates.surface import Answer
from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.generation import NEUTRAL, Candidate, Decoding, Request
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

_PLACEHOLDER = regex.compile(r"zqx+\d+q")  # of paraphrast.text.protection


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


ROUND_TRIP = "round-trip"
CHANGED = "all candidates changed the meaning"
NEAR = 0.6  # F1 of words from which a rewrite is not doubted
DOUBTFUL = -2.5  # log-probability per token of the source below which it is
LOST = -4.0  # and below which it is not shown
WEIGHT = 0.25  # of the round trip among several, where the model's own is 0.5


@dataclass(frozen=True)
class RoundTrip:
    """Goes back from rewrites with a model that writes plainly."""

    engine: Int8Engine
    style: str = NEUTRAL

    def score(self, sources: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Return the log-probability per token of each text's source; 0 if near."""
        asked = [
            index
            for index, (source, text) in enumerate(zip(sources, texts, strict=True))
            if unigram_overlap(words(source), words(text)).f1 < NEAR
        ]
        totals = self.engine.score(
            [Request(texts[index], self.style) for index in asked],
            [sources[index] for index in asked],
        )
        means = [0.0] * len(sources)
        for index, total in zip(asked, totals, strict=True):
            means[index] = total / len(self.engine.prompter.target(sources[index]))
        return means


def check_round_trips(
    round_trip: RoundTrip,
    sources: Sequence[str],
    answers: Sequence[Answer],
    search: Callable[[list[int]], list[Answer]],
) -> list[Answer]:
    """Search again where the best has lost its source; reject what is far gone.

    ``search`` looks for other candidates of the sources with these indices.
    """
    results = list(answers)
    chosen = [index for index, answer in enumerate(answers) if answer.choices]
    scores = round_trip.score(
        [sources[index] for index in chosen],
        [answers[index].choices[0].text for index in chosen],
    )
    doubted = [
        index
        for index, score in zip(chosen, scores, strict=True)
        if score < DOUBTFUL and is_worth_retrying(sources[index])
    ]
    for index, other in zip(doubted, search(doubted) if doubted else [], strict=True):
        both = (*answers[index].choices, *other.choices)
        distinct = {choice.text: choice for choice in both}
        results[index] = replace(answers[index], choices=tuple(distinct.values()))
    rows = [
        (sources[index], choice.text)
        for index in doubted
        for choice in results[index].choices
    ]
    back = iter(round_trip.score([s for s, _ in rows], [t for _, t in rows]))
    for index in doubted:
        results[index] = _rank(results[index], back)
    return results


def _rank(answer: Answer, scores: Iterator[float]) -> Answer:
    """Order choices by their own and the next round-trip scores; drop the lost."""
    rated = [(choice, next(scores)) for choice in answer.choices]
    kept = [
        (choice.score + WEIGHT * score, choice)
        for choice, score in rated
        if score >= LOST
    ]
    guards = answer.guards if len(kept) == len(rated) else (*answer.guards, ROUND_TRIP)
    if not kept:
        return Answer("done", steps=answer.steps, why=CHANGED, guards=guards)
    kept.sort(key=lambda pair: -pair[0])
    choices = tuple(choice for _, choice in kept)
    return replace(answer, choices=choices, guards=guards)
