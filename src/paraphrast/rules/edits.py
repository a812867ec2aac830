"""Operations on the edits of a text: apply them, move spans, compose them."""

from collections.abc import Sequence

from paraphrast.rewriter import Change
from paraphrast.text.spans import Span


def apply_changes(text: str, changes: Sequence[Change]) -> str:
    """Return the text after the edits, which are in order and do not overlap."""
    parts = []
    at = 0
    for change in changes:
        parts += [text[at : change.start], change.after]
        at = change.end
    parts.append(text[at:])
    return "".join(parts)


def move_spans(spans: Sequence[Span], changes: Sequence[Change]) -> tuple[Span, ...]:
    """Return the positions after the edits of spans that no edit touches."""
    result = []
    shift = position = 0
    for span in sorted(spans):
        while position < len(changes) and changes[position].end <= span.start:
            change = changes[position]
            shift += len(change.after) - len(change.before)
            position += 1
        result.append(Span(span.start + shift, span.end + shift, span.kind))
    return tuple(result)


def compose_changes(
    text: str, first: Sequence[Change], second: Sequence[Change]
) -> list[Change]:
    """Return the edits of ``text`` equivalent to ``first`` followed by ``second``.

    ``second`` has its offsets in the text after ``first``. Edits that overlap become
    one, named after both rules.
    """
    result: list[Change] = []
    group: list[tuple[int, Change, bool]] = []
    group_end = -1
    merged = sorted(
        [(start, change, True) for start, change in _locate_changes(first)]
        + [(change.start, change, False) for change in second],
        key=lambda item: (item[0], not item[2]),
    )
    shift = 0  # how far the text after `first` is ahead at the group's start
    for start, change, is_first in merged:
        if group and start >= group_end:
            edit, shift = _one(text, group, shift)
            result.append(edit)
            group = []
        length = len(change.after) if is_first else change.end - change.start
        group_end = max(group_end, start + length)
        group.append((start, change, is_first))
    if group:
        result.append(_one(text, group, shift)[0])
    return [change for change in result if change.before != change.after]


def _locate_changes(changes: Sequence[Change]) -> list[tuple[int, Change]]:
    """Pair each edit with where its result begins."""
    placed = []
    shift = 0
    for change in changes:
        placed.append((change.start + shift, change))
        shift += len(change.after) - len(change.before)
    return placed


def _one(
    text: str, group: Sequence[tuple[int, Change, bool]], shift: int
) -> tuple[Change, int]:
    """Merge a group of adjoining edits into one; return it and the shift after it."""
    if len(group) == 1 and group[0][2]:
        [(_, change, _)] = group
        return change, shift + len(change.after) - len(change.before)
    firsts = [change for _, change, is_first in group if is_first]
    seconds = [(start, change) for start, change, is_first in group if not is_first]
    grown = sum(len(change.after) - len(change.before) for change in firsts)
    low = min(start for start, _, _ in group)
    high = max(
        start + (len(change.after) if is_first else change.end - change.start)
        for start, change, is_first in group
    )
    start, end = low - shift, high - shift - grown
    middle = apply_changes(
        text[start:end],
        [
            Change(c.start - start, c.end - start, c.before, c.after, c.rule)
            for c in firsts
        ],
    )
    after = apply_changes(
        middle,
        [
            Change(at - low, at - low + c.end - c.start, c.before, c.after, c.rule)
            for at, c in seconds
        ],
    )
    names = [name for _, change, _ in group for name in change.rule.split(", ")]
    rule = ", ".join(dict.fromkeys(names))
    return Change(start, end, text[start:end], after, rule), shift + grown
