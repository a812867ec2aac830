"""Write tokens as people do: the spaces of the Moses detokeniser, for English.

`detokenise` gives what ``detokenizer.perl -l en`` and its port sacremoses give for
tokens that are not escaped, and does better in three cases. Curly quotes know their
direction; a curly apostrophe that stands alone (``don ’ t``) is joined on both sides;
the Penn Treebank's ``n't`` joins the verb before it. And we leave out its rule for
Chinese and Japanese.
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
    # Moses marks a hyphen that it has split with "@-@".
    words = f" {' '.join(tokens)} ".replace(" @-@ ", "-").split()
    spaces = spaces_before(words)
    pairs = zip(spaces, words, strict=True)
    return "".join(f" {word}" if space else word for space, word in pairs)


def spaces_before(tokens: Sequence[str]) -> list[bool]:
    """Say for each token whether a space goes before it."""
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
    """Say which neighbour a token leans on: left, right, a quote either, or none."""
    if _RIGHT.fullmatch(token):
        return "right"
    if _LEFT.fullmatch(token):
        return "left"
    return "quote" if _QUOTE.fullmatch(token) else "none"


def _direction(token: str, last: str, quotes: Counter[str]) -> str:
    """Let every other quote of a kind close; the rest open."""
    name = '"' if token.strip("„") == "" else token
    if quotes[name] % 2 == 0 and token == "'" and last.endswith("s"):
        return "left"  # the Joneses' house
    quotes[name] += 1
    return "right" if quotes[name] % 2 else "left"
