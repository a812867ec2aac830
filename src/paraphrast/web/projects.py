"""Projects: their settings, their people, and who works on what.

Items are assigned to annotators, some of them to several, so that agreement can be
measured; adjudicators get the items on which two annotators differ.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Integer, Row, bindparam, func, insert, select, tuple_
from sqlalchemy.orm import Session

from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.web.accounts import now
from paraphrast.web.annotation.beginning import find_annotators
from paraphrast.web.authorisation import Person
from paraphrast.web.database.tables import Assignment, Item, Member, Project
from paraphrast.web.protocols import Protocol

MOST_ITEMS = 50_000
LONGEST_TITLE = 200
LONGEST_GUIDELINE = 50_000
_AT_ONCE = 500  # items that are read together


@dataclass(frozen=True)
class ProjectSettings:
    """A project's settings.

    ``people`` work on each item of the share ``overlap``, one on every other; the share
    ``repeats`` of the items is repeated at the end, for the same person. ``blind``
    hides automatic links.
    """

    people: int = 2
    overlap: float = 1.0
    repeats: float = 0.0
    blind: bool = False
    guideline: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not 1 <= self.people <= 20:
            raise ValueError(f"people per item must be 1 to 20, not {self.people}.")
        for name in ("overlap", "repeats"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be 0 to 1.")
        if len(self.guideline) > LONGEST_GUIDELINE:
            raise ValueError(
                f"the guideline has more than {LONGEST_GUIDELINE:,} characters."
            )


def create_project(
    session: Session,
    person: Person,
    *,
    title: str,
    protocol: Protocol | None = None,
    settings: ProjectSettings | None = None,
) -> Project:
    """Create a project led by the account, for judging by a protocol or aligning."""
    title = check_title(title)
    questions = {"questions": asdict(protocol), "systems": []} if protocol else {}
    if settings is None:
        settings = ProjectSettings(people=protocol.people if protocol else 2)
    project = Project(
        title=title,
        kind="judge" if protocol else "align",
        settings=asdict(settings) | questions,
        created=now(),
    )
    session.add(project)
    session.flush()
    session.add(Member(project_id=project.id, account_id=person.id, role="lead"))
    return project


def check_title(title: str) -> str:
    """Return a title with single spaces, or refuse it."""
    title = " ".join(title.split())
    if not 0 < len(title) <= LONGEST_TITLE or "\0" in title:
        raise ParaphrastError(
            f"a title must have 1 to {LONGEST_TITLE} characters, none of them NUL."
        )
    return title


def read_settings(project: Project) -> ProjectSettings:
    """Return a project's settings."""
    own = ("questions", "systems")
    table = {key: value for key, value in project.settings.items() if key not in own}
    return config.build(table, ProjectSettings, where=f"project {project.id}")


def change_settings(project: Project, **changes: Any) -> None:
    """Change settings; what was annotated stays as it is."""
    try:
        changed = replace(read_settings(project), **changes)
    except ValueError as error:
        raise ParaphrastError(str(error)) from error
    project.settings = dict(project.settings) | asdict(changed)


def list_projects(session: Session, person: Person) -> list[tuple[Project, str]]:
    """Return the projects that somebody may see, newest first, with their role."""
    roles = {
        member.project_id: member.role
        for member in session.scalars(
            select(Member).where(Member.account_id == person.id, Member.active)
        )
    }
    query = select(Project).order_by(Project.id.desc())
    if not person.administrator:
        query = query.where(Project.id.in_(roles))
    return [
        (project, roles.get(project.id, "lead")) for project in session.scalars(query)
    ]


def list_members(session: Session, project: Project) -> list[Member]:
    """Return a project's people by name."""
    members = session.scalars(select(Member).where(Member.project_id == project.id))
    return sorted(members, key=lambda member: member.account.key)


