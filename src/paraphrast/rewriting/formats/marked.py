"""Running text with marks in it, in a file that is edited where it stands.

A `Stretch` is collected while a file is read: units, each a character of the text and
how the file spells it; elements that open and close around them; and anchors, markup
that stands between two characters. Only the part of the file that holds a changed
stretch is written anew: each character in the elements of the one that it stands for,
an anchor after the character that it followed.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from paraphrast.rewriting.formats.segments import (
    Rewritten,
    Role,
    Segment,
    find_places,
)
from paraphrast.text.spans import Span

_SPACES = re.compile(r"(?<=\S) +(?=\S)")
DEEPEST = 64  # elements, one in the other
_ID = re.compile(r"\s(?:xml:)?id\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """An inline element: how it opens and closes, and what that means."""

    opening: str
    closing: str
    kept: bool = False
    link: bool = False


Stack: TypeAlias = tuple[Element, ...]
Kind: TypeAlias = Literal["unit", "anchor", "open", "close"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something in ``source[start:end]``; ``stack`` is what is open after it.

    A unit has a character. A separator must stand in its place among the others of its
    kind, whatever the text; one that is optional goes where there are too few words.
    """

    kind: Kind
    start: int
    end: int
    stack: Stack
    char: str = ""
    kept: bool = False
    separator: bool = False
    optional: bool = False


@dataclass
class Stretch:
    """Running text of a file between two breaks, as far as it has been read."""

    source: str
    stack: Stack = ()
    events: list[Event] = field(default_factory=list)
    last: str = ""  # character

    @property
    def has_letters(self) -> bool:
        """Say whether a letter or a digit was read."""
        return any(event.char.isalnum() for event in self.events)

    def add(
        self,
        char: str,
        start: int,
        end: int,
        *,
        kept: bool = False,
        separator: bool = False,
        optional: bool = False,
    ) -> None:
        """Add a character that the file spells in ``start:end``; none is an anchor."""
        kept = kept or any(element.kept for element in self.stack)
        kind: Kind = "unit" if char else "anchor"
        self.last = char or self.last
        separates = {"separator": separator, "optional": optional}
        self.events.append(
            Event(kind, start, end, self.stack, char, kept=kept, **separates)
        )

    def open(self, element: Element, start: int, end: int) -> None:
        """Open an element; what is in more of them than anybody writes is a mark."""
        if len(self.stack) == DEEPEST:
            self.add("", start, end)
            return
        self.stack += (element,)
        self.events.append(Event("open", start, end, self.stack))

    def close(self, closing: str, start: int, end: int) -> None:
        """Close the last open element with this closing tag; else it is an anchor."""
        for depth in reversed(range(len(self.stack))):
            element = self.stack[depth]
            if element.closing.lower() == closing.lower():
                self.stack = self.stack[:depth] + self.stack[depth + 1 :]
                self.events.append(Event("close", start, end, self.stack))
                self._join_empty(element)
                return
        self.add("", start, end)

    def _join_empty(self, element: Element) -> None:
        """Make an element without text that was just closed one anchor."""
        for index in reversed(range(len(self.events) - 1)):
            event = self.events[index]
            if event.kind == "unit":
                return
            if event.kind == "open" and event.stack[-1] is element:
                outside = self.events[-1].stack
                if event.stack[:-1] == outside:
                    end = self.events[-1].end
                    joined = Event("anchor", event.start, end, outside)
                    self.events[index:] = [joined]
                return

    def finish(
        self, escape: Callable[[str], str], role: Role = Role.PROSE
    ) -> "Marked | None":
        """Return the stretch without the white space around it, if it has text."""
        events = self.events
        letters = [
            index
            for index, event in enumerate(events)
            if event.kind == "unit" and not event.char.isspace()
        ]
        if not letters:
            return None
        first, last = letters[0], letters[-1] + 1
        while first and events[first - 1].kind == "open":
            first -= 1
        while last < len(events) and events[last].kind == "close":
            last += 1
        before = events[first]
        outer = before.stack[:-1] if before.kind == "open" else before.stack
        return Marked(self.source, tuple(events[first:last]), outer, escape, role)


