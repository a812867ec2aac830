"""What a document is to whoever rewrites it: stretches of running text, and the rest.

A format reads bytes and gives a `Document`. Its segments are in reading order; a
segment is the text of a paragraph, a cell, a cue, without line breaks, and says how its
characters are formatted. What is no text (pictures, notes' marks, bookmarks) is not in
it: it stands between two characters and the document knows where. `Document.write`
takes a `Rewritten` for each segment and gives bytes; what did not change is written as
it was.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from paraphrast.rewriter import Rewrite
from paraphrast.text.spans import Span

_HEADING = re.compile(r"heading|title|subtitle|toc|table of|index", re.IGNORECASE)
_CODE = re.compile(
    r"code|preformatted|verbatim|source text|macro|do\s*not\s*translate|no\s*translate",
    re.IGNORECASE,
)


class Role(Enum):
    """What a segment is; a label is a list item or a cell, often no sentence."""

    PROSE = "prose"
    HEADING = "heading"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of running text, without line breaks.

    ``formats`` has a number for each character: the same number, the same formatting.
    It is None where nobody asks which character came from which. ``kept`` are sorted
    spans that stay letter for letter; each of ``links`` must stay on some words. The
    ``separators`` are the spaces that stand for the end of a line or a cue: a rewrite
    has at least as many spaces.
    """

    text: str
    formats: Sequence[int] | None = None
    kept: tuple[Span, ...] = ()
    links: tuple[Span, ...] = ()
    role: Role = Role.PROSE
    separators: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A segment's rewrite.

    ``origins[i]`` is the character of the segment that character i of the rewrite
    stands for, and whose formatting it takes.
    """

    rewrite: Rewrite
    origins: Sequence[int]

    @property
    def text(self) -> str:
        """Return the new text."""
        return self.rewrite.text


class Document(Protocol):
    """A document that was read; ``markdown`` says whether its segments are that."""

    @property
    def segments(self) -> Sequence[Segment]:
        """Return the text in reading order."""
        ...

    @property
    def markdown(self) -> bool:
        """Say whether the segments are Markdown, and may have line breaks."""
        ...

    def write(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the document with a rewrite for each of its segments."""
        ...


@runtime_checkable
class Trackable(Document, Protocol):
    """A document whose editor can show changes for acceptance."""

    def write_tracked(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the document with each change to be accepted or rejected."""
        ...


class DocumentFormat(Protocol):
    """A kind of document."""

    def read(self, data: bytes, name: str) -> Document:
        """Read a document; ``name`` is what messages call it."""
        ...


def is_heading_style(name: str) -> bool:
    """Say whether a style of that name is for headings."""
    return bool(_HEADING.match(name))


def is_code_style(name: str) -> bool:
    """Say whether a style of that name is for what must not be rewritten."""
    return bool(_CODE.search(name))


def find_places(origins: Sequence[int], length: int) -> list[int]:
    """Return where to put what stood after 0, 1, … ``length`` characters of a source.

    It follows the character that it followed, or the nearest before that one which is
    still there.
    """
    last = [0] * (length + 1)
    for index, origin in enumerate(origins):
        last[origin + 1] = index + 1
    for offset in range(1, length + 1):
        last[offset] = last[offset] or last[offset - 1]
    return last


def find_range(origins: Sequence[int], start: int, end: int) -> tuple[int, int] | None:
    """Return where a range of the source begins and ends, if any of it is there."""
    inside = [index for index, origin in enumerate(origins) if start <= origin < end]
    return (inside[0], inside[-1] + 1) if inside else None
