r"""The Markdown of a paragraph, as distinct from its words, in order.

A rewrite with the same marks as its source has the same formatting: CommonMark pairs
the runs of ``*``, ``_`` and ``~`` by their order and by the characters on both sides,
and besides these only whole links, code, tags and escapes, and what opens a block at
the start of a line, are Markdown.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import regex

from paraphrast.text.protection import CODE_SPAN, MARKDOWN_SPAN

_BLOCK = r"^[^\S\n]*+(?:>|`{3,}+|~{3,}+|(?:[-+*=_]++|\#{1,6}|\d{1,9}[.)])(?=\s|\Z))"
_MARKS = regex.compile(
    rf"(?P<whole>{CODE_SPAN}|{MARKDOWN_SPAN}|\\.)|(?P<block>{_BLOCK})"
    r"|(?P<run>\*++|_++|~++)",
    regex.VERBOSE | regex.MULTILINE | regex.DOTALL,
)
_LABEL = r"\[(?!\^)((?:[^\[\]\\]|\\.)++)\]"
_DEFINITION = re.compile(rf"^[^\S\n]{{0,3}}{_LABEL}:[^\S\n]*\S", re.MULTILINE)
_REFERENCE = re.compile(rf"{_LABEL}(?![(\[:])")
# By pandoc's rules: "$5 and $6" has none.
_FORMULA = re.compile(
    r"(?<![\\$\w])(?:\$\$[^$]++\$\$|\$(?![\s$])(?:[^$\\\n]|\\.)++(?<!\s)\$(?![\w$]))"
)


class Mark(NamedTuple):
    """Its kind, its text, and whether it may open or close emphasis."""

    kind: str | None
    text: str
    opens: bool = False
    closes: bool = False


def find_marks(text: str) -> list[Mark]:
    """Return the marks of a paragraph, or of one of its sentences."""
    return [
        Mark(match.lastgroup, match[0].strip(), *_find_sides(text, match))
        if match["run"]
        else Mark(match.lastgroup, match[0].strip())
        for match in _MARKS.finditer(text)
    ]


def find_references(text: str) -> Iterator[str]:
    """Yield the links of a document that consist only of a ``[defined label]``."""
    defined = {_normalise(match[1]) for match in _DEFINITION.finditer(text)}
    for match in _REFERENCE.finditer(text) if defined else ():
        if _normalise(match[1]) in defined:
            yield match[0]


def find_formulas(text: str) -> Iterator[str]:
    """Yield the TeX formulas, with their dollar signs."""
    for match in _FORMULA.finditer(text) if "$" in text else ():
        yield match[0]


def _normalise(label: str) -> str:
    return " ".join(label.split()).casefold()


def _find_sides(text: str, run: "re.Match[str]") -> tuple[bool, bool]:
    """Return whether a run may open and close emphasis, by the rules of CommonMark."""
    before = text[max(0, run.start() - 1) : run.start()]
    after = text[run.end() : run.end() + 1]
    left = not _is_space(after) and (not _is_sign(after) or not _is_word(before))
    right = not _is_space(before) and (not _is_sign(before) or not _is_word(after))
    if run[0][0] != "_":
        return left, right
    return left and (not right or _is_sign(before)), right and (
        not left or _is_sign(after)
    )


def _is_space(char: str) -> bool:
    return not char.strip()


def _is_sign(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] in "PS"


def _is_word(char: str) -> bool:
    return not _is_space(char) and not _is_sign(char)
