"""Detokenise English text with the spacing of the Moses detokeniser.

`detokenise` returns the same as ``detokenizer.perl -l en`` and its port sacremoses for
tokens that are not escaped, except in three cases that it improves: curly quotes have a
direction; a curly apostrophe that stands alone (``don ’ t``) is joined on both sides;
the Penn Treebank's ``n't`` is joined to the verb before it. The rule of Moses for
Chinese and Japanese is left out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

_RIGHT = regex.compile(r"[\p{Sc}(\[{¿¡“‘«]+")  # no space after these
_LEFT = regex.compile(r"[,.?!:;\\%}\])”»]+|['’]\p{Alphabetic}.*|[nN]['’][tT]")
_QUOTE = regex.compile(r"['\"„`]+")
_ENDING = regex.compile(r"(?i:[stdmn]|re|ve|ll)")


def detokenise(tokens: Iterable[str]) -> str:
    """Return the tokens as text with natural spacing."""
    # Moses writes a hyphen that it has split off as "@-@".
    words = f" {' '.join(tokens)} ".replace(" @-@ ", "-").split()
    spaces = spaces_before(words)
    pairs = zip(spaces, words, strict=True)
    return "".join(f" {word}" if space else word for space, word in pairs)


def spaces_before(tokens: Sequence[str]) -> list[bool]:
    """Return for each token whether a space goes before it."""
    spaces: list[bool] = []
    quotes: Counter[str] = Counter()
    space = False
    last = ""
    for index, token in enumerate(tokens):
        kind = _kind(token)
        if kind == "quote":
            kind = _direction(token, last, quotes)
        elif token == "’":
            following = tokens[index + 1] if index + 1 < len(tokens) else ""
            kind = "both" if _ENDING.fullmatch(following) else "left"
        spaces.append(space and kind not in ("left", "both"))
        space = kind not in ("right", "both")
        last = token
    return spaces


@lru_cache(maxsize=1 << 15)
def _kind(token: str) -> str:
    """Return the side on which a token is joined: left, right, by quotes, or none."""
    if _RIGHT.fullmatch(token):
        return "right"
    if _LEFT.fullmatch(token):
        return "left"
    return "quote" if _QUOTE.fullmatch(token) else "none"


def _direction(token: str, last: str, quotes: Counter[str]) -> str:
    """Return the side on which a quote is joined; quotes open and close in turn."""
    name = '"' if token.strip("„") == "" else token
    if quotes[name] % 2 == 0 and token == "'" and last.endswith("s"):
        return "left"  # the Joneses' house
    quotes[name] += 1
    return "right" if quotes[name] % 2 else "left"
