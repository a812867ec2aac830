"""Hide spans of a text from a rewriter that writes text of its own.

`mask` puts a placeholder in the place of every span: one token without case or
meaning, which tokenising, lower-casing and detokenising leave whole. `unmask` puts
the originals back wherever the placeholders went, and says which were lost.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paraphrast.text.spans import Span

_STEM = re.compile(r"zqx+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a placeholder stands for, and whether its neighbours touched it."""

    text: str
    touches_before: bool
    touches_after: bool


@dataclass(frozen=True, slots=True)
class Unmasked:
    """A text with its originals back, and the originals that never came back."""

    text: str
    lost: tuple[str, ...]


def mask(text: str, spans: Sequence[Span]) -> tuple[str, dict[str, Hidden]]:
    """Replace sorted spans by placeholders; return these with what they hide."""
    longest = max((len(found) for found in _STEM.findall(text)), default=2)
    stem = "zqx".ljust(longest + 1, "x")
    table: dict[str, Hidden] = {}
    parts: list[str] = []
    position = 0
    for number, span in enumerate(spans):
        before = span.start > 0 and not text[span.start - 1].isspace()
        after = span.end < len(text) and not text[span.end].isspace()
        placeholder = f"{stem}{number}q"
        table[placeholder] = Hidden(text[span.start : span.end], before, after)
        parts += (text[position : span.start], " " * before, placeholder, " " * after)
        position = span.end
    parts.append(text[position:])
    return "".join(parts), table


def unmask(text: str, table: Mapping[str, Hidden]) -> Unmasked:
    """Put back what the placeholders stand for, in any case and any order."""
    if not table:
        return Unmasked(text, ())
    found: set[str] = set()

    def original(match: re.Match[str]) -> str:
        placeholder = match[2].lower()
        found.add(placeholder)
        hidden = table[placeholder]
        before = "" if hidden.touches_before else match[1]
        return before + hidden.text + ("" if hidden.touches_after else match[3])

    known = "|".join(table)
    restored = re.sub(rf"( ?)({known})( ?)", original, text, flags=re.IGNORECASE)
    lost = (hidden.text for name, hidden in table.items() if name not in found)
    return Unmasked(restored, tuple(lost))
