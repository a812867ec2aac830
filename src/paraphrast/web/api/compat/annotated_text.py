"""Text with markup in it, as LanguageTool's clients send it, in UTF-16 units."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paraphrast.errors import ParaphrastError


@dataclass(frozen=True)
class AnnotatedText:
    """The plain text, and the position of each character in the request.

    ``starts`` are in UTF-16 units, and None for a character that replaces markup.
    """

    plain: str
    starts: Sequence[int | None]

    def locate(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the position and length of ``plain[start:end]`` in the request.

        None if it contains markup, which must not be replaced.
        """
        first = self.starts[start] if start < end else None
        if first is None:
            return None
        expected = first
        for index in range(start, end):
            if self.starts[index] != expected:
                return None
            expected += count_units(self.plain[index])
        return first, expected - first


def count_units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def from_text(text: str) -> AnnotatedText:
    """Return a text without markup."""
    return _join([(text, text, False)])


def from_data(data: str) -> AnnotatedText:
    """Read ``{"annotation": [{"text": …}, {"markup": …, "interpretAs": …}, …]}``."""
    try:
        parts = json.loads(data)["annotation"]
        return _join([_read_part(part) for part in parts])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ParaphrastError(
            'data must be {"annotation": [{"text": …}, {"markup": …}, …]}.'
        ) from None


def _read_part(part: dict[str, Any]) -> tuple[str, str, bool]:
    """Return a part as sent, its plain text, and whether it is markup."""
    is_markup = "markup" in part
    sent = part["markup"] if is_markup else part["text"]
    read = part.get("interpretAs", "") if is_markup else sent
    if not (isinstance(sent, str) and isinstance(read, str)):
        raise TypeError
    return sent, read, is_markup


def _join(parts: Sequence[tuple[str, str, bool]]) -> AnnotatedText:
    starts: list[int | None] = []
    position = 0
    for sent, read, is_markup in parts:
        if is_markup:
            starts += [None] * len(read)
            position += count_units(sent)
        else:
            for character in sent:
                starts.append(position)
                position += count_units(character)
    return AnnotatedText("".join(read for _, read, _ in parts), starts)
