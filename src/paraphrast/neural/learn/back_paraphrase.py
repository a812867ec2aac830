"""Remove the style of texts: the sources for training a new style.

STRAP learns a style by paraphrasing its sentences into neutral ones and learning the
inverse. Here a pack does the first half: it writes every text plainly, in each of its
plain styles and once more by sampling, and in one of its other styles in turn, so that
rewriting can start from any of them. A version that has lost a name or number of the
text, or is nearly identical to it, would teach the model to invent or to copy, and is
left out. Of the others, those are kept that differ in words and have a high round-trip
score: the rest would teach the model to change the meaning.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.corpora.filtering.preservation import find_lost
from paraphrast.neural.candidates.guards import Checks, basic_guards, find_rejection
from paraphrast.neural.models.generation import NEUTRAL, Decoding, Engine, Request
from paraphrast.text.overlap import unigram_overlap, words

PLAIN = ("plain", NEUTRAL, "formal")  # the first of these that a pack writes
SAMPLING = Decoding("nucleus", candidates=2, top_p=0.95)
KEPT = 3  # versions of a text
NEAREST, FURTHEST = 0.85, 0.25  # F1 of words
SHORTEST, LONGEST = 0.5, 2.0  # times the text's words
_GUARDS = basic_guards(Checks(names=False, numbers=False))


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and a version of it that serves as the source."""

    source: str
    target: str


def plain_style(styles: Sequence[str]) -> str:
    """Return the plainest of a pack's styles."""
    return next((style for style in PLAIN if style in styles), styles[0])


def plain(engine: Engine, texts: Sequence[str], style: str) -> list[str]:
    """Return the pack's plain version of every text."""
    return _generate(engine, [Request(text, style) for text in texts])


def pairs(
    engine: Engine,
    texts: Sequence[str],
    styles: Sequence[str],
    *,
    start: int = 0,
    seed: int = 1,
) -> list[Pair]:
    """Return pairs for texts, with their best versions as sources.

    ``start`` is the number of texts before these; the other styles are used in turn.
    """
    first = plain_style(styles)
    others = [style for style in styles if style not in PLAIN] or [first]
    versions: list[list[str]] = [[] for _ in texts]
    for style in (*(style for style in PLAIN if style in styles), ""):
        requests = [
            Request(text, style or others[index % len(others)])
            for index, text in enumerate(texts, start=start)
        ]
        for texts_of_version, version in zip(
            versions, _generate(engine, requests), strict=True
        ):
            texts_of_version.append(version)
    plainly = [Request(text, first) for text in texts]
    sampled = engine.candidates(plainly, SAMPLING, seed=seed + start)
    for texts_of_version, many in zip(versions, sampled, strict=True):
        texts_of_version += (candidate.text for candidate in many)
    every = [
        Pair(version, text)
        for text, texts_of_version in zip(texts, versions, strict=True)
        for version in dict.fromkeys(texts_of_version)
        if fits(version, text)
    ]
    return _best(every, _worth(engine, every, first))


def _worth(engine: Engine, pairs: Sequence[Pair], plain: str) -> list[float]:
    """Return for each pair its round-trip score times its distance."""
    requests = [Request(pair.source, plain) for pair in pairs]
    totals = engine.score(requests, [pair.target for pair in pairs])
    return [
        math.exp(total / (len(pair.target.split()) + 1)) * (1.0 - _alike(pair))
        for pair, total in zip(pairs, totals, strict=True)
    ]


def _best(pairs: Sequence[Pair], worths: Sequence[float]) -> list[Pair]:
    """Return the best pairs for each target, in their order."""
    ranks: dict[str, list[tuple[float, Pair]]] = {}
    for pair, worth in zip(pairs, worths, strict=True):
        ranks.setdefault(pair.target, []).append((worth, pair))
    chosen = {
        pair
        for ranked in ranks.values()
        for _, pair in sorted(ranked, key=lambda row: -row[0])[:KEPT]
    }
    return [pair for pair in dict.fromkeys(pairs) if pair in chosen]


def _alike(pair: Pair) -> float:
    return unigram_overlap(words(pair.source), words(pair.target)).f1


def fits(source: str, target: str) -> bool:
    """Say whether a pair is suitable for training."""
    left, right = words(source), words(target)
    alike = unigram_overlap(left, right).f1
    return (
        FURTHEST <= alike < NEAREST
        and SHORTEST * len(right) <= len(left) <= LONGEST * len(right)
        and not find_lost(target, source)
        and not find_rejection(target, source, _GUARDS)
    )


def _generate(engine: Engine, requests: Sequence[Request]) -> list[str]:
    return [
        candidates[0].text for candidates in engine.candidates(requests, Decoding())
    ]
