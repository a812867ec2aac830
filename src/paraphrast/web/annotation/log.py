"""Events in the database, and the resulting states.

An event and the new state are stored in one transaction, before the response. A page
that sends an event again, because it never received the response, gets the state and
adds nothing: each event has a unique key.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from sqlalchemy import bindparam, exists, select
from sqlalchemy.orm import Session

from paraphrast.errors import ParaphrastError
from paraphrast.web.accounts import now
from paraphrast.web.annotation import alignment, judging
from paraphrast.web.annotation.beginning import cut_anew, make_base
from paraphrast.web.annotation.history import (
    DONE,
    REDO,
    START,
    TOKENS,
    UNDO,
    Step,
    read_history,
)
from paraphrast.web.database.tables import Annotation, Assignment, Event

# How each kind of project makes a state of a base event and further ones.
MACHINES: dict[str, ModuleType] = {"align": alignment, "judge": judging}
LONGEST_KEY = 64
_REPLAYED = (START, TOKENS, UNDO, REDO)  # what these do depends on the whole log
# The state that is kept of an assignment, if any, and whether an event is known.
_KEPT = (
    select(
        Annotation,
        exists().where(
            Event.assignment_id == bindparam("assignment"),
            Event.key == bindparam("key"),
        ),
    )
    .select_from(Assignment)
    .outerjoin(Annotation, Annotation.assignment_id == Assignment.id)
    .where(Assignment.id == bindparam("assignment"))
)


def read_state(session: Session, assignment: Assignment) -> dict[str, Any]:
    """Return an assignment's state, or its initial state."""
    kept = session.get(Annotation, assignment.id)
    if kept is not None:
        return kept.state
    return _describe(assignment, [_begin(session, assignment)])


def add_event(
    session: Session,
    assignment: Assignment,
    *,
    key: str,
    kind: str,
    content: Mapping[str, Any],
) -> dict[str, Any]:
    """Add an event to an assignment whose row is locked; return the new state."""
    if not key or len(key) > LONGEST_KEY:
        raise ParaphrastError(
            f"an event's key must have 1 to {LONGEST_KEY} characters."
        )
    kept, is_known = session.execute(
        _KEPT, {"assignment": assignment.id, "key": key}
    ).one()
    if is_known:
        return read_state(session, assignment)
    if assignment.item.project.archived is not None:
        raise ParaphrastError("the project is archived. Ask its lead to reopen it.")
    step = Step(kind, dict(content))
    if kept is not None and kind not in _REPLAYED:
        return _go_on(session, assignment, kept, step, key=key)
    events = _read_events(session, assignment)
    if not events:
        events = [_begin(session, assignment)]
        _insert(session, assignment, events[0], number=1, key=START)
        _remember_links(assignment, events[0])
    event = _check(session, assignment, events, step)
    events.append(event)
    _insert(session, assignment, event, number=len(events), key=key)
    return _keep(session, assignment, events)


def _go_on(
    session: Session, assignment: Assignment, kept: Annotation, step: Step, *, key: str
) -> dict[str, Any]:
    """Apply a step to the stored state, without reading the log again."""
    number = kept.number + 1
    if step.kind == DONE:
        _check_nothing_missing(kept.state)
        step = Step(DONE, {})
        state = kept.state | {"number": number, "done": True}
    else:
        machine = MACHINES[assignment.item.project.kind]
        after = machine.apply(machine.from_json(kept.state), step.kind, step.content)
        state = machine.as_json(after) | {
            "number": number,
            "undo": True,
            "redo": False,
            "done": False,
        }
    _insert(session, assignment, step, number=number, key=key)
    kept.number, kept.state = number, state
    _note_done(assignment, state)
    return state


def begin_with(
    session: Session, assignment: Assignment, content: Mapping[str, Any]
) -> None:
    """Start the log of an assignment with imported links."""
    _insert(session, assignment, Step(START, dict(content)), number=1, key=START)
    session.flush()


def rebuild(session: Session, assignment: Assignment) -> dict[str, Any]:
    """Rebuild the state from the events alone."""
    events = _read_events(session, assignment)
    if not events:
        return read_state(session, assignment)
    return _keep(session, assignment, events)


