"""Parallel files for Moses, in which some characters are written as entities.

Moses reads ``|`` as a factor separator, ``[X]`` as a nonterminal and ``<`` as the start
of XML; its tokeniser therefore escapes these and the quotes as below
(escape-special-chars.perl), and its detokeniser unescapes them.
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
        """Unescape entities."""
        return tuple(_unescape(line) for line in lines)

    def encode(
        self, texts: Sequence[str], *, instead_of: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Escape characters that Moses would misread."""
        return tuple(_escape(text) for text in super().encode(texts))


def _escape(text: str) -> str:
    for character, entity in ENTITIES.items():
        text = text.replace(character, entity)
    return text


def _unescape(line: str) -> str:
    for character, entity in reversed(ENTITIES.items()):
        line = line.replace(entity, character)
    return line