def add_items(session: Session, project: Project, items: Sequence[Item]) -> None:
    """Add items at the end; their names must be new to the project."""
    names = [item.name for item in items]
    count, last = session.execute(
        select(func.count(), func.max(Item.number)).where(Item.project_id == project.id)
    ).one()
    if count + len(items) > MOST_ITEMS:
        raise ParaphrastError(f"a project has at most {MOST_ITEMS:,} items.")
    names_in_project = set(
        session.scalars(select(Item.name).where(Item.project_id == project.id))
    )
    twice = [name for name, times in Counter(names).items() if times > 1]
    twice += [name for name in names if name in names_in_project]
    if twice:
        raise ParaphrastError(
            f"there are two items called {twice[0]!r}. Give each a name of its own, or "
            "start another project."
        )
    for number, item in enumerate(items, start=(last or 0) + 1):
        item.project_id, item.number = project.id, number
    session.add_all(items)
    session.flush()


def assign(session: Session, project: Project) -> int:
    """Assign unassigned items; return the number of new assignments.

    Each item goes to the person with the least work. Without annotators the leads
    annotate.
    """
    settings = read_settings(project)
    people = _annotators(session, project)
    items = session.execute(
        select(Item.id, Item.number)
        .where(Item.project_id == project.id)
        .order_by(Item.number)
    ).all()
    rows = session.execute(
        select(Assignment.item_id, Assignment.account_id)
        .join(Item, Item.id == Assignment.item_id)
        .where(Item.project_id == project.id, Assignment.part == "annotator")
        .distinct()
    ).all()
    taken: dict[int, set[int]] = {}
    for item_id, account_id in rows:
        taken.setdefault(item_id, set()).add(account_id)
    load = Counter({account: 0 for account in people})
    load.update(account for _, account in rows if account in load)
    new: list[dict[str, Any]] = []
    for item in items:
        own = taken.get(item.id, set())
        wanted = min(_wanted(item.number, settings), len(people))
        free = [account for account in people if account not in own]
        free.sort(key=lambda account: load[account])  # stable: the order of joining
        for account in free[: max(0, wanted - len(own))]:
            load[account] += 1
            new.append(_make_assignment(project, item, account))
            if _is_share(item.number, settings.repeats):
                new.append(_make_assignment(project, item, account, round=2))
    if new:
        session.execute(insert(Assignment), new)
    return len(new)


def find_next(
    session: Session, project: Project, person: Person, *, after: int = 0
) -> int | None:
    """Return somebody's next assignment in a project, if any.

    It is the first open one after ``after``, or else the first of all. For an
    adjudicator without one, call `give_adjudications`.
    """
    whose = {"project": project.id, "account": person.id}
    current = session.get(Assignment, after) if after else None
    if current is not None:
        assignment = session.scalar(_NEXT_OPEN, whose | _place(current))
        if assignment is not None:
            return assignment
    return session.scalar(_FIRST_OPEN, whose)


def adjudicates(session: Session, project: Project, person: Person) -> bool:
    """Say whether somebody is an adjudicator of a project."""
    member = session.get(Member, (project.id, person.id))
    return member is not None and member.role == "adjudicator" and member.active


@dataclass(frozen=True)
class Neighbours:
    """The assignments before and after one, and how many of all are done."""

    before: int | None
    after: int | None
    done: int
    total: int


def find_neighbours(session: Session, assignment: Assignment) -> Neighbours:
    """Return the neighbours of an assignment in its owner's order."""
    whose = {
        "project": assignment.item.project_id,
        "account": assignment.account_id,
    }
    row = session.execute(_NEIGHBOURS, whose | _place(assignment)).one()
    return Neighbours(*row)


