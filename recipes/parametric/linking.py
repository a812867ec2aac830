"""Align two sentences by what a paraphrase table knows.

PARAMETRIC §7.1 aligned English sentences through the Chinese that both translate;
without such a source, a table of paraphrases can still say which words may stand for
which. Equal runs of words are linked first, the longest and those nearest to the
diagonal before others, then paraphrases, the likeliest first; no word is used twice.
Words left over on both sides between the same linked words are linked as a whole.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from paraphrast.align.base import AlignedPair, Link, WordPair, Words
from paraphrast.paraphrases.parametric import LONGEST, Paraphraser, Span, spans

from .combination_features import core

_Rank: TypeAlias = tuple[float, float]


def link_by_table(
    pairs: Sequence[AlignedPair],
    paraphrases: Paraphraser,
    *,
    least: float = 0.0,
    longest: int = LONGEST,
) -> list[AlignedPair]:
    """Return the pairs with links by a table instead of their own."""
    return [
        AlignedPair(
            pair.source,
            pair.target,
            link((pair.source, pair.target), paraphrases, least=least, longest=longest),
            pair.name,
        )
        for pair in pairs
    ]


def link(
    pair: WordPair,
    paraphrases: Paraphraser,
    *,
    least: float = 0.0,
    longest: int = LONGEST,
) -> tuple[Link, ...]:
    """Link equal words and paraphrases of at least some probability."""
    free = ([True] * len(pair[0]), [True] * len(pair[1]))
    links: list[Link] = []
    for _, here, there in sorted(_matches(pair, paraphrases, least, longest)):
        if all(free[0][slice(*here)]) and all(free[1][slice(*there)]):
            for side, (start, end) in zip(free, (here, there), strict=True):
                side[start:end] = [False] * (end - start)
            links.extend(_inside(pair, here, there))
    links.extend(_left_over(free, links))
    return tuple(sorted(links))


def _matches(
    pair: WordPair, paraphrases: Paraphraser, least: float, longest: int
) -> Iterator[tuple[_Rank, Span, Span]]:
    """Yield the spans that could be linked; what ranks lower goes first."""
    source, target = pair
    where: dict[Words, list[Span]] = {}
    for low, high in spans(len(target), longest):
        where.setdefault(target[low:high], []).append((low, high))
    for start, end in spans(len(source), longest):
        phrase = source[start:end]
        answers = [(phrase, 1.0 + len(phrase))]
        answers += [
            (other, probability)
            for other, probability in paraphrases(source, start, end)
            if other in where and probability >= least
        ]
        for other, weight in answers:
            for low, high in where.get(other, ()):
                off = abs((start + end) / len(source) - (low + high) / len(target))
                yield (-weight, off), (start, end), (low, high)


def _left_over(
    free: tuple[list[bool], list[bool]], links: Sequence[Link]
) -> Iterator[Link]:
    """Yield links between runs of free words whose neighbours are linked."""
    cells = {(result.source, result.target) for result in links}
    cells |= {(-1, -1), (len(free[0]), len(free[1]))}
    for start, end in _runs(free[0]):
        for low, high in _runs(free[1]):
            if (start - 1, low - 1) in cells and (end, high) in cells:
                for i in range(start, end):
                    yield from (Link(i, j) for j in range(low, high))


def _runs(free: Sequence[bool]) -> list[Span]:
    edges = [False, *free, False]
    changes = [
        index for index in range(len(free) + 1) if edges[index] != edges[index + 1]
    ]
    return list(zip(changes[::2], changes[1::2], strict=True))


def _inside(pair: WordPair, here: Span, there: Span) -> Iterator[Link]:
    """Yield the links of two spans: equal ends word by word, and all of the core."""
    phrase, other = pair[0][slice(*here)], pair[1][slice(*there)]
    kept, changed = core(phrase, other)
    start = next(
        (
            number
            for number, (own, theirs) in enumerate(zip(phrase, other, strict=False))
            if own != theirs
        ),
        min(len(phrase), len(other)),
    )
    start = min(start, len(phrase) - len(kept))
    for step in range(start):
        yield Link(here[0] + step, there[0] + step)
    for i in range(len(kept)):
        for j in range(len(changed)):
            yield Link(here[0] + start + i, there[0] + start + j)
    for step in range(len(phrase) - len(kept) - start):
        yield Link(here[1] - 1 - step, there[1] - 1 - step)
