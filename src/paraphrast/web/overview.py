"""A project's overview: everybody's progress and speed, and pending adjudication."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Row, case, func, select
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
    items, touched, unfinished = _count_items(session, project)
    counts = session.execute(
        select(
            Assignment.account_id,
            func.count(),
            func.count(Assignment.done),
        )
        .join(Item, Item.id == Assignment.item_id)
        .where(Item.project_id == project.id)
        .group_by(Assignment.account_id)
    ).all()
    assigned = {account: (total, done) for account, total, done in counts}
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
        items=items,
        unassigned=items - touched,
        finished=touched - unfinished,
        people=tuple(people),
        waiting=len(find_conflicts(session, project)),
    )


def _count_items(session: Session, project: Project) -> tuple[int, int, int]:
    """Return how many items there are, are assigned, and are not finished by all."""
    assigned = func.count(func.distinct(Assignment.item_id))
    unfinished = func.count(
        func.distinct(case((Assignment.done.is_(None), Assignment.item_id)))
    )
    row = session.execute(
        select(func.count(func.distinct(Item.id)), assigned, unfinished)
        .outerjoin(Assignment, Assignment.item_id == Item.id)
        .where(Item.project_id == project.id)
    ).one()
    return row[0], row[1], row[2]


def _measure_speed(
    session: Session, project: Project
) -> dict[int, tuple[float | None, int | None]]:
    """Return everybody's median seconds per item, and the time of their last event."""
    spent: dict[int, list[float]] = {}
    last: dict[int, int] = {}
    for account, pauses, time in _time_items(session, project):
        last[account] = max(last.get(account, 0), time)
        if pauses is not None:
            spent.setdefault(account, []).append(float(pauses) / 1_000)
    return {
        account: (
            statistics.median(spent[account]) if account in spent else None,
            last[account],
        )
        for account in last
    }


def _time_items(
    session: Session, project: Project
) -> Sequence[Row[int, int | None, int]]:
    """Return the account, the milliseconds and the last time of each assignment.

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
    pauses = func.sum(case((events.c.pause <= IDLE, events.c.pause)))
    return session.execute(
        select(events.c.account_id, pauses, func.max(events.c.time)).group_by(
            events.c.account_id, events.c.assignment_id
        )
    ).all()
