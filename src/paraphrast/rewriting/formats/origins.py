"""Trace the characters of a rewrite to those of its source, by word alignment.

Each word of the rewrite stands for the word that it is linked to. Words without a link
stand for those without a link in the same place; where there are none they go with
their left neighbour, but make no link and no code longer. What is kept letter for
letter stands for itself.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from paraphrast import registry
from paraphrast.text.exact import Tokens, tokenise_exactly
from paraphrast.text.spans import Span

Words: TypeAlias = tuple[str, ...]
# From pairs of sentences in words to links with a source, a target and a probability.
Align: TypeAlias = Callable[[Sequence[tuple[Words, Words]]], list[tuple[Any, ...]]]

MOST_WORDS = 400  # in a passage that is aligned
_NONE = -1


def load_aligner() -> Align:
    """Return our own aligner; of several links to a word the likeliest counts."""
    aligner = registry.find("aligners", "monolingual").load(None)
    align: Align = aligner.preferring("recall")
    return align


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text that changed, with what is known of its source.

    ``kept`` and ``links`` are spans of the source.
    """

    source: str
    target: str
    formats: Sequence[int]
    kept: Sequence[Span] = ()
    links: Sequence[Span] = ()


def is_long(text: str) -> bool:
    """Say whether a text has more words than are aligned."""
    return len(text.split()) > MOST_WORDS


def trace_all(passages: Sequence[Passage], align: Align) -> list[list[int]]:
    """Return for each passage the source characters that its new ones stand for."""
    pairs = [(tokenise_exactly(p.source), tokenise_exactly(p.target)) for p in passages]
    linked = align([(source.words, target.words) for source, target in pairs])
    return [
        _trace(passage, *pair, _choose_words(passage, *pair, links))
        for passage, pair, links in zip(passages, pairs, linked, strict=True)
    ]


def find_kept(source: str, target: str, kept: Sequence[Span]) -> Iterator[int]:
    """Yield where the kept spans of a source stand in a target, in order."""
    position = 0
    for span in kept:
        text = source[span.start : span.end]
        position = target.find(text, position)
        if position < 0:
            return
        yield position
        position += len(text)


def _choose_words(
    passage: Passage, source: Tokens, target: Tokens, links: Sequence[Any]
) -> list[int]:
    """Return for each target word the source word that it stands for, or `_NONE`."""
    chosen = choose_origins(source.words, target.words, links)
    _save_formats(passage, source, target.words, chosen)
    return chosen


def choose_origins(source: Words, target: Words, links: Sequence[Any]) -> list[int]:
    """Return the source word of each target word by links and gaps, -1 for none."""
    chosen = [_NONE] * len(target)
    for link in sorted(links, key=lambda link: link.probability):
        chosen[link.target] = link.source
    free = set(range(len(source))) - {link.source for link in links}
    _link_same_words(source, target, chosen, free)
    _fill_gaps(chosen, free, len(source))
    return chosen


def _link_same_words(
    source: Words, target: Words, chosen: list[int], free: set[int]
) -> None:
    """Link words that the aligner left and that are the same."""
    for index, word in enumerate(target):
        if chosen[index] == _NONE:
            same = [i for i in free if source[i].lower() == word.lower()]
            if same:
                chosen[index] = min(same, key=lambda i: (abs(i - index), i))
                free.discard(chosen[index])


