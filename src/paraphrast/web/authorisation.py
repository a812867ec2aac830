"""Who may do what: one table, and one function that every handler asks.

A person stands to a project as its lead, annotator or adjudicator, or not at all.
Administrators lead every project. What somebody annotates is theirs: a lead may look
at it, and nobody else may write to it. To whoever is not in a project it does not
exist.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, overload

from sqlalchemy.orm import Session, joinedload

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


@dataclass(frozen=True, slots=True)
class Person:
    """Who sends a request; ``key`` says that it is a program with that person's key."""

    id: int
    name: str
    administrator: bool = False
    key: bool = False


def may(
    action: Action,
    *,
    administrator: bool = False,
    standing: Standing = "outsider",
    owner: bool = False,
) -> bool:
    """Say whether somebody who stands so may do this."""
    if action in ("look", "work") and owner and standing != "outsider":
        return True
    if action == "work":
        return False
    return administrator or standing in ALLOWED[action]


def find_standing(session: Session, person: Person, project_id: int) -> Standing:
    """Return what somebody is in a project."""
    member = session.get(Member, (project_id, person.id))
    if member is not None and member.active:
        return member.role  # type: ignore[return-value] # the database checks it
    return "lead" if person.administrator else "outsider"


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
    """Return the project or assignment that somebody may act on, or refuse.

    The row is locked for the transaction when the action is ``work``.
    """
    if project is None and assignment is None:
        if not may(action, administrator=person.administrator):
            raise _forbidden()
        return None
    found: Project | Assignment | None
    owner = False
    if assignment is not None:
        found = session.get(
            Assignment,
            assignment,
            options=[joinedload(Assignment.item).joinedload(Item.project)],
            with_for_update={"of": Assignment} if action == "work" else None,
        )
        owner = found is not None and found.account_id == person.id
        project = found.item.project_id if found is not None else 0
    else:
        found = session.get(Project, project)
    standing = find_standing(session, person, project or 0)
    if found is None or standing == "outsider":
        raise Problem(404, "there is no such page, or it is not for you.")
    if not may(
        action,
        administrator=person.administrator,
        standing=standing,
        owner=owner,
    ):
        raise _forbidden()
    return found


def _forbidden() -> Problem:
    return Problem(403, "this is not for you. Ask the project's lead.")
