"""Export and import of a whole project: settings, people, items, everybody's work.

The file is a zip of ``project.jsonl``. Its lines are the project, then its people, its
items in order, and each person's work on an item: every event with its time. Imported
data are checked as strictly as a browser's requests: every event is applied again, so
that the database contains only what the pages could have made. Exported, imported and
exported again, the file is the same byte for byte.

People are matched by name. Those without an account get one without a usable password,
for which an administrator can set one. Invitations and the keys of events, which are
meaningless elsewhere, are left out.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from paraphrast import config
from paraphrast.errors import ParaphrastError
from paraphrast.study.sheets import Output
from paraphrast.web import accounts, exchange
from paraphrast.web.annotation import alignment
from paraphrast.web.annotation.history import Step
from paraphrast.web.annotation.log import replay
from paraphrast.web.database.tables import (
    Account,
    Annotation,
    Assignment,
    Event,
    Item,
    Member,
    Project,
)
from paraphrast.web.projects import MOST_ITEMS, ProjectSettings, check_title
from paraphrast.web.protocols import Protocol

NAME, INSIDE = "project.zip", "project.jsonl"
FORMAT = "paraphrast project 1"
MOST_BYTES = 200 * 2**20  # unpacked
LATEST = 2**53  # milliseconds, and any other number
_AT_ONCE = 500  # assignments whose events are read or kept together

Part = Literal["annotator", "adjudicator"]


@dataclass(frozen=True)
class _Head:
    """The first line."""

    format: str
    title: str
    kind: Literal["align", "judge"]
    settings: dict[str, Any]
    created: int
    archived: int | None = None


@dataclass(frozen=True)
class _Person:
    person: str
    role: Literal["lead", "annotator", "adjudicator"]
    active: bool = True


@dataclass(frozen=True)
class _Item:
    item: str
    content: dict[str, Any]
    gold: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Work:
    """What somebody did with an item; an event is its kind, content and time."""

    of: str
    annotator: str
    part: Part = "annotator"
    round: int = 1
    position: int = 0
    done: int | None = None
    events: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class ProjectFile:
    """A project as it was read from a file: checked, and not yet anybody's."""

    head: _Head
    people: list[_Person]
    items: list[_Item]
    work: list[tuple[_Work, dict[str, Any] | None]]  # with the state it came to


def write_project(session: Session, project: Project) -> bytes:
    """Return a project as a file."""
    lines = io.StringIO()
    for record in _list_records(session, project):
        given = {key: value for key, value in record.items() if value is not None}
        json.dump(given, lines, ensure_ascii=False)
        lines.write("\n")
    return exchange.make_zip({INSIDE: lines.getvalue()})


def _list_records(session: Session, project: Project) -> Iterator[dict[str, Any]]:
    yield asdict(
        _Head(
            FORMAT,
            project.title,
            project.kind,  # type: ignore[arg-type] # the database checks it
            project.settings,
            project.created,
            project.archived,
        )
    )
    members = session.scalars(select(Member).where(Member.project_id == project.id))
    for member in sorted(members, key=lambda member: member.account.key):
        yield {
            "person": member.account.name,
            "role": member.role,
            "active": member.active,
        }
    items = session.scalars(
        select(Item).where(Item.project_id == project.id).order_by(Item.number)
    ).all()
    for item in items:
        yield {"item": item.name, "content": item.content, "gold": item.gold}
    rows = session.execute(
        select(Assignment, Item.name, Account.name)
        .join(Item, Item.id == Assignment.item_id)
        .join(Account, Account.id == Assignment.account_id)
        .where(Item.project_id == project.id)
        .order_by(Item.number, Assignment.id)
    ).all()
    for begin in range(0, len(rows), _AT_ONCE):
        part = rows[begin : begin + _AT_ONCE]
        events = _read_events(session, [assignment.id for assignment, *_ in part])
        for assignment, item_name, annotator in part:
            yield {
                "of": item_name,
                "annotator": annotator,
                "part": assignment.part,
                "round": assignment.round,
                "position": assignment.position,
                "done": assignment.done,
                "events": events.get(assignment.id, []),
            }


