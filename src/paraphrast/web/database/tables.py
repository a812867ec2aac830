"""The studio's tables. Times are milliseconds since 1970, UTC.

    account ─ session, api_key          people and how they come in
    project ─ member, invitation        who works on what, as what
    project ─ item ─ assignment         sentence pairs or texts to judge, and for whom
    assignment ─ event                  everything that was done, in order; only grows
    assignment ─ annotation             the state that the events give, made from them

Secrets (session tokens, keys, invitations) are kept as sha256, passwords as argon2id.
"""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

ROLES = ("lead", "annotator", "adjudicator")
KINDS = ("align", "judge")
PARTS = ("annotator", "adjudicator")  # as which somebody works on an item

_BIG = BigInteger().with_variant(Integer, "sqlite")


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


class Table(DeclarativeBase):
    """Base of all tables; constraints have names, so that migrations find them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {dict[str, Any]: JSON(none_as_null=True)}


class Account(Table):
    """A person who signs in by ``name``; ``key`` is the name as it is compared."""

    __tablename__ = "account"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    key: Mapped[str] = mapped_column(String(400), unique=True)
    password: Mapped[str] = mapped_column(String(300))
    administrator: Mapped[bool] = mapped_column(default=False)
    active: Mapped[bool] = mapped_column(default=True)
    created: Mapped[int] = mapped_column(_BIG)


class SignIn(Table):
    """A session: what the browser's cookie stands for."""

    __tablename__ = "session"

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    token: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[int] = mapped_column(_BIG)
    seen: Mapped[int] = mapped_column(_BIG)
    revoked: Mapped[int | None] = mapped_column(_BIG)

    account: Mapped[Account] = relationship()


class ApiKey(Table):
    """A key for programs; ``prefix`` is its visible beginning."""

    __tablename__ = "api_key"

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    label: Mapped[str] = mapped_column(String(200))
    prefix: Mapped[str] = mapped_column(String(20))
    secret: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[int] = mapped_column(_BIG)
    used: Mapped[int | None] = mapped_column(_BIG)
    revoked: Mapped[int | None] = mapped_column(_BIG)

    account: Mapped[Account] = relationship()


class Project(Table):
    """Work of one kind; ``settings`` are those of `projects.Settings`."""

    __tablename__ = "project"
    __table_args__ = (_one_of("kind", KINDS),)

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(20))
    settings: Mapped[dict[str, Any]]
    created: Mapped[int] = mapped_column(_BIG)
    archived: Mapped[int | None] = mapped_column(_BIG)


class Member(Table):
    """Somebody's role in a project; who leaves stays in it, ``active`` no more."""

    __tablename__ = "member"
    __table_args__ = (_one_of("role", ROLES),)

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("account.id"), primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(20))
    active: Mapped[bool] = mapped_column(default=True)

    account: Mapped[Account] = relationship()
    project: Mapped[Project] = relationship()


class Invitation(Table):
    """A link that makes whoever opens it a member, or the first administrator."""

    __tablename__ = "invitation"
    __table_args__ = (_one_of("role", ROLES),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id"), index=True)
    role: Mapped[str] = mapped_column(String(20))
    note: Mapped[str] = mapped_column(String(200))
    token: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[int] = mapped_column(_BIG)
    expires: Mapped[int] = mapped_column(_BIG)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))

    project: Mapped[Project | None] = relationship()


class Item(Table):
    """A sentence pair to align, or outputs to judge.

    ``name`` is unique in its project. ``gold`` has the expected answers, if known.
    """

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("project_id", "name"),
        UniqueConstraint("project_id", "number"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    number: Mapped[int]
    name: Mapped[str] = mapped_column(String(500))
    content: Mapped[dict[str, Any]]
    gold: Mapped[dict[str, Any] | None]

    project: Mapped[Project] = relationship()


class Assignment(Table):
    """An item that somebody is to work on; ``round`` 2 is a repeat of the same."""

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("item_id", "account_id", "part", "round"),
        _one_of("part", PARTS),
        CheckConstraint("round IN (1, 2)", name="round"),
        Index(None, "account_id", "done"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    part: Mapped[str] = mapped_column(String(20))
    round: Mapped[int] = mapped_column(default=1)
    position: Mapped[int]
    done: Mapped[int | None] = mapped_column(_BIG)

    item: Mapped[Item] = relationship()
    account: Mapped[Account] = relationship()


class Event(Table):
    """One thing that somebody did; the sender's ``key`` lets none count twice."""

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("assignment_id", "number"),
        UniqueConstraint("assignment_id", "key"),
    )

    id: Mapped[int] = mapped_column(_BIG, primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    number: Mapped[int]
    key: Mapped[str] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(20))
    content: Mapped[dict[str, Any]]
    time: Mapped[int] = mapped_column(_BIG)


class Annotation(Table):
    """What the events of an assignment come to, up to ``number``."""

    __tablename__ = "annotation"

    assignment_id: Mapped[int] = mapped_column(
        ForeignKey("assignment.id"), primary_key=True
    )
    number: Mapped[int]
    state: Mapped[dict[str, Any]]