def replay(
    project: str, steps: Sequence[Step], item: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the state of an imported log; refuse an invalid one.

    Each event is applied as if it were sent now, including undone ones.
    """
    machine = MACHINES[project]
    states: list[Any] = []
    undone: list[Any] = []
    done = False
    for number, (kind, content) in enumerate((s.kind, s.content) for s in steps):
        if (kind == START) != (number == 0):
            raise ParaphrastError("work begins once, with its first event.")
        done = kind == DONE
        if kind in (START, TOKENS):
            base = machine.check_base(content)
            states, undone = [machine.start(content)], []
        elif kind == UNDO and len(states) > 1:
            undone.append(states.pop())
        elif kind == REDO and undone:
            states.append(undone.pop())
        elif kind == DONE:
            if states[-1].missing():
                raise ParaphrastError(
                    "it is marked done, but not everything is answered."
                )
        else:
            states.append(machine.apply(states[-1], kind, content))
            undone = []
    if machine is alignment:
        fits = (base.source, base.target) == tuple(
            tuple(item[side]) for side in alignment.SIDES
        )
    else:
        fits = {*base} <= {output["number"] for output in item["outputs"]}
    if not fits:
        raise ParaphrastError("the events belong to another item.")
    record: dict[str, Any] = machine.as_json(states[-1])
    return record | {
        "number": len(steps),
        "undo": len(states) > 1,
        "redo": bool(undone),
        "done": done,
    }


def _read_events(session: Session, assignment: Assignment) -> list[Step]:
    rows = session.execute(
        select(Event.kind, Event.content)
        .where(Event.assignment_id == assignment.id)
        .order_by(Event.number)
    )
    return [Step(kind, content) for kind, content in rows]


def _insert(
    session: Session, assignment: Assignment, step: Step, *, number: int, key: str
) -> None:
    session.add(
        Event(
            assignment_id=assignment.id,
            account_id=assignment.account_id,
            number=number,
            key=key,
            kind=step.kind,
            content=step.content,
            time=now(),
        )
    )


def _keep(
    session: Session, assignment: Assignment, events: list[Step]
) -> dict[str, Any]:
    state = _describe(assignment, events)
    kept = session.get(Annotation, assignment.id)
    if kept is None:
        kept = Annotation(assignment_id=assignment.id)
        session.add(kept)
    kept.number, kept.state = len(events), state
    _note_done(assignment, state)
    return state


def _note_done(assignment: Assignment, state: Mapping[str, Any]) -> None:
    assignment.done = (assignment.done or now()) if state["done"] else None


def _describe(assignment: Assignment, events: list[Step]) -> dict[str, Any]:
    machine = MACHINES[assignment.item.project.kind]
    history = read_history(events)
    if history.base is None:
        raise ValueError(f"the log of assignment {assignment.id} has no beginning")
    state = machine.start(history.base.content)
    for step in history.steps:
        state = machine.apply(state, step.kind, step.content)
    record: dict[str, Any] = machine.as_json(state)
    return record | {
        "number": len(events),
        "undo": bool(history.steps),
        "redo": bool(history.undone),
        "done": history.done,
    }


def _check(
    session: Session, assignment: Assignment, events: list[Step], step: Step
) -> Step:
    """Return the event for storage, or refuse it."""
    state = _describe(assignment, events)
    if step.kind == START or (step.kind in (UNDO, REDO) and not state[step.kind]):
        raise ParaphrastError(f"there is nothing to {step.kind}.")
    if step.kind == DONE:
        _check_nothing_missing(state)
    if step.kind == TOKENS:
        return _cut(session, assignment, step)
    if step.kind in (UNDO, REDO, DONE):
        return Step(step.kind, {})
    machine = MACHINES[assignment.item.project.kind]
    machine.apply(machine.from_json(state), step.kind, step.content)
    return step


def _check_nothing_missing(state: Mapping[str, Any]) -> None:
    if state["missing"]:
        raise ParaphrastError(f"not done yet: {'; '.join(state['missing'])}.")


def _begin(session: Session, assignment: Assignment) -> Step:
    return Step(START, make_base(session, assignment))


def _remember_links(assignment: Assignment, start: Step) -> None:
    """Store automatic links with the item, for chance-corrected agreement."""
    item = assignment.item
    begins_so = assignment.part == "annotator" and start.content.get("links")
    if item.project.kind == "align" and begins_so and "links" not in item.content:
        item.content = dict(item.content) | {"links": start.content["links"]}


def _cut(session: Session, assignment: Assignment, step: Step) -> Step:
    """Edit a sentence pair's tokens for everybody, before anybody has linked any."""
    others = session.scalars(
        select(Assignment).where(
            Assignment.item_id == assignment.item_id, Assignment.id != assignment.id
        )
    ).all()
    logs = {other: _read_events(session, other) for other in others}
    logs[assignment] = _read_events(session, assignment)
    if any(event.kind not in (START, TOKENS) for log in logs.values() for event in log):
        raise ParaphrastError(
            "tokens can be edited only until someone has linked a word of this pair."
        )
    cut_anew(assignment, step.content)
    for other in others:
        if logs[other]:
            event = Step(TOKENS, make_base(session, other))
            number = len(logs[other]) + 1
            _insert(session, other, event, number=number, key=f"{TOKENS}{number}")
            _keep(session, other, [*logs[other], event])
    return Step(TOKENS, make_base(session, assignment))
