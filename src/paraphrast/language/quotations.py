"""Quotation marks."""

import regex

# Apostrophes that stand for letters at the beginning of a word.
_ELIDED = regex.compile(
    r"['’](?:t(?:is|was|were|will|would|ween|wixt|ill?)|em|gainst|neath|bout|fore|cause|"
    r"scape|faith|t|n|s|d|ll)\b",
    regex.IGNORECASE,
)
_DOUBLE = '"“”«»„'
_DOUBLE_SET = frozenset(_DOUBLE)
_NEITHER = False, False
# Marks that can only open or only close a quotation; "th'" and "lords'" do neither.
_OPENS = regex.compile(r"(?<![\w'’])'(?=\p{L})")
_CLOSES = regex.compile(
    r"(?<=[.,?!;:])'(?!\w)|(?<=\p{L})(?<!s|\bth|\bo|\bi)'(?=[?!.,;:]*\Z)"
)
_CLOSES_INSIDE = regex.compile(r"(?<=\p{L})(?<!s|\bth|\bo|\bi|\bt)'(?=\s)")


def find_single_quotes(text: str) -> tuple[list[int], list[int]]:
    """Return the positions of opening and of closing straight single quotes."""
    opened = [match.start() for match in _OPENS.finditer(text)]
    opened = [position for position in opened if not _ELIDED.match(text, position)]
    closed = {match.start() for match in _CLOSES.finditer(text)}
    if opened:
        inside = _CLOSES_INSIDE.finditer(text, opened[0] + 1)
        closed.update(match.start() for match in inside)
    return opened, sorted(closed)


def count_double_quotes(text: str) -> int:
    """Count double quotation marks of every shape."""
    return sum(map(text.count, _DOUBLE))


def find_outer_quotes(text: str) -> tuple[bool, bool]:
    """Say whether a text's only quotes are one at its start and one at its end.

    The first sentence of a longer quotation has only the one at its start.
    """
    first, last = text[:1] in _DOUBLE_SET, text[-1:] in _DOUBLE_SET
    if first or last:
        return (first, last) if count_double_quotes(text) == first + last else _NEITHER
    if count_double_quotes(text):
        return _NEITHER
    opened, closed = find_single_quotes(text.replace("‘", "'").replace("’", "'"))
    outer = opened == [0], closed == [len(text) - 1]
    return outer if len(opened) + len(closed) == sum(outer) else _NEITHER
