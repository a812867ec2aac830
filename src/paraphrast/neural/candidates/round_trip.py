"""The round-trip score: can the source be found again from its rewrite?

A model that also writes plain paraphrases can be asked how likely it finds the source
as a paraphrase of its own rewrite. What got lost or was made up on the way cannot be
found again, and makes the source unlikely. Scoring takes a fraction of the time that
writing does, and rewrites that share most words with their source are not asked about.
It is the pack's own model: no evaluator takes part.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from paraphrast.neural.candidates.parts import Answer
from paraphrast.neural.candidates.search import is_worth_retrying
from paraphrast.neural.models.ctranslate2_engine import Int8Engine
from paraphrast.neural.models.prompts import NEUTRAL, Request
from paraphrast.text.overlap import unigram_overlap, words

GUARD = "round-trip"
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
    guards = answer.guards if len(kept) == len(rated) else (*answer.guards, GUARD)
    if not kept:
        return Answer("done", steps=answer.steps, why=CHANGED, guards=guards)
    kept.sort(key=lambda pair: -pair[0])
    choices = tuple(choice for _, choice in kept)
    return replace(answer, choices=choices, guards=guards)
