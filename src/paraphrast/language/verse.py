"""Lay verse out in lines of about the same length that end where a reader pauses.

A line has some eight syllables. The breaks are those with the least cost: a line costs
what it is longer or shorter than the others, and a break what it tears apart; after a
mark it tears nothing, before a preposition little, between an article and its noun
much.
"""

from collections.abc import Sequence

import regex

from paraphrast.language.names import find_uncommon_names

LEAST, MOST, BEST = 5, 12, 8.5  # syllables of a line
MEASURES = range(6, 11)  # tried in turn; all lines of a text have one
SHORT = 10  # syllables that stay in one line
WORDS = 14  # at most so many in a line
UNEVEN, TOO_SHORT, UNUSUAL = 0.7, 6.0, 0.8  # costs
_ENDS = frozenset(".!?;:")
_VOWELS = regex.compile(r"[aeiouy]+")
_EDGE = regex.compile(r"^[^\w']+|[^\w']+$")
_INSIDE = regex.compile(r"(?<=[\w,;:)'’] )\p{Lu}\w*")  # capitals within a sentence
_SILENT = regex.compile(r"(?<![lei])e$|(?<![td])ed$|(?<!sh|ch|[szcgx])es$")
# A line may begin with these, and none should end with those that cling to the next.
_OPENING_WORDS = """
    and but or nor for so yet who whom whose which that when where while till until ere
    unless though although because since lest if as than to in on at by from with upon
    into unto through before after over under without within among between against
"""
_CLINGING_WORDS = """
    a an the of to my thy his her its our your their no not very so too this these those
    some any each every is are was were be been have has had do does did will would
    shall should can could may might must i he she we they you thou it and or but nor
    if that which who as at by for from in into on upon with than
"""
_OPENING = frozenset(_OPENING_WORDS.split())
_CLINGING = frozenset(_CLINGING_WORDS.split())


def lay_out(text: str, source: str) -> str:
    """Return verse in even lines; names of its ``source`` keep their capitals."""
    words = _join_lines(text, source)
    sizes = [count_syllables(word) for word in words]
    if sum(sizes) < SHORT:
        return text
    breaks = [_cost_of_break(*pair) for pair in zip(words, words[1:], strict=False)]
    best = min(
        (_find_lines(sizes, breaks, measure) for measure in MEASURES),
        key=lambda found: found[0],
    )
    lines = (" ".join(words[start:end]) for start, end in best[1])
    return "\n".join(map(_capitalise, lines))


def count_syllables(word: str) -> int:
    """Return about how many syllables a word has; digits are one each."""
    low = _EDGE.sub("", word.lower())
    if not low:
        return 0
    digits = sum(map(str.isdigit, low))
    if digits:
        return digits
    low = regex.sub(r"o'er|e'er", "er", low.removesuffix("'d"))
    many = len(_VOWELS.findall(low))
    return max(1, many - bool(many > 1 and _SILENT.search(low)))


def _join_lines(text: str, source: str) -> list[str]:
    """Return the words of verse; a line's capital goes unless it is the word's own."""
    names = {*find_uncommon_names(source), *find_uncommon_names(text), "I", "O"}
    names.update(_INSIDE.findall(source))  # "Will", "May", "God" are common words, too
    result: list[str] = []
    for line in text.split("\n"):
        first, *others = line.split() or [""]
        bare = _EDGE.sub("", first)
        ended = not result or result[-1].rstrip("\"'”’)")[-1:] in ".!?"
        if (
            not ended
            and bare.split("'")[0] not in names
            and bare[1:] == bare[1:].lower()
        ):
            first = first.replace(bare, bare[:1].lower() + bare[1:], 1)
        result += [word for word in (first, *others) if word]
    return result


def _cost_of_break(before: str, after: str) -> float:
    """Return what a break between two words tears apart."""
    last = before.rstrip("\"'”’)")[-1:]
    if last in _ENDS:
        return 0.0
    if last == ",":
        return 1.0
    clings = _EDGE.sub("", before.lower()) in _CLINGING
    opens = _EDGE.sub("", after.lower()) in _OPENING
    return (4.5 if opens else 9.0) + 8.0 * clings


def _find_lines(
    sizes: Sequence[int], breaks: Sequence[float], measure: int
) -> tuple[float, list[tuple[int, int]]]:
    """Return the cost per line and the spans of the best lines of about a measure."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(sizes) + 1):
        options = []
        for start in range(max(0, end - WORDS), end):
            size = sum(sizes[start:end])
            if size <= MOST or start == end - 1:
                cost = UNEVEN * (size - measure) ** 2 + TOO_SHORT * (size < LEAST)
                cost += breaks[end - 1] if end < len(sizes) else 0.0
                options.append((best[start][0] + cost, start))
        best.append(min(options))
    spans, end = [], len(sizes)
    while end:
        start = best[end][1]
        spans.append((start, end))
        end = start
    cost = best[-1][0] * measure / sum(sizes) + UNUSUAL * abs(measure - BEST)
    return cost, spans[::-1]


def _capitalise(line: str) -> str:
    """Return a line whose first letter is a capital."""
    at = next((at for at, sign in enumerate(line) if sign.isalnum()), 0)
    return line[:at] + line[at : at + 1].upper() + line[at + 1 :]
