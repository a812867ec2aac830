"""A project's overview: everybody's progress and speed, and pending adjudication."""

import statistics
from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from paraphrast.web.database.tables import Assignment, Event, Item, Project
from paraphrast.web.projects import find_conflicts, list_members

IDLE = 600_000  # after a longer pause, somebody had been elsewhere


@dataclass(frozen=True)
class Progress:
    """One person's work: ``seconds`` is the median per item, ``seen`` the last time."""

    name: str
    role: str
    active: bool
    account_id: int
    done: int
    assigned: int
    seconds: float | None
    seen: int | None


@dataclass(frozen=True)
class Overview:
    """Everybody's work; ``waiting`` are disagreements that nobody has been assigned."""

    items: int
    unassigned: int
    finished: int
    people: tuple[Progress, ...]
    waiting: int


def describe_project(session: Session, project: Project) -> Overview:
    """Return a project's overview."""
    in_project = Item.project_id == project.id
    items = session.scalar(select(func.count()).select_from(Item).where(in_project))
    counts = session.execute(
        select(
            Assignment.account_id,
            func.count(),
            func.count(Assignment.done),
        )
        .join(Item, Item.id == Assignment.item_id)
        .where(in_project)
        .group_by(Assignment.account_id)
    ).all()
    assigned = {account: (total, done) for account, total, done in counts}
    touched = session.scalar(
        select(func.count(func.distinct(Assignment.item_id)))
        .join(Item, Item.id == Assignment.item_id)
        .where(in_project)
    )
    open_items = session.scalar(
        select(func.count(func.distinct(Assignment.item_id)))
        .join(Item, Item.id == Assignment.item_id)
        .where(in_project, Assignment.done.is_(None))
    )
    speeds = _measure_speed(session, project)
    people = []
    for member in list_members(session, project):
        total, done = assigned.get(member.account_id, (0, 0))
        seconds, seen = speeds.get(member.account_id, (None, None))
        people.append(
            Progress(
                name=member.account.name,
                role=member.role,
                active=member.active,
                account_id=member.account_id,
                done=done,
                assigned=total,
                seconds=seconds,
                seen=seen,
            )
        )
    return Overview(
        items=items or 0,
        unassigned=(items or 0) - (touched or 0),
        finished=(touched or 0) - (open_items or 0),
        people=tuple(people),
        waiting=len(find_conflicts(session, project)),
    )


def _measure_speed(
    session: Session, project: Project
) -> dict[int, tuple[float | None, int | None]]:
    """Return everybody's median seconds per item, and the time of their last event.

    An item's time is counted from the last event on the previous item, as opening an
    item is not an event.
    """
    before = func.lag(Event.time).over(
        partition_by=Event.account_id, order_by=(Event.time, Event.id)
    )
    events = (
        select(
            Event.account_id,
            Event.assignment_id,
            Event.time,
            (Event.time - before).label("pause"),
        )
        .join(Assignment, Assignment.id == Event.assignment_id)
        .join(Item, Item.id == Assignment.item_id)
        .where(Item.project_id == project.id)
        .subquery()
    )
    rows = session.execute(
        select(
            events.c.account_id,
            func.sum(case((events.c.pause <= IDLE, events.c.pause))),
            func.max(events.c.time),
        ).group_by(events.c.account_id, events.c.assignment_id)
    ).all()
    spent: dict[int, list[float]] = {}
    last: dict[int, int] = {}
    for account, span, time in rows:
        last[account] = max(last.get(account, 0), time)
        if span is not None:
            spent.setdefault(account, []).append(float(span) / 1_000)
    return {
        account: (
            statistics.median(spent[account]) if account in spent else None,
            last[account],
        )
        for account in last
    }
