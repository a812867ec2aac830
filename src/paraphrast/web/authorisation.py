"""Permissions: one table, and one function that every handler calls.

A person is a project's lead, annotator or adjudicator, or not a member. Administrators
are leads of every project. Annotations belong to their author: a lead may read them,
and nobody else may write them. For non-members a project does not exist.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, overload

from sqlalchemy import Select, and_, bindparam, select
from sqlalchemy.orm import Session, contains_eager, defer

from paraphrast.web.database.tables import Assignment, Item, Member, Project
from paraphrast.web.problems import Problem

Standing: TypeAlias = Literal["lead", "annotator", "adjudicator", "outsider"]
Action: TypeAlias = Literal["administer", "see", "lead", "look", "work"]

# Who may do an action; None is a person outside every project but an administrator.
ALLOWED: dict[Action, frozenset[Standing]] = {
    "administer": frozenset(),  # administrators alone: new projects, people
    "see": frozenset(("lead", "annotator", "adjudicator")),  # a project's first page
    "lead": frozenset(("lead",)),  # people, items, settings, results
    "look": frozenset(("lead",)),  # at somebody's annotation; owners always may
    "work": frozenset(),  # on an annotation: its owner alone
}


# A project, or an assignment with its item and project, and the role of whoever asks.
_ROLE = and_(Member.account_id == bindparam("person"), Member.active)
_PROJECT = (
    select(Project, Member.role)
    .outerjoin(Member, and_(Member.project_id == Project.id, _ROLE))
    .where(Project.id == bindparam("number"))
)
_ASSIGNMENT = (
    select(Assignment, Member.role)
    .join(Assignment.item)
    .join(Item.project)
    .outerjoin(Member, and_(Member.project_id == Item.project_id, _ROLE))
    .where(Assignment.id == bindparam("number"))
)
_TO_LOOK = _ASSIGNMENT.options(
    contains_eager(Assignment.item).contains_eager(Item.project)
)
# Most events need neither the texts nor the guideline, which are read when they do.
_TO_WORK = _ASSIGNMENT.options(
    contains_eager(Assignment.item).options(
        defer(Item.content),
        defer(Item.gold),
        contains_eager(Item.project).defer(Project.settings),
    )
).with_for_update(of=Assignment)


@dataclass(frozen=True, slots=True)
class Person:
    """The sender of a request; a program uses that person's ``key``, by its number."""

    id: int
    name: str
    administrator: bool = False
    key: int | None = None


def may(
    action: Action,
    *,
    administrator: bool = False,
    standing: Standing = "outsider",
    owner: bool = False,
) -> bool:
    """Say whether a role permits an action."""
    if action in ("look", "work") and owner and standing != "outsider":
        return True
    if action == "work":
        return False
    return administrator or standing in ALLOWED[action]


def find_standing(session: Session, person: Person, project_id: int) -> Standing:
    """Return somebody's role in a project."""
    member = session.get(Member, (project_id, person.id))
    return _stand(person, member.role if member is not None and member.active else None)


@overload
def authorise(session: Session, person: Person, action: Action) -> None: ...
@overload
def authorise(
    session: Session, person: Person, action: Action, *, project: int
) -> Project: ...
@overload
def authorise(
    session: Session, person: Person, action: Action, *, assignment: int
) -> Assignment: ...
def authorise(
    session: Session,
    person: Person,
    action: Action,
    *,
    project: int | None = None,
    assignment: int | None = None,
) -> Project | Assignment | None:
    """Return the project or assignment that somebody may act on, or raise an error.

    The row is locked for the transaction when the action is ``work``.
    """
    if project is None and assignment is None:
        if not may(action, administrator=person.administrator):
            raise _forbidden()
        return None
    resource: Any
    statement: Select[Any, str]
    if assignment is not None:
        statement, number = _TO_WORK if action == "work" else _TO_LOOK, assignment
    else:
        statement, number = _PROJECT, project or 0
    resource, role = session.execute(
        statement, {"number": number, "person": person.id}
    ).one_or_none() or (None, None)
    standing = _stand(person, role)
    if resource is None or standing == "outsider":
        raise Problem(404, "there is no such page, or you have no access to it.")
    if not may(
        action,
        administrator=person.administrator,
        standing=standing,
        owner=assignment is not None and resource.account_id == person.id,
    ):
        raise _forbidden()
    return resource  # type: ignore[no-any-return]


def _stand(person: Person, role: str | None) -> Standing:
    if role is not None:
        return role  # type: ignore[return-value] # the database checks it
    return "lead" if person.administrator else "outsider"


def _forbidden() -> Problem:
    return Problem(403, "you have no permission for this. Ask the project's lead.")
