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
    """What a placeholder stands for, and the signs that touched it, if any."""

    text: str
    before: str
    after: str


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
        before = text[max(0, span.start - 1) : span.start].strip()
        after = text[span.end : span.end + 1].strip()
        placeholder = f"{stem}{number}q"
        table[placeholder] = Hidden(text[span.start : span.end], before, after)
        parts.append(text[position : span.start])
        parts += (" " * len(before), placeholder, " " * len(after))
        position = span.end
    parts.append(text[position:])
    return "".join(parts), table


def unmask(text: str, table: Mapping[str, Hidden]) -> Unmasked:
    """Put back what the placeholders stand for, in any case and any order.

    What touched its neighbours touches them again, unless these were marks and are
    words now.
    """
    if not table:
        return Unmasked(text, ())
    found: set[str] = set()
    pattern = re.compile(rf"( ?)({'|'.join(table)})( ?)", re.IGNORECASE)
    matches = list(pattern.finditer(text))
    starts, ends = {m.start() for m in matches}, {m.end() for m in matches}

    def original(match: re.Match[str]) -> str:
        placeholder = match[2].lower()
        found.add(placeholder)
        hidden = table[placeholder]
        start, end = match.span()
        # Another placeholder is no word.
        last = "" if start in ends else text[max(0, start - 1) : start]
        following = "" if end in starts else text[end : end + 1]
        before = _between(match[1], hidden.before, last)
        return before + hidden.text + _between(match[3], hidden.after, following)

    restored = pattern.sub(original, text)
    lost = (hidden.text for name, hidden in table.items() if name not in found)
    return Unmasked(restored, tuple(lost))


def _between(space: str, sign: str, near: str) -> str:
    """Return what stands between an original that touched ``sign`` and what is near."""
    is_word_now = near.isalnum() and not sign.isalnum()
    return space if not sign or is_word_now else ""
