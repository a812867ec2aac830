"""The cheapest edits that turn an output into a reference, blocks moved first.

The search is TER's, as in sacrebleu and Tercom: as long as moving a block of words
lowers the edit distance by at least the cost of a move, the best such move is made; the
rest is inserted, deleted and replaced. TERp (Snover et al. 2009) adds cheaper
replacements, of a word by one with the same stem and of a phrase by its paraphrase, and
lets a block move to where such a replacement is possible. Without them and with all
costs 1 the edits are exactly sacrebleu's.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# Tercom's limits, and sacrebleu's on the number of moves tried.
_BLOCK, _DISTANCE, _BEAM, _CANDIDATES = 10, 50, 25, 1_000
_KEPT_ROWS = 10_000
_TINY = 1e-9  # rounding must not decide between edits of equal cost

Words: TypeAlias = tuple[str, ...]
Step: TypeAlias = tuple[int, int, bool]  # words of the output, of the reference, error
Cell: TypeAlias = tuple[float, Step]
Row: TypeAlias = list[Cell]

_MATCH, _REPLACE, _INSERT, _DELETE = (
    (1, 1, False),
    (1, 1, True),
    (0, 1, True),
    (1, 0, True),
)
_UNREACHED: Cell = (math.inf, (0, 0, True))


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of edits; ``insert`` is for a word that only the reference has."""

    insert: float = 1.0
    delete: float = 1.0
    replace: float = 1.0
    move: float = 1.0


@dataclass(frozen=True)
class Likeness:
    """Replacements that are cheaper than usual.

    ``words`` gives the cost of a pair of words, output first, and is None for any other
    pair; ``phrases`` maps a phrase of the output to those of the reference and their
    cost. ``movable`` says whether a block may be moved by itself.
    """

    words: Callable[[str, str], float | None] = lambda *_: None
    phrases: Mapping[Words, Mapping[Words, float]] = field(default_factory=dict)
    movable: Callable[[Words], bool] = lambda _: True


def edits(
    output: Sequence[str], reference: Sequence[str], costs: Costs, like: Likeness
) -> float:
    """Return the cost of turning an output into a reference."""
    if not reference:
        return len(output) * costs.delete
    words = tuple(output)
    distance = _Distance(tuple(reference), costs, like)
    moves, tried = 0, 0
    while True:
        gain, moved, tried = _best_move(words, distance, tried)
        if tried >= _CANDIDATES or gain <= _TINY or gain < costs.move - _TINY:
            break
        moves += 1
        words = moved
    return moves * costs.move + distance(words)[0]


# A word that may come next, with what may follow it and the row that it ends.
_Node: TypeAlias = dict[str, tuple[dict[str, Any], Row]]


class _Distance:
    """Edit distances to one reference; rows of known prefixes are cached."""

    def __init__(self, reference: Words, costs: Costs, like: Likeness) -> None:
        self.reference, self.costs, self.like = reference, costs, like
        self._first: Row = [
            (index * costs.insert, _INSERT) for index in range(len(reference) + 1)
        ]
        self._kept: _Node = {}
        self._room = _KEPT_ROWS
        self._priced: dict[str, list[tuple[float, Step]]] = {}
        self._longest = max(map(len, like.phrases), default=0)

    def __call__(self, words: Words) -> tuple[float, list[Step]]:
        """Return the distance and its steps, from left to right."""
        rows = [self._first]
        node = self._kept
        for count, word in enumerate(words, start=1):
            child = node.get(word)
            if child is None:
                child = {}, self._row(words, count, rows)
                if self._room > 0:
                    self._room -= 1
                    node[word] = child
            node = child[0]
            rows.append(child[1])
        return rows[-1][-1][0], _steps(rows)

    def _row(self, words: Words, count: int, rows: Sequence[Row]) -> Row:
        row = [_UNREACHED] * (len(self.reference) + 1)
        before, delete, insert = rows[count - 1], self.costs.delete, self.costs.insert
        prices = self._prices(words[count - 1])
        for index in self._beam(len(words), count):
            if index == 0:
                row[0] = before[0][0] + delete, _DELETE
                continue
            price, step = prices[index - 1]
            cost = before[index - 1][0] + price
            # Of equal prices the first counts: that is how Tercom breaks ties.
            if cost > before[index][0] + delete + _TINY:
                cost, step = before[index][0] + delete, _DELETE
            if cost > row[index - 1][0] + insert + _TINY:
                cost, step = row[index - 1][0] + insert, _INSERT
            row[index] = cost, step
        if self._longest:
            self._apply_paraphrases(row, words, count, rows)
        return row

    def _apply_paraphrases(
        self, row: Row, words: Words, count: int, rows: Sequence[Row]
    ) -> None:
        """Lower a row's cells where a paraphrase is cheaper, and those after them."""
        phrases = list(self._phrases(words, count))
        if not phrases:
            return
        for index in self._beam(len(words), count):
            for length, other, price in phrases:
                start = index - len(other)
                if start >= 0 and self.reference[start:index] == other:
                    cost = rows[count - length][start][0] + price
                    if row[index][0] > cost + _TINY:
                        row[index] = cost, (length, len(other), False)
            if index and row[index][0] > row[index - 1][0] + self.costs.insert + _TINY:
                row[index] = row[index - 1][0] + self.costs.insert, _INSERT

    def _prices(self, word: str) -> list[tuple[float, Step]]:
        """Return the cost of replacing each word of the reference by this one."""
        if word not in self._priced:
            self._priced[word] = [self._price(word, other) for other in self.reference]
        return self._priced[word]

    def _price(self, word: str, other: str) -> tuple[float, Step]:
        if word == other:
            return 0.0, _MATCH
        price = self.like.words(word, other)
        if price is not None and price < self.costs.replace:
            return price, _MATCH
        return self.costs.replace, _REPLACE

    def _phrases(self, words: Words, count: int) -> Iterator[tuple[int, Words, float]]:
        for length in range(1, min(self._longest, count) + 1):
            paraphrases = self.like.phrases.get(words[count - length : count], {})
            for other, price in paraphrases.items():
                yield length, other, price

    def _beam(self, words: int, count: int) -> range:
        """Return the indices near the diagonal that are searched."""
        ratio = len(self.reference) / words
        width = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
        middle = math.floor(count * ratio)
        end = min(len(self.reference) + 1, middle + width)
        if count == words:
            end = len(self.reference) + 1
        return range(max(0, middle - width), end)


