"""The state of one person's alignment of one sentence pair, and what each event does.

    link    cells, label        link them: one cell, or a block for two phrases
    clear   cells               remove their links
    word    side, index         clear all links of a word
    null    side, index         say that a word has no counterpart, or take that back
    accept                      take all of the machine's links over
    take    cell, side, reason  as adjudicator, decide for one annotator
    comment text

A link's origin is ``machine`` until somebody edits it, ``accepted`` if it was accepted
unchanged, or ``human``; for an adjudicator ``agreed`` if both annotators have the link,
and ``first`` or ``second`` if the adjudicator chose one of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from paraphrast.align.base import AlignedPair, Link
from paraphrast.errors import ParaphrastError

Side: TypeAlias = Literal["source", "target"]
Cell: TypeAlias = tuple[int, int]

SIDES: tuple[Side, ...] = ("source", "target")
LABELS = {"sure": True, "possible": False}
MACHINE, HUMAN, ACCEPTED, AGREED = "machine", "human", "accepted", "agreed"
ANNOTATORS = ("first", "second")
REASONS = ("slip", "guideline", "ambiguous")
MOST_WORDS = 250  # on a side; a matrix of more is too large to look at
LONGEST_COMMENT = 2_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A link in a cell: its label, its origin, and the aligner's probability."""

    label: str
    origin: str = HUMAN
    probability: float = 1.0


@dataclass(frozen=True)
class Alignment:
    """One person's alignment; ``choices`` are the cells that an adjudicator decides.

    A choice is a cell with both annotators' labels, empty if there is no link; ``open``
    are the undecided cells.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    marks: Mapping[Cell, Mark] = field(default_factory=dict)
    nulls: frozenset[tuple[Side, int]] = frozenset()
    choices: Mapping[Cell, tuple[str, str]] = field(default_factory=dict)
    open: frozenset[Cell] = frozenset()
    comment: str = ""

    def missing(self) -> list[str]:
        """Return what is missing before this is complete."""
        cells = sorted(self.open)
        return [
            f"decide between the annotators for {self.source[i]!r} and "
            f"{self.target[j]!r}"
            for i, j in cells
        ]

    def as_pair(self, name: str = "") -> AlignedPair:
        """Return the alignment as `align` has it."""
        links = tuple(
            Link(i, j, mark.probability, LABELS[mark.label])
            for (i, j), mark in sorted(self.marks.items())
        )
        return AlignedPair(self.source, self.target, links, name)


def check_base(content: Mapping[str, Any]) -> AlignedPair:
    """Return the pair of an imported base event, or refuse it."""
    source, target = (tuple(content[side]) for side in SIDES)
    pair = AlignedPair(source, target)
    state = Alignment(source, target)
    cells = []
    for link in content.get("links", ()):
        match link:
            case [int(i), int(j), ("sure" | "possible"), str(origin), float() | int()]:
                cells.append([i, j])
                is_known = origin in (MACHINE, HUMAN, ACCEPTED, AGREED, *ANNOTATORS)
            case _:
                is_known = False
        if not is_known:
            raise ParaphrastError("a link is not in the format of this version.")
    for i, j, *labels in content.get("choices", ()):
        cells.append([i, j])
        if len(labels) != 2 or not {*labels} <= {"", *LABELS}:
            raise ParaphrastError("a choice is not between two annotators.")
    if cells and len({*_cells(state, cells)}) < len(cells):
        raise ParaphrastError("a cell is linked twice.")
    if not all(isinstance(word, str) and word for word in (*source, *target)):
        raise ParaphrastError("a word is empty.")
    return pair


def start(content: Mapping[str, Any]) -> Alignment:
    """Return the state after a base event."""
    choices = {(i, j): (a, b) for i, j, a, b in content.get("choices", ())}
    return Alignment(
        tuple(content["source"]),
        tuple(content["target"]),
        {(i, j): Mark(*mark) for i, j, *mark in content.get("links", ())},
        choices=choices,
        open=frozenset(choices),
    )


def make_base(pair: AlignedPair, origin: str = MACHINE) -> dict[str, Any]:
    """Return a base event's content for a pair whose links are somebody's."""
    links = [
        [k.source, k.target, "sure" if k.sure else "possible", origin, k.probability]
        for k in pair.links
    ]
    return {"source": list(pair.source), "target": list(pair.target), "links": links}


def make_choices(first: Alignment, second: Alignment) -> dict[str, Any]:
    """Return an adjudicator's base: where two annotators agree and differ."""
    links, choices = [], []
    for cell in sorted({*first.marks, *second.marks}):
        labels = [_label(state, cell) for state in (first, second)]
        if labels[0] == labels[1]:
            links.append([*cell, labels[0], AGREED, 1.0])
        else:
            choices.append([*cell, *labels])
    return {
        "source": list(first.source),
        "target": list(first.target),
        "links": links,
        "choices": choices,
    }


