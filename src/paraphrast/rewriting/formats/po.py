"""Gettext catalogues (po): the English messages, edited where they stand.

What is rewritten is each ``msgstr``; ``msgid``, comments, the header and messages
without a translation stay, and so do placeholders, tags and key marks in a message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paraphrast.errors import ParaphrastError
from paraphrast.rewriting.formats.html import Page, decode
from paraphrast.rewriting.formats.marked import Marked, Stretch
from paraphrast.rewriting.formats.segments import Document, Role

_ENTRY = re.compile(
    r"""^msgid[ \t]+(?P<id>"(?:[^"\\\n]|\\.)*"(?:\s*\n[ \t]*"(?:[^"\\\n]|\\.)*")*)
      | ^msgstr(?:\[\d+\])?[ \t]+
        (?P<text>"(?:[^"\\\n]|\\.)*"(?:\s*\n[ \t]*"(?:[^"\\\n]|\\.)*")*)
    """,
    re.VERBOSE | re.MULTILINE,
)
_PIECE = re.compile(
    r"""  (?P<wrap>"\s*\n[ \t]*")
        | (?P<quote>")
        | (?P<escape>\\(?:[0-7]{1,3}|x[\da-fA-F]{1,2}|.))
        | (?P<placeholder>%(?:\(\w+\))?[-+ #0]*\d*(?:\$[-+ #0]*\d*)?(?:\.\d+)?
            (?:hh|h|ll|l|q|j|z|t|L)?[diouxXeEfFgGaAcsSrp%@]
          | %\d+ | \{[\w.!:,<>]*\} | \$\{\w+\} | </?[A-Za-z][^<>"\n]*> | &\w+;)
        | (?P<char>[^"\\])
    """,
    re.VERBOSE,
)
_ESCAPES = {r"\"": '"', r"\\": "\\"}
_BREAKS = {r"\n", r"\r", r"\t"}
_CHARSET = re.compile(rb"""Content-Type:[^\n"]*charset=([\w.:-]+)""", re.IGNORECASE)
_LANGUAGE = re.compile(r"Language:[ \t]*([A-Za-z]+)")


@dataclass(frozen=True)
class Po:
    """The format."""

    def read(self, data: bytes, name: str) -> Document:
        """Read a catalogue of English messages."""
        source, encoding = decode(data, name, _CHARSET)
        stretches = [
            marked
            for start, end in _find_messages(source, name)
            for marked in _read_message(source, start, end)
        ]
        return Page(source, encoding, stretches)


def _find_messages(source: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield where the strings of messages stand, but for the header."""
    is_header = False
    for match in _ENTRY.finditer(source):
        if match["id"]:
            is_header = not re.sub(r'["\s]', "", match["id"])
        elif not is_header:
            yield match.span("text")
        else:
            _refuse_foreign(match["text"], name)


def _refuse_foreign(header: str, name: str) -> None:
    language = _LANGUAGE.search(header)
    if language and not language[1].lower().startswith("en"):
        raise ParaphrastError(
            f"{name}: its messages are in {language[1]!r}, and paraphrast rewrites "
            "English. Give a catalogue in English."
        )


def _read_message(source: str, start: int, end: int) -> Iterator[Marked]:
    """Yield the lines of a message; a string's own line ends are marks in them."""
    stretch = Stretch(source)
    for match in _PIECE.finditer(source, start, end):
        span = match.span()
        if match["escape"] in _BREAKS:
            yield from _finish(stretch)
            stretch = Stretch(source)
        elif match["wrap"]:
            stretch.add("", *span)
        elif match["escape"]:
            char = _ESCAPES.get(match["escape"], "")
            stretch.add(char, *span)
        elif match["placeholder"]:
            for index in range(*span):
                stretch.add(source[index], index, index + 1, kept=True)
        elif match["char"]:
            stretch.add(" " if match[0].isspace() else match[0], *span)
    yield from _finish(stretch)


def _finish(stretch: Stretch) -> Iterator[Marked]:
    if marked := stretch.finish(_escape, Role.LABEL):
        yield marked


def _escape(char: str) -> str:
    return {'"': r"\"", "\\": r"\\", "\n": r"\n"}.get(char, char)


format = Po()