def _fill_gaps(chosen: list[int], free: set[int], length: int) -> None:
    """Link words to the free ones that stand between the same neighbours."""
    start = 0
    for is_free, group in groupby(list(chosen), key=lambda word: word == _NONE):
        size = len(list(group))
        end = start + size
        if is_free:
            left = chosen[start - 1] if start else -1
            right = chosen[end] if end < len(chosen) else length
            between = [i for i in range(left + 1, right) if i in free]
            for number in range(size if between else 0):
                chosen[start + number] = between[number * len(between) // size]
        start = end


def _save_formats(
    passage: Passage, source: Tokens, target: Words, chosen: list[int]
) -> None:
    """Link the same word to one whose format would be lost, if it can spare its own.

    Of a word that is repeated an aligner may leave some out.
    """
    formats = [passage.formats[start] for start, _ in source.spans]
    words = [word.lower() for word in source.words]
    counts = Counter(formats[word] for word in chosen if word != _NONE)
    for index, word in enumerate(words):
        if counts[formats[index]]:
            continue
        spare = [
            position
            for position, other in enumerate(target)
            if other.lower() == word
            and (chosen[position] == _NONE or counts[formats[chosen[position]]] > 1)
        ]
        if spare:
            position = min(
                spare, key=lambda position: (abs(position - index), position)
            )
            if chosen[position] != _NONE:
                counts[formats[chosen[position]]] -= 1
            chosen[position] = index
            counts[formats[index]] += 1


def _trace(
    passage: Passage, source: Tokens, target: Tokens, words: Sequence[int]
) -> list[int]:
    origins = [_NONE] * len(passage.target)
    for (start, end), word in zip(target.spans, words, strict=True):
        if word != _NONE:
            first, last = source.spans[word]
            for index in range(start, end):
                origins[index] = min(first + index - start, last - 1)
            origins[end - 1] = last - 1
    places = find_kept(passage.source, passage.target, passage.kept)
    for span, position in zip(passage.kept, places, strict=False):
        for offset in range(span.end - span.start):
            origins[position + offset] = span.start + offset
    plain = _find_plain(passage)
    _fill_words(passage, target, origins, plain)
    _fill_spaces(passage, origins, plain)
    return origins


def _fill_words(
    passage: Passage, target: Tokens, origins: list[int], plain: int
) -> None:
    """Give words that stand for nothing the origin of a neighbour."""
    left = _NONE
    for start, end in target.spans:
        if origins[start] == _NONE:
            origin = left
            if origin == _NONE or _is_closed(passage, origin):
                right = next((o for o in origins[end:] if o != _NONE), _NONE)
                if origin == _NONE or not _share_format(passage, origin, right):
                    origin = plain
            for index in range(start, end):
                origins[index] = origin if origins[index] == _NONE else origins[index]
        left = origins[end - 1]


def _fill_spaces(passage: Passage, origins: list[int], plain: int) -> None:
    """Give what stands between words an origin: a space of the source if it fits."""
    for index, origin in enumerate(origins):
        if origin != _NONE:
            continue
        left = origins[index - 1] if index else _NONE
        right = next((o for o in origins[index:] if o != _NONE), _NONE)
        origins[index] = _choose_space(passage, left, right, plain)


def _choose_space(passage: Passage, left: int, right: int, plain: int) -> int:
    """Return the origin of a space between two words, by the origins of these.

    Between neighbours of the source it is the space that stood between them, and
    between other words of different formats as plain as either.
    """
    if _NONE not in (left, right) and passage.source[left + 1 : right].isspace():
        return left + 1
    around = [origin for origin in (left, right) if origin != _NONE]
    if not around:
        return plain
    formats = {passage.formats[origin] for origin in around}
    if len(formats) > 1:
        formats.add(passage.formats[plain])
    spaces = [
        space
        for space in (left + 1, right - 1)
        if 0 <= space < len(passage.source)
        and passage.source[space].isspace()
        and passage.formats[space] in formats
    ]

    def is_marked(origin: int) -> tuple[bool, bool]:
        other = passage.formats[origin] != passage.formats[plain]
        return other, _is_closed(passage, origin)

    return min((*spaces, *around), key=is_marked)


def _is_closed(passage: Passage, origin: int) -> bool:
    """Say whether a character is in a link or in what is kept."""
    spans = (*passage.links, *passage.kept)
    return any(span.start <= origin < span.end for span in spans)


def _share_format(passage: Passage, left: int, right: int) -> bool:
    return right != _NONE and passage.formats[left] == passage.formats[right]


def _find_plain(passage: Passage) -> int:
    """Return a character of the commonest format, outside of links and the like."""
    indices = range(len(passage.source))
    free = [i for i in indices if not _is_closed(passage, i)] or list(indices)
    if not free:
        return 0
    formats = [passage.formats[i] for i in free]
    common = max(dict.fromkeys(formats), key=formats.count)
    return free[formats.index(common)]