def _steps(rows: Sequence[Row]) -> list[Step]:
    steps = []
    count, index = len(rows) - 1, len(rows[0]) - 1
    while count > 0 or index > 0:
        step = rows[count][index][1]
        steps.append(step)
        count, index = count - step[0], index - step[1]
    return steps[::-1]


@dataclass(frozen=True)
class _Alignment:
    """The alignment of reference words to the output, and the errors on either side."""

    at: dict[int, int]
    wrong_output: list[bool]
    wrong_reference: list[bool]


def _align(steps: Sequence[Step]) -> _Alignment:
    output, reference = -1, -1
    result = _Alignment({}, [], [])
    for taken, met, error in steps:
        for number in range(met):
            reference += 1
            result.at[reference] = output + min(number + 1, taken)
            result.wrong_reference.append(error)
        output += taken
        result.wrong_output.extend([error] * taken)
    return result


def _best_move(
    words: Words, distance: _Distance, tried: int
) -> tuple[float, Words, int]:
    """Return the gain of the best block move, its result, and the moves tried."""
    before, steps = distance(words)
    alignment = _align(steps)
    best: tuple[float, int, int, int, Words] | None = None
    for start, index, length in _blocks(words, distance):
        if not _worth_moving(alignment, start, index, length):
            continue
        for target in _targets(alignment.at, index, length):
            moved = _move(words, start, length, target)
            # Ties are broken as Tercom does: longest, then earliest, then nearest.
            candidate = (before - distance(moved)[0], length, -start, -target, moved)
            tried += 1
            if best is None or candidate > best:
                best = candidate
        if tried >= _CANDIDATES:
            break
    return (best[0], best[4], tried) if best else (0.0, words, tried)


def _worth_moving(alignment: _Alignment, start: int, index: int, length: int) -> bool:
    """Say whether a block is wrong at its position, and missing at its target."""
    return (
        any(alignment.wrong_output[start : start + length])
        and any(alignment.wrong_reference[index : index + length])
        and not start <= alignment.at[index] < start + length
    )


def _blocks(words: Words, distance: _Distance) -> Iterator[tuple[int, int, int]]:
    """Yield blocks that the reference also has: their starts in both, and length."""
    reference = distance.reference
    for start in range(len(words)):
        for index in range(len(reference)):
            if abs(index - start) > _DISTANCE:
                continue
            most = min(len(words) - start, len(reference) - index, _BLOCK)
            for length in range(1, most + 1):
                word, other = words[start + length - 1], reference[index + length - 1]
                if word != other and distance.like.words(word, other) is None:
                    break
                if distance.like.movable(words[start : start + length]):
                    yield start, index, length


def _targets(at: Mapping[int, int], index: int, length: int) -> Iterator[int]:
    """Yield the indices of the output that a block could be moved to."""
    before = -1
    for offset in range(-1, length):
        if index + offset == -1:
            target = 0
        elif index + offset in at:
            target = at[index + offset] + 1
        else:
            return
        if target != before:
            before = target
            yield target


def _move(words: Words, start: int, length: int, target: int) -> Words:
    block, end = words[start : start + length], start + length
    if target < start:
        return words[:target] + block + words[target:start] + words[end:]
    if target > end:
        return words[:start] + words[end:target] + block + words[target:]
    # The target lies within the block: it moves by as far as the target is in it.
    behind = length + target
    return words[:start] + words[end:behind] + block + words[behind:]
