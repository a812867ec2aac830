"""Link Grammar's answers as trees over our own words.

It prints ``(S (NP he) (VP does.v n't (VP know.v)))`` for our ``He doesn't know``:
words are cut its own way, their case may change, and marks follow them. Words that
it could not link stand in braces or are left out. So its pieces are looked for one
after the other in the letters of our sentence, and a constituent spans those of our
words that begin inside it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from paraphrast.align.base import Words
from paraphrast.paraphrases.syntax.tags import tag
from paraphrast.paraphrases.syntax.trees import Tree, from_spans

_PIECE = re.compile(r"\([^\s()]+|\)|[^\s()]+")
_MARKS = re.compile(r"(?:\[[^\]]*\]|\{[^}]*\}|\.[#\w-]+)*")
_KIND = re.compile(r"\.([a-z][\w-]*)$")
# Every opening bracket comes back as {, every closing one as }.
_BRACKETS = str.maketrans("([)]", "{{}}")
# A line that begins so is a command or a remark to the program.
_COMMANDS = ("!", "%")

# (label, first piece, the piece after the last)
_Span = tuple[str, int, int]


def line(words: Words) -> str:
    """Return a sentence as the program may read it, letter for letter."""
    text = "".join(c if c.isprintable() else "." for c in " ".join(words))
    return "." + text[1:] if text.startswith(_COMMANDS) else text


def tree_over(words: Words, answer: str) -> Tree | None:
    """Return the answer's tree over our words, or nothing if they do not fit."""
    pieces, spans = _read(answer)
    starts = [0, *accumulate(len(word) for word in words)][:-1]
    letters = line(words).replace(" ", "")
    places = _places(pieces, letters, starts)
    if places is None or not spans:
        return None
    kinds = {
        place[0]: kind[1]
        for piece, place in zip(pieces, places, strict=True)
        if (kind := _KIND.search(piece))
    }
    leaves = [
        Tree(tag(word, kinds.get(start, "")), word=word)
        for word, start in zip(words, starts, strict=True)
    ]
    ours = (
        (
            label,
            bisect_left(starts, places[first][0]),
            bisect_left(starts, places[last - 1][1]),
        )
        for label, first, last in spans
    )
    return from_spans(leaves, [span for span in ours if span[1] < span[2]])


def _read(answer: str) -> tuple[list[str], list[_Span]]:
    pieces: list[str] = []
    spans: list[_Span] = []
    opened: list[tuple[str, int]] = []
    for result in _PIECE.findall(answer):
        if result.startswith("("):
            opened.append((result[1:], len(pieces)))
        elif result != ")":
            pieces.append(result)
        elif opened:
            label, first = opened.pop()
            if first < len(pieces):
                spans.append((label, first, len(pieces)))
    # Children close before their parents; a tree is built from parents down.
    return pieces, spans[::-1]


def _places(
    pieces: Sequence[str], letters: str, starts: Sequence[int]
) -> list[tuple[int, int]] | None:
    """Find the pieces in the letters, in order; what the program left out is passed."""
    places: list[tuple[int, int]] = []
    here = 0
    for piece in pieces:
        for start in (here, *starts[bisect_left(starts, here + 1) :]):
            length = max(_fits(piece, letters, start), default=0)
            if length:
                break
        else:
            return None
        here = start + length
        places.append((start, here))
    return places


def _fits(piece: str, letters: str, start: int) -> Iterator[int]:
    """Yield how many letters from ``start`` the piece may stand for."""
    names = [piece]
    if len(piece) > 2 and piece[0] == "{" and piece[-1] == "}":
        names.append(piece[1:-1])
    for name in names:
        for length in range(1, min(len(name), len(letters) - start) + 1):
            if not _same(name[length - 1], letters[start + length - 1]):
                break
            if _MARKS.fullmatch(name, length):
                yield length


def _same(one: str, other: str) -> bool:
    return one.translate(_BRACKETS).casefold() == other.translate(_BRACKETS).casefold()