# Somebody's assignments in a project, in their order, and those around a place in it.
_OWN = (
    select(Assignment.id)
    .join(Item, Item.id == Assignment.item_id)
    .where(
        Item.project_id == bindparam("project"),
        Assignment.account_id == bindparam("account"),
    )
)
_BY_PLACE = (Assignment.round, Assignment.position, Assignment.id)
_ORDER = tuple_(*_BY_PLACE)
_HERE = tuple_(
    *(bindparam(name, type_=Integer) for name in ("round", "position", "assignment"))
)
_FIRST_OPEN = _OWN.where(Assignment.done.is_(None)).order_by(*_BY_PLACE).limit(1)
_NEXT_OPEN = _FIRST_OPEN.where(_HERE < _ORDER)
_BEFORE = _OWN.where(_HERE > _ORDER).order_by(*(by.desc() for by in _BY_PLACE)).limit(1)
_AFTER = _OWN.where(_HERE < _ORDER).order_by(*_BY_PLACE).limit(1)
_COUNT = _OWN.with_only_columns(func.count(Assignment.done), func.count()).subquery()
_NEIGHBOURS = select(_BEFORE.scalar_subquery(), _AFTER.scalar_subquery(), *_COUNT.c)


def _place(assignment: Assignment) -> dict[str, int]:
    return {
        "round": assignment.round,
        "position": assignment.position,
        "assignment": assignment.id,
    }


def find_conflicts(session: Session, project: Project) -> list[Row[int, int]]:
    """Return the items on which two people differ and that nobody adjudicates yet.

    Each is its id and its number.
    """
    if project.kind != "align":
        return []
    finished = (
        select(Assignment.item_id)
        .join(Item, Item.id == Assignment.item_id)
        .where(
            Item.project_id == project.id,
            Assignment.part == "annotator",
            Assignment.done.is_not(None),
        )
        .group_by(Assignment.item_id)
        .having(func.count() >= 2)
    )
    taken = select(Assignment.item_id).where(Assignment.part == "adjudicator")
    items = session.execute(
        select(Item.id, Item.number)
        .where(Item.id.in_(finished), Item.id.not_in(taken))
        .order_by(Item.number)
    ).all()
    conflicts = []
    for begin in range(0, len(items), _AT_ONCE):
        part = items[begin : begin + _AT_ONCE]
        states = find_annotators(session, *(item.id for item in part))
        conflicts += [item for item in part if _differ(*states[item.id][:2])]
    return conflicts


def _differ(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    labels = [
        {(i, j, label) for i, j, label, *_ in state["links"]}
        for state in (first, second)
    ]
    return labels[0] != labels[1]


def give_adjudications(session: Session, project: Project, person: Person) -> int:
    """Create an adjudicator's assignments for new disagreements; return how many.

    This reads all finished work, so it is done only when needed.
    """
    if not adjudicates(session, project, person):
        return 0
    conflicts = find_conflicts(session, project)
    for item in conflicts:
        session.add(
            Assignment(
                item_id=item.id,
                account_id=person.id,
                part="adjudicator",
                position=item.number,
            )
        )
    session.flush()
    return len(conflicts)


def _annotators(session: Session, project: Project) -> list[int]:
    members = session.scalars(
        select(Member)
        .where(Member.project_id == project.id, Member.active)
        .order_by(Member.account_id)
    ).all()
    for role in ("annotator", "lead"):
        people = [member.account_id for member in members if member.role == role]
        if people:
            return people
    return []


def _wanted(number: int, settings: ProjectSettings) -> int:
    return settings.people if _is_share(number, settings.overlap) else 1


def _is_share(number: int, share: float) -> bool:
    """Say whether an item is in an evenly spread share of all items."""
    return int(number * share) > int((number - 1) * share)


def _make_assignment(
    project: Project, item: Row[int, int], account: int, *, round: int = 1
) -> dict[str, Any]:
    position = item.number
    if project.kind == "judge":  # everybody in an order of their own
        draw = random.Random(f"{project.id} {account} {round} {item.number}")
        position = draw.randrange(2**31)
    return {
        "item_id": item.id,
        "account_id": account,
        "part": "annotator",
        "round": round,
        "position": position,
    }
