"""Link Grammar's output as trees over our own words.

It prints ``(S (NP he) (VP does.v n't (VP know.v)))`` for our ``He doesn't know``: it
tokenises differently, changes the case, and appends marks to words. Words that it could
not link are in braces or left out. So its tokens are located one after the other in the
letters of our sentence, and a constituent spans those of our words that begin inside
it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from paraphrast.align.base import Words
from paraphrast.paraphrases.syntax.tags import tag
from paraphrast.paraphrases.syntax.trees import Tree, from_spans

_TOKEN = re.compile(r"\([^\s()]+|\)|[^\s()]+")
_MARKS = re.compile(r"(?:\[[^\]]*\]|\{[^}]*\}|\.[#\w-]+)*")
_KIND = re.compile(r"\.([a-z][\w-]*)$")
# Every opening bracket comes back as {, every closing one as }.
_BRACKETS = str.maketrans("([)]", "{{}}")
# A line that begins so is a command or a remark to the program.
_COMMANDS = ("!", "%")

# (label, first token, the token after the last)
_Span = tuple[str, int, int]


def line(words: Words) -> str:
    """Return a sentence as input for the program, letter for letter."""
    text = "".join(c if c.isprintable() else "." for c in " ".join(words))
    return "." + text[1:] if text.startswith(_COMMANDS) else text


def tree_over(words: Words, answer: str) -> Tree | None:
    """Return the output's tree over our words, or nothing if they do not match."""
    tokens, spans = _read_answer(answer)
    starts = [0, *accumulate(len(word) for word in words)][:-1]
    letters = line(words).replace(" ", "")
    positions = _locate_tokens(tokens, letters, starts)
    if positions is None or not spans:
        return None
    kinds = {
        position[0]: kind[1]
        for token, position in zip(tokens, positions, strict=True)
        if (kind := _KIND.search(token))
    }
    leaves = [
        Tree(tag(word, kinds.get(start, "")), word=word)
        for word, start in zip(words, starts, strict=True)
    ]
    ours = (
        (
            label,
            bisect_left(starts, positions[first][0]),
            bisect_left(starts, positions[last - 1][1]),
        )
        for label, first, last in spans
    )
    return from_spans(leaves, [span for span in ours if span[1] < span[2]])


def _read_answer(answer: str) -> tuple[list[str], list[_Span]]:
    tokens: list[str] = []
    spans: list[_Span] = []
    opened: list[tuple[str, int]] = []
    for match in _TOKEN.findall(answer):
        if match.startswith("("):
            opened.append((match[1:], len(tokens)))
        elif match != ")":
            tokens.append(match)
        elif opened:
            label, first = opened.pop()
            if first < len(tokens):
                spans.append((label, first, len(tokens)))
    # Children close before their parents; a tree is built from parents down.
    return tokens, spans[::-1]


def _locate_tokens(
    tokens: Sequence[str], letters: str, starts: Sequence[int]
) -> list[tuple[int, int]] | None:
    """Find the tokens in the letters, in order; skip what the program left out."""
    positions: list[tuple[int, int]] = []
    here = 0
    for token in tokens:
        for start in (here, *starts[bisect_left(starts, here + 1) :]):
            length = max(_fits(token, letters, start), default=0)
            if length:
                break
        else:
            return None
        here = start + length
        positions.append((start, here))
    return positions


def _fits(token: str, letters: str, start: int) -> Iterator[int]:
    """Yield how many letters from ``start`` the token may stand for."""
    names = [token]
    if len(token) > 2 and token[0] == "{" and token[-1] == "}":
        names.append(token[1:-1])
    for name in names:
        for length in range(1, min(len(name), len(letters) - start) + 1):
            if not _same(name[length - 1], letters[start + length - 1]):
                break
            if _MARKS.fullmatch(name, length):
                yield length


def _same(first: str, second: str) -> bool:
    return (
        first.translate(_BRACKETS).casefold() == second.translate(_BRACKETS).casefold()
    )