@dataclass(frozen=True)
class Marked:
    """A stretch that is complete; ``outer`` is what is open around it."""

    source: str
    events: tuple[Event, ...]
    outer: Stack
    escape: Callable[[str], str]
    role: Role = Role.PROSE

    @property
    def span(self) -> Span:
        """Return where in the file it stands."""
        return Span(self.events[0].start, self.events[-1].end)

    @property
    def units(self) -> list[Event]:
        """Return its characters."""
        return [event for event in self.events if event.kind == "unit"]

    def as_segment(self) -> Segment:
        """Return it as those who rewrite see it."""
        units = self.units
        numbers: dict[Stack, int] = {}
        formats = [numbers.setdefault(unit.stack, len(numbers)) for unit in units]
        return Segment(
            "".join(unit.char for unit in units),
            formats,
            tuple(_find_spans([unit.kept for unit in units])),
            tuple(self._find_links(units)),
            self.role,
            tuple(i for i, u in enumerate(units) if u.separator and not u.optional),
        )

    def write(self, rewritten: Rewritten) -> str:
        """Return what takes its place in the file."""
        if rewritten.text == self.as_segment().text:
            return self.source[self.span.start : self.span.end]
        units, written = self.units, _Written(self.outer)
        spelled = self.find_spellings()
        anchors = self._place_anchors(rewritten.origins)
        cuts = self._choose_cuts(rewritten)
        for index, char in enumerate(rewritten.text):
            written.add_all(anchors.get(index, ()), self.spell)
            unit = units[cuts.get(index, rewritten.origins[index])]
            written.move(unit.stack)
            if index in cuts or (unit.char == char and not unit.separator):
                written.parts.append(self.spell(unit))
            else:
                written.parts.append(spelled.get(char) or self.escape(char))
        written.add_all(anchors.get(len(rewritten.text), ()), self.spell)
        written.move(self.events[-1].stack)
        return "".join(written.parts)

    def spell(self, event: Event) -> str:
        """Return a character or an anchor as the file spells it."""
        return self.source[event.start : event.end]

    def find_spellings(self) -> dict[str, str]:
        """Return how the file spells characters that may be spelled in several ways."""
        return {
            unit.char: self.spell(unit)
            for unit in self.units
            if not unit.char.isspace() and unit.end - unit.start > 1
        }

    def _choose_cuts(self, rewritten: Rewritten) -> dict[int, int]:
        """Return where the separators stand; optional ones may have no place."""
        units = self.units
        spaces = find_spaces(rewritten.text)
        solid = [unit.kept and not unit.separator for unit in units]
        loose = [space for space in spaces if not solid[rewritten.origins[space]]]
        separators = [unit.separator for unit in units]
        surplus = sum(separators) - len(loose)
        for index in reversed(range(len(units))):
            if surplus > 0 and units[index].optional:
                separators[index] = False
                surplus -= 1
        places = loose if len(loose) >= sum(separators) else spaces
        return choose_cuts(places, rewritten.origins, separators)

    def _place_anchors(self, origins: Sequence[int]) -> dict[int, list[Event]]:
        placed: dict[int, list[Event]] = {}
        places = find_places(origins, len(self.units))
        offset = 0
        for event in self.events:
            offset += event.kind == "unit"
            if event.kind == "anchor":
                placed.setdefault(places[offset], []).append(event)
        return placed

    def _find_links(self, units: Sequence[Event]) -> Iterator[Span]:
        for link in dict.fromkeys(e for u in units for e in u.stack if e.link):
            inside = [index for index, u in enumerate(units) if link in u.stack]
            yield Span(inside[0], inside[-1] + 1)


def edit(
    source: str, stretches: Sequence[Marked], rewritten: Sequence[Rewritten]
) -> str:
    """Return a file with its stretches, which are in order, rewritten."""
    parts: list[str] = []
    position = 0
    for stretch, new in zip(stretches, rewritten, strict=True):
        parts += (source[position : stretch.span.start], stretch.write(new))
        position = stretch.span.end
    return "".join((*parts, source[position:]))


@dataclass
class _Written:
    """What is written so far of a stretch, and the elements that are open."""

    stack: Stack
    parts: list[str] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)

    def move(self, stack: Stack) -> None:
        """Close and open what leads from the open elements to these."""
        common = 0
        for ours, theirs in zip(self.stack, stack, strict=False):
            if ours is not theirs:
                break
            common += 1
        self.parts += (e.closing for e in reversed(self.stack[common:]))
        for element in stack[common:]:
            again = id(element) in self.opened
            self.opened.add(id(element))
            # An identifier belongs to the first part of an element that was cut.
            opening = _ID.sub("", element.opening) if again else element.opening
            self.parts.append(opening)
        self.stack = stack

    def add_all(self, anchors: Sequence[Event], spell: Callable[[Event], str]) -> None:
        """Write what stands between two characters."""
        for anchor in anchors:
            self.move(anchor.stack)
            self.parts.append(spell(anchor))


def find_spaces(text: str) -> list[int]:
    """Return the spaces between words, of several in a row the first."""
    return [match.start() for match in _SPACES.finditer(text)]


def choose_cuts(
    places: Sequence[int], origins: Sequence[int], separators: Sequence[bool]
) -> dict[int, int]:
    """Return which of these spaces of a rewrite stand for its source's separators.

    Each stands where the fewest characters are on another side of it than those that
    they stand for, in order, with a word at least between two of them. With too few
    words the last ones have no place.
    """
    offsets = [index for index, is_one in enumerate(separators) if is_one]
    cuts: dict[int, int] = {}
    first = 0
    for number, offset in enumerate(offsets):
        still = len(offsets) - number - 1
        open_places = places[first : len(places) - still] or places[first : first + 1]
        if not open_places:
            break
        position = min(open_places, key=lambda p: _count_crossing(origins, p, offset))
        cuts[position] = offset
        first = places.index(position) + 1
    return cuts


def _count_crossing(
    origins: Sequence[int], position: int, offset: int
) -> tuple[int, float]:
    before = sum(origin >= offset for origin in origins[:position])
    after = sum(origin < offset for origin in origins[position + 1 :])
    share = abs(position / len(origins) - offset / (1 + max(origins)))
    return before + after, share


def _find_spans(flags: Sequence[bool]) -> Iterator[Span]:
    """Yield the runs of what is true."""
    start = None
    for index, flag in enumerate((*flags, False)):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield Span(start, index, "kept")
            start = None
