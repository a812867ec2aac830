"""Parallel files: line n of one belongs to line n of the other."""

from collections.abc import Sequence
from typing import ClassVar

from paraphrast.corpora.formats import check_line


class Parallel:
    """Two files of plain lines, the sources and the targets."""

    files: ClassVar[int] = 2
    columns: ClassVar[int] = 2
    suffixes: ClassVar[tuple[str, ...]] = ()

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Take the lines as they are."""
        return tuple(lines)

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Take the texts as they are."""
        return tuple(check_line(text) for text in texts)


class Texts(Parallel):
    """One file of plain lines, one text each: a corpus of a style."""

    files: ClassVar[int] = 1
    columns: ClassVar[int] = 1
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
