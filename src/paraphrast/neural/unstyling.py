"""Take the style off texts: the sources from which a new style is to be written.

STRAP learns a style by turning its sentences into neutral ones and learning the way
back. Here a pack does the first half: it writes every text plainly, and in some of its
other styles as well, in turn, so that what is learned starts from any of them. A
version that has lost a name or number of the text, or is nearly the text itself, would
teach to invent, or to copy, and is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.neural.checks import Checks, objection
from paraphrast.neural.generation import Decoding, Engine
from paraphrast.neural.prompts import NEUTRAL, Request
from paraphrast.text import kept
from paraphrast.text.overlap import unigram_overlap, words

PLAIN = (NEUTRAL, "modern", "formal")  # the first of these that a pack writes
OTHERS = 2  # further versions of each text
NEAREST, FURTHEST = 0.9, 0.1  # F1 of words
SHORTEST, LONGEST = 0.5, 2.0  # times the text's words
_CHECKS = Checks(names=False, numbers=False)


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and a version of it from which it is to be written again."""

    source: str
    target: str


def plain_style(styles: Sequence[str]) -> str:
    """Return the plainest of a pack's styles."""
    return next((style for style in PLAIN if style in styles), styles[0])


def plain(engine: Engine, texts: Sequence[str], style: str) -> list[str]:
    """Return every text as the pack writes it in a plain style."""
    return _written(engine, [Request(text, style) for text in texts])


def pairs(
    engine: Engine, texts: Sequence[str], styles: Sequence[str], *, start: int = 0
) -> list[Pair]:
    """Return pairs for texts, the plain versions and some others of those that fit.

    ``start`` is the number of texts before these; the styles take turns from there.
    """
    first = plain_style(styles)
    others = [style for style in styles if style not in PLAIN]
    requests = []
    for place, text in enumerate(texts, start=start):
        turns = min(OTHERS, len(others))
        chosen = [others[(place + turn) % len(others)] for turn in range(turns)]
        requests += [Request(text, style) for style in (first, *chosen)]
    found = [
        Pair(source, request.text)
        for request, source in zip(requests, _written(engine, requests), strict=True)
        if fits(source, request.text)
    ]
    return list(dict.fromkeys(found))


def fits(source: str, target: str) -> bool:
    """Say whether a target can be learned from its source."""
    left, right = words(source), words(target)
    alike = unigram_overlap(left, right).f1
    return (
        FURTHEST <= alike < NEAREST
        and SHORTEST * len(right) <= len(left) <= LONGEST * len(right)
        and not kept.lost(target, source)
        and not objection(target, source, _CHECKS)
    )


def _written(engine: Engine, requests: Sequence[Request]) -> list[str]:
    return [found[0].text for found in engine.candidates(requests, Decoding())]