def _read_events(session: Session, numbers: list[int]) -> dict[int, list[Any]]:
    events: dict[int, list[Any]] = {}
    rows = session.execute(
        select(Event.assignment_id, Event.kind, Event.content, Event.time)
        .where(Event.assignment_id.in_(numbers))
        .order_by(Event.assignment_id, Event.number)
    )
    for number, *event in rows:
        events.setdefault(number, []).append(event)
    return events


def read_project(content: bytes) -> ProjectFile:
    """Read a file that `write_project` made, and check all that is in it."""
    reader = _Reader()
    for number, line in enumerate(_unpack(content), start=1):
        where = f"{INSIDE}:{number}"
        try:
            reader.add(line)
        except ParaphrastError as error:
            raise ParaphrastError(f"{where}: {error}") from error
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise ParaphrastError(
                f"{where}: damaged ({type(error).__name__}). Export the project again."
            ) from error
    return reader.finish()


def _unpack(content: bytes) -> Iterator[str]:
    """Yield the lines of the file that is packed in another."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = archive.getinfo(INSIDE).file_size
            if size > MOST_BYTES:
                raise ParaphrastError(
                    f"the project has {size:,} bytes, and at most {MOST_BYTES:,} can "
                    "be read."
                )
            with archive.open(INSIDE) as file:
                for line in file:  # which ends where the size says
                    yield line.decode("utf-8")
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError) as error:
        raise _not_ours() from error
    except (UnicodeDecodeError, RuntimeError, OSError) as error:
        raise _not_ours() from error


def _not_ours() -> ParaphrastError:
    return ParaphrastError(
        "this is not an exported project. Choose a file made by Export, the whole "
        "project."
    )


class _Reader:
    """Reads a project line by line, and refuses invalid lines."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.head: _Head | None = None
        self.people: dict[str, _Person] = {}
        self.items: dict[str, _Item] = {}
        self.work: list[tuple[_Work, dict[str, Any] | None]] = []
        self._taken: set[tuple[str, str, str, int]] = set()

    def add(self, line: str) -> None:
        """Take a line: first the project, people and items before their work."""
        record = _parse(line)
        if self.head is None:
            self.head = _read_head(record)
        elif "person" in record:
            person = config.build(record, _Person, where="a person")
            _take_once(person.person.casefold(), self.people, person)
        elif "item" in record:
            item = config.build(record, _Item, where="an item")
            _check_item(item, self.head)
            _take_once(item.item, self.items, item)
            if len(self.items) > MOST_ITEMS:
                raise ParaphrastError(f"a project has at most {MOST_ITEMS:,} items.")
        else:
            work = config.build(record, _Work, where="somebody's work")
            self._add_work(work, self.head)

    def _add_work(self, work: _Work, head: _Head) -> None:
        key = (work.of, work.annotator.casefold(), work.part, work.round)
        if work.annotator.casefold() not in self.people or work.of not in self.items:
            raise ParaphrastError("the item or the annotator is not there.")
        if key in self._taken or work.round not in (1, 2):
            raise ParaphrastError("an item is assigned to the same person twice.")
        self._taken.add(key)
        self.work.append((work, _replay(work, self.items[work.of], head)))

    def finish(self) -> ProjectFile:
        """Return the project once all lines were taken."""
        if self.head is None:
            raise _not_ours()
        people, items = self.people.values(), self.items.values()
        return ProjectFile(self.head, list(people), list(items), self.work)


def _parse(line: str) -> dict[str, Any]:
    """Return the object on a line, of text and numbers that a database takes."""

    def bounded(text: str) -> int:
        number = int(text[:20])
        if abs(number) > LATEST:
            raise ParaphrastError(f"the number {text[:20]} is too large.")
        return number

    try:
        record = json.loads(line, parse_int=bounded)
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise ParaphrastError("not valid JSON.") from error
    if not isinstance(record, dict):
        raise ParaphrastError("not a line of a project.")
    return record


def _take_once(key: str, values: dict[str, Any], value: Any) -> None:
    if key in values:
        raise ParaphrastError(f"there are two called {key!r}.")
    values[key] = value


def _read_head(record: Mapping[str, Any]) -> _Head:
    if record.get("format") != FORMAT:
        raise _not_ours()
    head = config.build(record, _Head, where="the project")
    settings = dict(head.settings)
    judged = {}
    if head.kind == "judge":
        asked = config.build(settings.pop("questions"), Protocol, where="questions")
        systems = settings.pop("systems")
        if not all(isinstance(name, str) for name in systems):
            raise ParaphrastError("a system's name is not a text.")
        judged = {"questions": asdict(asked), "systems": list(systems)}
    own = config.build(settings, ProjectSettings, where="settings")
    title = check_title(head.title)
    return replace(head, title=title, settings=asdict(own) | judged)


