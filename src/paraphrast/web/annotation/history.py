"""Undo and redo over an append-only log.

Undo and redo are events like all others. Their effect follows from the log alone, so
that they work after a reload, in another tab and on another machine.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

UNDO, REDO = "undo", "redo"
START, TOKENS, DONE = "start", "tokens", "done"


@dataclass(frozen=True, slots=True)
class Step:
    """An event without its time and owner."""

    kind: str
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """The effective part of a log: the last base, current and undone steps."""

    base: Step | None
    steps: tuple[Step, ...]
    undone: tuple[Step, ...]
    done: bool


def read_history(events: Iterable[Step]) -> History:
    """Return the effective events of one assignment.

    A new base (a start, or edited tokens) starts the history again; any step after
    ``done`` reopens it.
    """
    base: Step | None = None
    steps: list[Step] = []
    undone: list[Step] = []
    done = False
    for event in events:
        done = event.kind == DONE
        if event.kind in (START, TOKENS):
            base, steps, undone = event, [], []
        elif event.kind == UNDO:
            undone += [steps.pop()] if steps else []
        elif event.kind == REDO:
            steps += [undone.pop()] if undone else []
        elif event.kind != DONE:
            steps.append(event)
            undone = []
    return History(base, tuple(steps), tuple(undone), done)
