"""Tab-separated pairs: source, tab, target."""

from collections.abc import Sequence
from typing import ClassVar

from paraphrast.corpora.formats import Malformed, check_line


class Tsv:
    """One pair per line, its two sides separated by a tab, without quoting."""

    files: ClassVar[int] = 1
    columns: ClassVar[int] = 2
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Split the line at its one tab."""
        texts = tuple(lines[0].split("\t"))
        if len(texts) != 2:
            raise Malformed(f"expected 2 tab-separated columns, found {len(texts)}.")
        return texts

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Join the sides by a tab."""
        if any("\t" in text for text in texts):
            raise Malformed("a text with a tab needs JSONL.")
        return (check_line("\t".join(texts)),)
