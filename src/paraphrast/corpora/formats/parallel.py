"""Parallel files: line n of one corresponds to line n of the other."""

from collections.abc import Sequence
from typing import ClassVar

from paraphrast.corpora.formats import check_line


class Parallel:
    """Two files of plain lines, the sources and the targets."""

    files: ClassVar[int] = 2
    columns: ClassVar[int] = 2
    suffixes: ClassVar[tuple[str, ...]] = ()

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the lines unchanged."""
        return tuple(lines)

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return the texts unchanged."""
        return tuple(check_line(text) for text in texts)


class Texts(Parallel):
    """One file with one text per line: a corpus of a style."""

    files: ClassVar[int] = 1
    columns: ClassVar[int] = 1
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
