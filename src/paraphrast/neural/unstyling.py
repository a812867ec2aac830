"""Take the style off texts: the sources from which a new style is to be written.

STRAP learns a style by turning its sentences into neutral ones and learning the way
back. Here a pack does the first half: it writes every text plainly, as it likes best
and in several sampled ways, and in one of its other styles, which take turns, so that
what is learned starts from any of them. A version that has lost a name or number of the
text, or is nearly the text itself, would teach to invent, or to copy, and is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.neural.checks import Checks, objection
from paraphrast.neural.generation import Decoding, Engine
from paraphrast.neural.prompts import NEUTRAL, Request
from paraphrast.text import kept
from paraphrast.text.overlap import unigram_overlap, words

PLAIN = (NEUTRAL, "modern", "formal")  # the first of these that a pack writes
SAMPLING = Decoding("nucleus", candidates=5, top_p=0.95, temperature=1.2)
FREEST = 2  # of the sampled versions that are kept
NEAREST, FURTHEST = 0.85, 0.25  # F1 of words
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
    engine: Engine,
    texts: Sequence[str],
    styles: Sequence[str],
    *,
    start: int = 0,
    seed: int = 1,
) -> list[Pair]:
    """Return pairs for texts: plain versions, likely and sampled, and another style's.

    ``start`` is the number of texts before these; the other styles take turns.
    """
    first = plain_style(styles)
    others = [style for style in styles if style not in PLAIN] or [first]
    plainly = [Request(text, first) for text in texts]
    turned = [
        Request(text, others[place % len(others)])
        for place, text in enumerate(texts, start=start)
    ]
    sampled = engine.candidates(plainly, SAMPLING, seed=seed + start)
    versions = zip(
        texts, _written(engine, plainly), _written(engine, turned), sampled, strict=True
    )
    found = [
        Pair(source, text)
        for text, likely, other, many in versions
        for source in (
            *(version for version in (likely, other) if fits(version, text)),
            *_freest([one.text for one in many], text),
        )
    ]
    return list(dict.fromkeys(found))


def _freest(versions: Sequence[str], text: str) -> list[str]:
    """Return the versions with the fewest of the text's own words."""
    fit = [version for version in dict.fromkeys(versions) if fits(version, text)]
    fit.sort(key=lambda version: unigram_overlap(words(version), words(text)).f1)
    return fit[:FREEST]


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