def _check_item(item: _Item, head: _Head) -> None:
    """Refuse an item that a file of pairs or outputs could not have brought."""
    exchange.check_name(item.item)
    gold = item.gold or {}
    if head.kind == "align":
        for content in (item.content, item.content | gold):
            exchange.check_pair(replace(alignment.check_base(content), name=item.item))
        return
    outputs = [
        config.build(output, Output, where="an output")
        for output in item.content["outputs"]
    ]
    exchange.check_outputs(outputs)
    unknown = {s for o in outputs for s in o.systems} - {*head.settings["systems"]}
    numbers = {output.number for output in outputs}
    if unknown or not outputs or len(numbers) < len(outputs):
        raise ParaphrastError("the outputs are not by the project's systems.")
    if not all(output.systems for output in outputs):
        raise ParaphrastError("an output belongs to no system.")
    for number, name, value in gold.get("answers", ()):
        if number not in numbers or not isinstance(name, str) or type(value) is not int:
            raise ParaphrastError("the gold answers belong to no output.")


def _replay(work: _Work, item: _Item, head: _Head) -> dict[str, Any] | None:
    """Return the state that somebody's events give; None if there are none."""
    steps = []
    for kind, content, time in work.events:
        if type(time) is not int or not isinstance(content, dict):
            raise ParaphrastError("an event has no time or no content.")
        steps.append(Step(str(kind), content))
    if work.part == "adjudicator" and head.kind != "align":
        raise ParaphrastError("judgments are not adjudicated.")
    state = replay(head.kind, steps, item.content) if steps else None
    if (work.done is not None) != bool(state and state["done"]):
        raise ParaphrastError("what is done does not end with its last event.")
    return state


def add_project(session: Session, file: ProjectFile) -> Project:
    """Make a new project of a file, with an account for everybody in it."""
    head = file.head
    project = Project(
        title=head.title,
        kind=head.kind,
        settings=head.settings,
        created=head.created,
        archived=head.archived,
    )
    session.add(project)
    session.flush()
    people: dict[str, int] = {}
    for person in file.people:
        account = accounts.find_account(session, person.person)
        if account is None:
            account = accounts.create_absent(session, person.person)
        people[person.person.casefold()] = account.id
        session.add(
            Member(
                project_id=project.id,
                account_id=account.id,
                role=person.role,
                active=person.active,
            )
        )
    if len(set(people.values())) < len(people):
        raise ParaphrastError("two people of the project have the same account here.")
    items = {
        item.item: Item(
            project_id=project.id,
            number=number,
            name=item.item,
            content=item.content,
            gold=item.gold,
        )
        for number, item in enumerate(file.items, start=1)
    }
    session.add_all(items.values())
    session.flush()
    numbers = {name: item.id for name, item in items.items()}
    for begin in range(0, len(file.work), _AT_ONCE):
        _add_work(session, file.work[begin : begin + _AT_ONCE], numbers, people)
    return project


def _add_work(
    session: Session,
    work: list[tuple[_Work, dict[str, Any] | None]],
    items: Mapping[str, int],
    people: Mapping[str, int],
) -> None:
    """Keep some people's work: assignments, events, and the states they come to."""
    assignments = [
        Assignment(
            item_id=items[own.of],
            account_id=people[own.annotator.casefold()],
            part=own.part,
            round=own.round,
            position=own.position,
            done=own.done,
        )
        for own, _ in work
    ]
    session.add_all(assignments)
    session.flush()
    events, states = [], []
    for assignment, (own, state) in zip(assignments, work, strict=True):
        if state is None:
            continue
        states.append(
            {"assignment_id": assignment.id, "number": len(own.events), "state": state}
        )
        events += [
            {
                "assignment_id": assignment.id,
                "account_id": assignment.account_id,
                "number": number,
                "key": f"imported {number}",
                "kind": kind,
                "content": content,
                "time": time,
            }
            for number, (kind, content, time) in enumerate(own.events, start=1)
        ]
    if events:
        session.execute(insert(Event), events)
        session.execute(insert(Annotation), states)
