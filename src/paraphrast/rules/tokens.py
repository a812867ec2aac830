"""Tokens that cover a sentence without gaps, and the edits read off them.

Rules change only ``Token.text``, so the source stays
known: where ``text`` differs from ``source`` there is a `Change`, and joining the
texts gives the rewrite. A protected span is one token that no rule touches.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import starmap

from paraphrast.rewriter import Change
from paraphrast.text.spans import Span

WORD, SPACE, MARK, OTHER, FIXED, GONE = range(6)
# What stands next to a word when no word does: punctuation or the end.
EDGE = "^"

# Without groups, and with the commonest first: both make it fast. The first character
# of a match tells its kind; an apostrophe begins a word if more follows.
_FIND = re.compile(
    r"""
      (?![wWbBgGhHjJ]/)
      [^\W_]+(?:['’-][^\W_]+)*
      (?:(?<=in|ol|il|an|on)['’](?![^\W_]))?           # goin', ol'
    | \s+
    | [.!?…]+|,+|[;:]
    | (?:[wW]/(?:out|in|o)?|[bBgGhHjJ]/[cCwWfFkK])(?![^\W_])   # w/, b/c
    | [wW]/(?=[^\W_])                                # w/my
    | [^\W_]+
    | (?<![^\W_])['’](?i:em|cause|cuz|coz|cos|till?|bout|round|kay|nuff
      |tis|twas|twere|twill|n['’]?)(?![^\W_])
    | [^\s\w.!?…,;:'’]+|_+|.
    """,
    re.VERBOSE | re.DOTALL,
).findall
_MARKS = frozenset(".!?…,;:")
# A word is left alone when it touches anything but these: it is part of something.
_FRIENDLY = frozenset("\"'`’‘“”«»()[]{}*-–—,;:!?.…~")
_CLEAR_KINDS = frozenset({"markdown", "emoji"})


class Token:
    """A substring of the source and its current text.

    ``low`` is the word to look up: lower case, straight apostrophes. ``span_kind`` is
    the kind of a protected span. ``rule`` is the rule that changed the text, if it
    changed. Tokens are equal only to themselves; where one stands follows from those
    before it.
    """

    __slots__ = (
        "kind",
        "low",
        "rule",
        "source",
        "span_kind",
        "text",
    )

    def __init__(self, source: str, kind: int, low: str) -> None:
        """Start with the text of the source."""
        self.source = self.text = source
        self.kind = kind
        self.low = low
        self.rule = self.span_kind = ""

    def become(self, text: str, rule: str) -> None:
        """Change the text and record the rule that did so."""
        if text == self.text:
            return
        self.text = text
        if text == self.source:
            self.rule = ""
        elif not self.rule:
            self.rule = rule
        elif rule not in self.rule:
            self.rule = f"{self.rule}, {rule}"

    def vanish(self, rule: str) -> None:
        """Make the text empty."""
        self.become("", rule)
        self.kind = GONE


def make_empty() -> Token:
    """Return a token without source text, for an insertion."""
    return Token("", GONE, "")


def scan_again(tokens: Sequence[Token]) -> list[Token]:
    """Tokenise the current text of tokens, as `scan` does.

    Unchanged spaces divide the text; only what changed between two of them is
    tokenised again. A protected span stays one token.
    """
    result: list[Token] = []
    first = 0  # of the tokens since the last unchanged space
    changed = False
    for index, token in enumerate(tokens):
        if token.text != token.source:
            changed = True
        elif token.kind == SPACE:
            if changed:
                _scan_part(tokens[first:index], result)
                changed = False
            else:
                result += tokens[first:index]
            result.append(token)
            first = index + 1
    if changed:
        _scan_part(tokens[first:], result)
    else:
        result += tokens[first:]
    return result


def _scan_part(part: Sequence[Token], result: list[Token]) -> None:
    """Append the tokens of the text between two spaces; protected spans stay."""
    text = ""
    for token in part:
        if token.kind == FIXED:
            result += [Token(cut, kind, low) for cut, kind, low in _cut(text)]
            result.append(token)
            text = ""
        else:
            text += token.text
    result += [Token(cut, kind, low) for cut, kind, low in _cut(text)]


@lru_cache(maxsize=10_000)
def _cut(text: str) -> tuple[tuple[str, int, str], ...]:
    """Split a text; return the initial values of its tokens."""
    return tuple((token.source, token.kind, token.low) for token in scan(text, ()))


def scan(text: str, protected: Sequence[Span]) -> list[Token]:
    """Return tokens that cover the text, a protected span being one of them."""
    if not protected:
        tokens = _scan(text, 0, len(text))
    else:
        tokens = []
        at = 0
        for start, end, kind in _cover(protected, len(text)):
            tokens += _scan(text, at, start)
            fixed = Token(text[start:end], FIXED, "")
            fixed.span_kind = kind
            tokens.append(fixed)
            at = end
        tokens += _scan(text, at, len(text))
    if "’" in text:
        for token in tokens:
            token.low = token.low.replace("’", "'")
    return tokens


def _scan(text: str, start: int, end: int) -> list[Token]:
    return list(starmap(Token, map(_look_at, _FIND(text, start, end))))


@lru_cache(maxsize=20_000)
def _look_at(part: str) -> tuple[str, int, str]:
    """Return the initial values of a token: its text, its kind, the word to look up."""
    kind = _find_kind(part)
    return part, kind, part.lower() if kind == WORD else ""


def _find_kind(part: str) -> int:
    """Return the kind of a token by its first character."""
    first = part[0]
    if first.isspace():
        return SPACE
    if first.isalnum() or (first in "'’" and len(part) > 1):
        return WORD
    return MARK if first in _MARKS else OTHER


def _cover(spans: Sequence[Span], length: int) -> list[tuple[int, int, str]]:
    """Sort spans, clip them to the text and to one another, and drop empty ones."""
    covered = []
    at = 0
    for span in sorted(spans):
        start, end = max(span.start, at), min(span.end, length)
        if start < end:
            covered.append((start, end, span.kind))
            at = end
    return covered


def before(tokens: Sequence[Token], index: int) -> str:
    """Return the word before a token, EDGE, or nothing where a span is protected."""
    index -= 1
    while index >= 0 and tokens[index].kind in (SPACE, GONE):
        index -= 1
    return neighbour(tokens[index]) if index >= 0 else EDGE


def after(tokens: Sequence[Token], index: int) -> str:
    """Return the word after a token, EDGE, or nothing where a span is protected."""
    index = next_index(tokens, index)
    return neighbour(tokens[index]) if index < len(tokens) else EDGE


def next_index(tokens: Sequence[Token], index: int) -> int:
    """Return the index of the next token that is not white space."""
    index += 1
    while index < len(tokens) and tokens[index].kind in (SPACE, GONE):
        index += 1
    return index


def neighbour(token: Token) -> str:
    """Return what conditions match of a token: its word, a number, EDGE or nothing."""
    if token.kind == WORD:
        return token.low
    if token.kind == FIXED:
        return token.source if token.source[:1].isdigit() else ""
    return token.source if token.source in "=&+" else EDGE


def is_free(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a word stands by itself and not in an address, formula or code."""
    inner = 0 < index < len(tokens) - 1
    if inner and tokens[index - 1].kind == SPACE == tokens[index + 1].kind:
        return True  # as nearly always
    return _open_left(tokens, index) and _open_right(tokens, index)


def _open_left(tokens: Sequence[Token], index: int) -> bool:
    if index == 0:
        return True
    token = tokens[index - 1]
    if token.kind in (SPACE, GONE):
        return True
    if token.kind == FIXED:
        return token.span_kind in _CLEAR_KINDS
    if token.kind == WORD:  # after "w/"
        return token.source.endswith("/")
    return token.source[-1] in _FRIENDLY and token.source not in ".:"


def _open_right(tokens: Sequence[Token], index: int) -> bool:
    if index + 1 >= len(tokens):
        return True
    token = tokens[index + 1]
    if token.kind in (SPACE, GONE):
        return True
    if token.kind == FIXED:
        return token.span_kind in _CLEAR_KINDS
    if token.kind == WORD:
        return tokens[index].source.endswith("/")
    if token.source[0] not in _FRIENDLY:
        return False
    if token.source not in ".:" or index + 2 >= len(tokens):
        return True
    return tokens[index + 2].kind not in (WORD, FIXED, OTHER)


def join_tokens(tokens: Sequence[Token]) -> str:
    """Return the text that the tokens have become."""
    return "".join([token.text for token in tokens])


def changes(tokens: Sequence[Token]) -> list[Change]:
    """Return the edits in order; neighbours changed by the same rule are one edit."""
    result: list[Change] = []
    start = end = 0  # of an edit that may go on
    before = after = rule = ""
    for token in tokens:
        source, text = token.source, token.text
        if text != source:
            if rule == token.rule:
                before += source
                after += text
            else:
                if rule:
                    result.append(Change(start, end, before, after, rule))
                start, before, after, rule = end, source, text, token.rule
        elif rule and source:
            result.append(Change(start, end, before, after, rule))
            rule = ""
        end += len(source)
    if rule:
        result.append(Change(start, end, before, after, rule))
    return result
