"""Markdown as a document: one text, whose marks the front door knows."""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.rewriting.formats.segments import Document, Rewritten, Segment


@dataclass(frozen=True)
class MarkdownDocument:
    """A document that was read; bytes that are not UTF-8 stay."""

    segments: Sequence[Segment]
    markdown: bool = True

    def write(self, rewritten: Sequence[Rewritten]) -> bytes:
        """Return the text."""
        (whole,) = rewritten
        return whole.text.encode("utf-8", errors="surrogateescape")


class Markdown:
    """The format."""

    def read(self, data: bytes, name: str) -> Document:
        """Read a document."""
        text = data.decode("utf-8", errors="surrogateescape")
        return MarkdownDocument([Segment(text)])


format = Markdown()
