"""Undo and redo over a log that only grows.

Undo and redo are events as all others. What they take back or bring back follows from
the log alone, so that they work after a reload, in another tab and on another machine.
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
    """What counts of a log: the last base, the steps in force, those taken back."""

    base: Step | None
    steps: tuple[Step, ...]
    undone: tuple[Step, ...]
    done: bool


def read_history(events: Iterable[Step]) -> History:
    """Return what counts of the events of one assignment.

    A new base (a start, or tokens that were cut anew) begins the history again; any
    step after ``done`` means that it is not done.
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
