"""The Align and Judge pages, and the events that they send.

``annotate.js`` sends each key press as one event and draws the state that comes back.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from paraphrast.web import projects
from paraphrast.web.annotation import alignment, judging
from paraphrast.web.annotation.log import LONGEST_KEY, add_event, read_state
from paraphrast.web.authorisation import Person, authorise
from paraphrast.web.database.tables import Assignment, Item, Project
from paraphrast.web.identity import Db, SignedIn
from paraphrast.web.pages.templates import templates

# The keys that work on a page, and what they do; the page's foot shows them.
MATRIX_KEYS = (
    ("← → ↑ ↓", "move"),
    ("Shift + arrows", "select a block"),
    ("s", "sure"),
    ("p", "possible"),
    ("x", "clear"),
    ("c / C", "clear the row / column"),
    ("n / N", "no counterpart for the row / column"),
    ("u / U", "undo / redo"),
    ("v", "switch view"),
    ("g", "guideline"),
    ("Enter", "done, next"),
)
ANNOTATION_KEYS = (("a", "accept all suggested links"), ("t", "edit tokens"))
ADJUDICATION_KEYS = (
    ("j / k", "next / previous difference"),
    ("1 / 2", "take the first / second annotator’s label"),
)
JUDGING_KEYS = (
    ("Tab", "next question"),
    ("0 … 9", "answer the question in focus"),
    ("u / U", "undo / redo"),
    ("g", "guideline"),
    ("Enter", "done, next"),
)

# A block of all the cells of the largest matrix is less.
LARGEST_EVENT = 2**20

router = APIRouter()


def check_json(content: dict[str, Any]) -> dict[str, Any]:
    """Refuse what no response could contain, and events that are too large."""
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        size = len(text.encode())
    except ValueError:
        raise ValueError("half a surrogate pair or no number at all") from None
    if size > LARGEST_EVENT:
        raise ValueError(f"more than {LARGEST_EVENT:,} bytes for one event")
    return content


class NewEvent(BaseModel):
    """A new event; the sender's key makes it count once."""

    key: Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]
    kind: Annotated[str, Field(min_length=1, max_length=20)]
    content: Annotated[dict[str, Any], AfterValidator(check_json)] = {}


@router.get("/align", response_class=HTMLResponse)
def align(request: Request, database: Db, person: SignedIn) -> Response:
    """List the person's alignment projects."""
    return _list_work(request, database, person, "align")


@router.get("/judge", response_class=HTMLResponse)
def judge(request: Request, database: Db, person: SignedIn) -> Response:
    """List the person's judging projects."""
    return _list_work(request, database, person, "judge")


@router.get("/assignments/{assignment_id}", response_class=HTMLResponse)
def show_assignment(
    request: Request, database: Db, person: SignedIn, assignment_id: int
) -> Response:
    """Show an item to work on, or somebody's work to their lead."""
    with database.read() as session:
        assignment = authorise(session, person, "look", assignment=assignment_id)
        project = assignment.item.project
        context = {
            "assignment": assignment,
            "item": assignment.item,
            "project": project,
            "guideline": project.settings["guideline"],
            "state": read_state(session, assignment),
            "own": assignment.account_id == person.id,
            "around": projects.find_neighbours(session, assignment),
        }
        page = _show_judging if project.kind == "judge" else _show_alignment
        response = page(request, context)
    # Going back must not show what an earlier state was.
    response.headers["Cache-Control"] = "no-store"
    return response


@router.get("/assignments/{assignment_id}/state")
def get_state(database: Db, person: SignedIn, assignment_id: int) -> dict[str, Any]:
    """Return the state of somebody's work."""
    with database.read() as session:
        assignment = authorise(session, person, "look", assignment=assignment_id)
        return read_state(session, assignment)


@router.post("/assignments/{assignment_id}/events")
def post_event(
    database: Db, person: SignedIn, assignment_id: int, event: NewEvent
) -> dict[str, Any]:
    """Store an event, and return the new state once it is on disk."""
    with database.write() as session:
        assignment = authorise(session, person, "work", assignment=assignment_id)
        return add_event(
            session,
            assignment,
            key=event.key,
            kind=event.kind,
            content=event.content,
        )


def _show_alignment(request: Request, context: dict[str, Any]) -> HTMLResponse:
    adjudicates = context["assignment"].part == "adjudicator"
    own_keys = ADJUDICATION_KEYS if adjudicates else ANNOTATION_KEYS
    state = alignment.from_json(context["state"])
    own = {
        "keys": (*own_keys, *MATRIX_KEYS),
        "rows": [
            (word, [state.marks.get((i, j)) for j in range(len(state.target))])
            for i, word in enumerate(state.source)
        ],
        "reasons": alignment.REASONS,
    }
    return templates.TemplateResponse(request, "align.html", context | own)


def _show_judging(request: Request, context: dict[str, Any]) -> HTMLResponse:
    state = judging.from_json(context["state"])
    outputs = {o["number"]: o for o in context["item"].content["outputs"]}
    shows_source = state.shows_source()
    by_name = {question.name: question for question in state.questions}
    own = {
        "keys": JUDGING_KEYS,
        "protocol": context["project"].settings["questions"],
        "criteria": [
            criterion
            for criterion in context["project"].settings["questions"]["criteria"]
            if criterion["name"] in by_name
            and (shows_source or not criterion["source"])
        ],
        "shows_source": shows_source,
        "outputs": [
            (number, judging.name_output(state, number), outputs[number])
            for number in state.outputs
        ],
        "list_answers": partial(_list_answers, state),
        "answers": state.answers,
    }
    return templates.TemplateResponse(request, "judge.html", context | own)


def _list_answers(
    state: judging.Judgment, criterion: Mapping[str, Any]
) -> list[tuple[str, int, str]]:
    """Return the key, the value and the text of each answer to a question.

    The key is the value if every value is a digit; otherwise, as on a scale from -3 to
    3, it is the position.
    """
    if criterion["kind"] == "rank":
        ranks = range(1, len(state.outputs) + 1)
        return [
            (_as_key(rank), rank, "" if _as_key(rank) else str(rank)) for rank in ranks
        ]
    if criterion["kind"] == "preference":
        letters = [(n, judging.name_output(state, n)) for n in state.outputs]
        named = [(str(at), n, name) for at, (n, name) in enumerate(letters, start=1)]
        return [*named, ("0", 0, "no difference")]
    answers = [(answer["value"], answer["label"]) for answer in criterion["answers"]]
    if all(_as_key(value) for value, _ in answers):
        return [(_as_key(value), value, label) for value, label in answers]
    return [
        (_as_key(at), value, f"{str(value).replace('-', '−')} {label}")
        for at, (value, label) in enumerate(answers, start=1)
    ]


def _as_key(number: int) -> str:
    """Return the key of a number, if there is one."""
    return str(number) if 0 <= number <= 9 else ""


def _list_work(request: Request, database: Db, person: Person, kind: str) -> Response:
    with database.read() as session:
        listed = [
            (project, role, _count(session, project, person))
            for project, role in projects.list_projects(session, person)
            if project.kind == kind and project.archived is None
        ]
        return templates.TemplateResponse(
            request, "work.html", {"kind": kind, "listed": listed}
        )


def _count(session: Session, project: Project, person: Person) -> tuple[int, int]:
    done, total = session.execute(
        select(func.count(Assignment.done), func.count())
        .join(Item, Item.id == Assignment.item_id)
        .where(Item.project_id == project.id, Assignment.account_id == person.id)
    ).one()
    return done, total
