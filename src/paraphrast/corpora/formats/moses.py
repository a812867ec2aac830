"""Parallel files for Moses, in which some characters are written as entities.

Moses reads ``|`` as the border of factors and ``[X]`` as a nonterminal, and XML
where it finds ``<``; its tokeniser therefore writes these and the quotes as below
(escape-special-chars.perl), and its detokeniser reads them back.
"""

from collections.abc import Sequence
from typing import ClassVar

from paraphrast.corpora.formats.parallel import Parallel

# In the order of writing: the ampersand first, so that none is written twice.
ENTITIES = {
    "&": "&amp;",
    "|": "&#124;",
    "<": "&lt;",
    ">": "&gt;",
    "'": "&apos;",
    '"': "&quot;",
    "[": "&#91;",
    "]": "&#93;",
}


class Moses(Parallel):
    """Two files of lines with Moses' entities."""

    suffixes: ClassVar[tuple[str, ...]] = ()

    def decode(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Read entities as the characters they stand for."""
        return tuple(_unescape(line) for line in lines)

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Write characters that Moses would misread as entities."""
        return tuple(_escape(text) for text in super().encode(texts))


def _escape(text: str) -> str:
    for character, entity in ENTITIES.items():
        text = text.replace(character, entity)
    return text


def _unescape(line: str) -> str:
    for character, entity in reversed(ENTITIES.items()):
        line = line.replace(entity, character)
    return line