def apply(state: Alignment, kind: str, content: Mapping[str, Any]) -> Alignment:
    """Return the state after an event; refuse an invalid one."""
    match kind, content:
        case "link", {"cells": cells, "label": ("sure" | "possible") as label}:
            return _link(state, _cells(state, cells), label)
        case "clear", {"cells": cells}:
            return _clear(state, _cells(state, cells))
        case "word", {"side": ("source" | "target") as side, "index": int(index)}:
            return _clear(state, _row(state, side, index))
        case "null", {"side": ("source" | "target") as side, "index": int(index)}:
            return _null(state, side, index)
        case "accept", _:
            return _accept(state)
        case "take", {"cell": cell, "side": ("first" | "second") as whose}:
            return _take(state, _cells(state, [cell])[0], whose, content)
        case "comment", {"text": str(text)} if len(text) <= LONGEST_COMMENT:
            return replace(state, comment=text)
    raise ParaphrastError(f"there is no event {kind!r} with this content.")


def as_json(state: Alignment) -> dict[str, Any]:
    """Return the JSON for the page and the database."""
    return {
        "source": list(state.source),
        "target": list(state.target),
        "links": [
            [*cell, mark.label, mark.origin, mark.probability]
            for cell, mark in sorted(state.marks.items())
        ],
        "nulls": sorted([side, index] for side, index in state.nulls),
        "choices": [[*cell, *both] for cell, both in sorted(state.choices.items())],
        "open": sorted(map(list, state.open)),
        "comment": state.comment,
        "missing": state.missing(),
    }


def from_json(record: Mapping[str, Any]) -> Alignment:
    """Return the state that `as_json` wrote."""
    return replace(
        start(record),
        nulls=frozenset((side, index) for side, index in record["nulls"]),
        open=frozenset((i, j) for i, j in record["open"]),
        comment=record["comment"],
    )


def check_tokens(old: Sequence[str], new: Any) -> tuple[str, ...]:
    """Return edited tokens, a list or a text with spaces, with the same letters."""
    new = new.split() if isinstance(new, str) else new
    if not isinstance(new, list) or not all(isinstance(word, str) for word in new):
        raise ParaphrastError("give the words of both sentences.")
    words = tuple(word.strip() for word in new if word.strip())
    if "".join(words) != "".join("".join(old).split()):
        raise ParaphrastError(
            "editing tokens must not change a letter. Only move the spaces."
        )
    if len(words) > MOST_WORDS:
        raise ParaphrastError(f"a side has at most {MOST_WORDS} words.")
    return words


def _cells(state: Alignment, cells: Any) -> list[Cell]:
    result = []
    for cell in cells if isinstance(cells, list) else [None]:
        match cell:
            case [int(i), int(j)] if 0 <= i < len(state.source) and 0 <= j < len(
                state.target
            ):
                result.append((i, j))
            case _:
                raise ParaphrastError(
                    "a cell is [source word, target word], counted from 0."
                )
    if not result:
        raise ParaphrastError("name at least one cell.")
    return result


def _row(state: Alignment, side: Side, index: int) -> list[Cell]:
    words = getattr(state, side)
    if not 0 <= index < len(words):
        raise ParaphrastError(f"there is no word {index} on the {side} side.")
    others = len(state.target if side == "source" else state.source)
    return [(index, k) if side == "source" else (k, index) for k in range(others)]


def _link(state: Alignment, cells: Iterable[Cell], label: str) -> Alignment:
    listed = list(cells)
    marks = dict(state.marks) | {cell: Mark(label) for cell in listed}
    linked = {("source", i) for i, _ in listed} | {("target", j) for _, j in listed}
    nulls = state.nulls - linked
    return replace(state, marks=marks, nulls=nulls, open=state.open.difference(listed))


def _clear(state: Alignment, cells: Iterable[Cell]) -> Alignment:
    gone = set(cells)
    marks = {cell: mark for cell, mark in state.marks.items() if cell not in gone}
    return replace(state, marks=marks, open=state.open - gone)


def _null(state: Alignment, side: Side, index: int) -> Alignment:
    cells = _row(state, side, index)
    if (side, index) in state.nulls:
        return replace(state, nulls=state.nulls - {(side, index)})
    cleared = _clear(state, cells)
    return replace(cleared, nulls=state.nulls | {(side, index)})


def _accept(state: Alignment) -> Alignment:
    marks = {
        cell: replace(mark, origin=ACCEPTED) if mark.origin == MACHINE else mark
        for cell, mark in state.marks.items()
    }
    return replace(state, marks=marks)


def _take(
    state: Alignment, cell: Cell, whose: str, content: Mapping[str, Any]
) -> Alignment:
    reason = content.get("reason", "")
    if reason and reason not in REASONS:
        raise ParaphrastError(f"a reason must be one of {', '.join(REASONS)}.")
    if cell not in state.choices:
        raise ParaphrastError("the annotators agree there; link or clear it yourself.")
    label = state.choices[cell][ANNOTATORS.index(whose)]
    if not label:
        return _clear(state, [cell])
    linked = _link(state, [cell], label)
    return replace(linked, marks={**linked.marks, cell: Mark(label, whose)})


def _label(state: Alignment, cell: Cell) -> str:
    mark = state.marks.get(cell)
    return mark.label if mark else ""
