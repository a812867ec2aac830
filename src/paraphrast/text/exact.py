"""Tokens with their offsets, from which the text can be restored.

`tokenise_exactly` finds the tokens of `paraphrast.text.tokens.tokenise` with their
offsets. ``restore()`` returns the text character for character, whatever it contains.
``restore(tokens)`` puts changed tokens into it: an unchanged token keeps its letters
and the original spacing around it; only new tokens are spaced by rule.
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
        """Return the text, with its tokens replaced by ``words`` if given.

        Tokens are matched ignoring case. A matched token in lower case, as from a
        system that works in lower case, keeps the letters of the text.
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

        ``origins[i]`` is the index of the token of the text that ``words[i]`` comes
        from, or -1; unlike in `restore`, a change of case is kept.
        """
        return [
            (gap, self._letters(origin) if self._stays(word, origin) else word)
            for word, origin, gap in zip(
                words, origins, self._gaps(words, origins), strict=True
            )
        ]

    def edges(self) -> tuple[str, str]:
        """Return the text before the first token and after the last."""
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
                yield gap  # the text does not follow the rules here
            else:
                yield (gap or " ") if ruled[index] else ""

    def _gap_index(self, left: int, right: int) -> int:
        """Return the index of the token of the text before which the gap lies."""
        if right > 0:
            return right
        return left + 1 if _NONE < left < len(self.words) - 1 else _NONE


def tokenise_exactly(text: str) -> Tokens:
    """Return the tokens of a text with their offsets in it."""
    words = tokenise(text)
    if not JUNK.search(text):
        return Tokens(text, tuple(words), tuple(_spans(text, words)))
    # Control characters belong to no token, though they may occur inside one.
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
    """Return for each new token the index of its old token, or `_NONE`."""
    if new is old:
        return list(range(len(old)))
    origins = [_NONE] * len(new)
    lowered = [word.lower() for word in old], [word.lower() for word in new]
    for origin, index in matching_indices(*lowered):
        origins[index] = origin
    return origins
