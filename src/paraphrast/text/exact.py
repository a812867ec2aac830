"""Tokens that know where they stood, so that the text can be put together again.

`tokenise_exactly` finds the tokens of `paraphrast.text.tokens.tokenise` with their
places. ``restore()`` gives the text back character for character, whatever was in
it. ``restore(tokens)`` writes changed tokens into it: a token that stayed keeps its
letters, and the spacing of the original stays around it; only what is new is spaced
by rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from paraphrast.text.common_subsequence import matching_indices
from paraphrast.text.spacing import spaces_before
from paraphrast.text.tokens import JUNK, tokenise

_NONE = -1


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text; ``spans[i]`` are the offsets of ``words[i]`` in it."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def restore(self, words: Sequence[str] | None = None) -> str:
        """Return the text, with these tokens instead of its own where given.

        Tokens are matched without regard to case. Where a matched one comes in lower
        case, as from a system that knows no other, the text's own letters stay.
        """
        new = self.words if words is None else words
        origins = _origins(self.words, new)
        gaps = self._gaps(new, origins)
        before, after = self.edges()
        parts = [before]
        for word, origin, gap in zip(new, origins, gaps, strict=True):
            parts += (gap, self._surface(word, origin))
        return "".join((*parts, after))

    def pieces(
        self, words: Sequence[str], origins: Sequence[int]
    ) -> list[tuple[str, str]]:
        """Return new tokens as they are to be written, each with the space before it.

        ``origins[i]`` is the place of the text's own token that ``words[i]`` is, or
        -1; unlike in `restore`, a change of case is meant.
        """
        return [
            (gap, self._letters(origin) if self._stays(word, origin) else word)
            for word, origin, gap in zip(
                words, origins, self._gaps(words, origins), strict=True
            )
        ]

    def edges(self) -> tuple[str, str]:
        """Return what stands before the first token and after the last."""
        if not self.spans:
            return self.text, ""
        return self.text[: self.spans[0][0]], self.text[self.spans[-1][1] :]

    def _stays(self, word: str, origin: int) -> bool:
        return origin != _NONE and word == self.words[origin]

    def _letters(self, origin: int) -> str:
        start, end = self.spans[origin]
        return self.text[start:end]

    def _surface(self, word: str, origin: int) -> str:
        if origin == _NONE:
            return word
        own = self.words[origin]
        if word not in (own, own.lower()):
            return word
        return self._letters(origin)

    def _gaps(self, new: Sequence[str], origins: Sequence[int]) -> Iterator[str]:
        """Yield the white space before each new token, none before the first."""
        if new:
            yield ""
        ruled_before = spaces_before(self.words)
        ruled = spaces_before(new)
        for index, (left, right) in enumerate(pairwise(origins), start=1):
            nearest = self._gap_index(left, right)
            if nearest == _NONE:
                yield " " if ruled[index] else ""
                continue
            gap = self.text[self.spans[nearest - 1][1] : self.spans[nearest][0]]
            if left != _NONE and right == left + 1:
                yield gap
            elif bool(gap) != ruled_before[nearest]:
                yield gap  # the text does not follow the rules here; nor shall we
            else:
                yield (gap or " ") if ruled[index] else ""

    def _gap_index(self, left: int, right: int) -> int:
        """Return the word of the text whose gap lies between two new tokens."""
        if right > 0:
            return right
        return left + 1 if _NONE < left < len(self.words) - 1 else _NONE


def tokenise_exactly(text: str) -> Tokens:
    """Return the tokens of a text with their places in it."""
    words = tokenise(text)
    if not JUNK.search(text):
        return Tokens(text, tuple(words), tuple(_spans(text, words)))
    # Control characters are in no token, though they may stand in its middle.
    kept = [index for index, letter in enumerate(text) if not JUNK.match(letter)]
    clean = "".join(text[index] for index in kept)
    spans = tuple((kept[s], kept[e - 1] + 1) for s, e in _spans(clean, words))
    return Tokens(text, tuple(words), spans)


def _spans(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    end = 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        yield start, end


def _origins(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return for each new token the old one that it is, or `_NONE`."""
    if new is old:
        return list(range(len(old)))
    origins = [_NONE] * len(new)
    lowered = [word.lower() for word in old], [word.lower() for word in new]
    for origin, index in matching_indices(*lowered):
        origins[index] = origin
    return origins
