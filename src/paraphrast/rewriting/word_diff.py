"""The edits between a text and its rewrite, word by word."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from paraphrast.rewriter import Change

_WORDS = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")


def find_changes(source: str, text: str, rule: str) -> tuple[Change, ...]:
    """Return the edits that turn ``source`` into ``text``, made by ``rule``.

    Applied from the last to the first they give exactly ``text``. Edits with nothing
    but white space between them are one.
    """
    changes: list[Change] = []
    for start, end, after in _find_edits(source, text):
        last = changes[-1] if changes else None
        if last and not source[last.end : start].strip():
            gap = source[last.end : start]
            changes[-1] = Change(
                last.start,
                end,
                source[last.start : end],
                last.after + gap + after,
                rule,
            )
        else:
            changes.append(Change(start, end, source[start:end], after, rule))
    return tuple(changes)


def _find_edits(source: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the replacement of each stretch that differs."""
    before, after = _WORDS.findall(source), _WORDS.findall(text)
    starts = [0]
    for word in before:
        starts.append(starts[-1] + len(word))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield starts[start], starts[end], "".join(after[first:last])
