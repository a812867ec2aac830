"""Projects: the list, the overview of one, its people, files in and out."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from paraphrast.align.base import AlignedPair
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.study.sheets import Output
from paraphrast.web import accounts, exchange, project_file, projects, results
from paraphrast.web.annotation.imports import add_annotations, add_outputs
from paraphrast.web.authorisation import Person, authorise, find_standing
from paraphrast.web.database import Database
from paraphrast.web.database.tables import ROLES, Invitation, Item, Member, Project
from paraphrast.web.identity import Db, SignedIn
from paraphrast.web.overview import describe_project
from paraphrast.web.pages.templates import templates
from paraphrast.web.protocols import find_protocol, load_protocols

ALIGN, LOG, WHOLE = "align", "log", "project"
SHOWN_ITEMS = 100

router = APIRouter(prefix="/projects")


@router.get("", response_class=HTMLResponse)
def list_projects(request: Request, database: Db, person: SignedIn) -> Response:
    """List the person's projects."""
    return _show_list(request, database, person)


@router.post("")
def create_project(
    request: Request,
    database: Db,
    person: SignedIn,
    title: Annotated[str, Form(max_length=2_000)] = "",
    kind: Annotated[str, Form(max_length=100)] = ALIGN,
) -> Response:
    """Create a project for aligning, or for judging by the protocol ``kind``."""
    try:
        with database.write() as session:
            authorise(session, person, "administer")
            folder = protocol_folder(request)
            protocol = None if kind == ALIGN else find_protocol(kind, folder)
            project = projects.create_project(
                session, person, title=title, protocol=protocol
            )
            number = project.id
    except ParaphrastError as error:
        return _show_list(request, database, person, title=title, error=str(error))
    return RedirectResponse(f"/projects/{number}", 303)


@router.post("/import")
def import_project(
    request: Request,
    database: Db,
    person: SignedIn,
    file: Annotated[UploadFile, File()],
) -> Response:
    """Create a project from an exported file."""
    try:
        with database.read() as session:
            authorise(session, person, "administer")
        read = project_file.read_project(file.file.read())
        with database.write() as session:
            authorise(session, person, "administer")
            number = project_file.add_project(session, read).id
    except ParaphrastError as error:
        return _show_list(request, database, person, error=str(error))
    return RedirectResponse(f"/projects/{number}", 303)


@router.get("/{project_id}", response_class=HTMLResponse)
def show_project(
    request: Request, database: Db, person: SignedIn, project_id: int
) -> Response:
    """Show a project: everything to its lead, their own work to others."""
    return _show(request, database, person, project_id)


@router.get("/{project_id}/results", response_class=HTMLResponse)
def show_results(
    request: Request, database: Db, person: SignedIn, project_id: int
) -> Response:
    """Show agreement and results so far."""
    with database.read() as session:
        project = authorise(session, person, "lead", project=project_id)
        report = (
            results.report_alignments(session, project)
            if project.kind == ALIGN
            else results.report_judgments(session, project)
        )
        context = {"project": project, "report": report}
        name = "results_align.html" if project.kind == ALIGN else "results_judge.html"
        return templates.TemplateResponse(request, name, context)


@router.post("/{project_id}/settings")
def change_settings(
    request: Request,
    database: Db,
    person: SignedIn,
    project_id: int,
    people: Annotated[int, Form()] = 2,
    overlap: Annotated[float, Form()] = 100,
    repeats: Annotated[float, Form()] = 0,
    blind: Annotated[bool, Form()] = False,
    guideline: Annotated[str, Form(max_length=100_000)] = "",
) -> Response:
    """Change a project's settings; shares are in percent."""

    def change(session: Session, project: Project) -> None:
        projects.change_settings(
            project,
            people=people,
            overlap=overlap / 100,
            repeats=repeats / 100,
            blind=blind,
            guideline=guideline,
        )

    return _lead(request, database, person, project_id, change)


@router.post("/{project_id}/archive")
def archive_project(
    request: Request,
    database: Db,
    person: SignedIn,
    project_id: int,
    archived: Annotated[bool, Form()] = False,
) -> Response:
    """Archive a project, or reopen it."""

    def change(session: Session, project: Project) -> None:
        project.archived = accounts.now() if archived else None

    return _lead(request, database, person, project_id, change)


@router.post("/{project_id}/assign")
def assign(
    request: Request, database: Db, person: SignedIn, project_id: int
) -> Response:
    """Assign unassigned items."""

    def change(session: Session, project: Project) -> None:
        projects.assign(session, project)

    return _lead(request, database, person, project_id, change)


@router.post("/{project_id}/invitations")
def invite(
    request: Request,
    database: Db,
    person: SignedIn,
    project_id: int,
    role: Annotated[str, Form(max_length=50)] = "annotator",
    note: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Create an invitation and show its link once."""
    with database.write() as session:
        project = authorise(session, person, "lead", project=project_id)
        if role not in ROLES:
            raise unknown("role", role, ROLES)
        _, token = accounts.invite(session, project, role, note)
    link = f"{request.base_url}invitations/{token}"
    return _show(request, database, person, project_id, link=link)


@router.post("/{project_id}/members/{account_id}")
def change_member(
    request: Request,
    database: Db,
    person: SignedIn,
    project_id: int,
    account_id: int,
    role: Annotated[str, Form(max_length=50)] = "",
) -> Response:
    """Change somebody's role; without one they leave, but their work is kept."""

    def change(session: Session, project: Project) -> None:
        member = session.get(Member, (project.id, account_id))
        if member is None or account_id == person.id:
            raise ParaphrastError("there is no other member with that number.")
        if role and role not in ROLES:
            raise unknown("role", role, ROLES)
        member.active = bool(role)
        member.role = role or member.role

    return _lead(request, database, person, project_id, change)


@router.post("/{project_id}/pairs")
def import_pairs(
    request: Request,
    database: Db,
    person: SignedIn,
    project_id: int,
    file: Annotated[UploadFile, File()],
    source: Annotated[UploadFile | None, File()] = None,
    target: Annotated[UploadFile | None, File()] = None,
    format: Annotated[str, Form(max_length=50)] = exchange.PAIRS,
    links: Annotated[str, Form(max_length=50)] = "begin",
    tokenized: Annotated[bool, Form()] = False,
) -> Response:
    """Add sentence pairs; their links are initial links, gold, or somebody's work."""
    uploads = [
        exchange.Upload(part.filename or "file", part.file)
        for part in (file, source, target)
        if part is not None and part.filename
    ]

    def read() -> list[AlignedPair]:
        with exchange.saved(*uploads) as paths:
            return exchange.read_pairs(paths, format=format, tokenized=tokenized)

    def change(
        session: Session, project: Project, pairs: Sequence[AlignedPair]
    ) -> None:
        if project.kind != ALIGN:
            raise ParaphrastError("this is a judging project: add outputs, not pairs.")
        if links in ("begin", "gold"):
            items = exchange.make_pair_items(pairs, gold=links == "gold")
            projects.add_items(session, project, items)
        elif links.isdecimal():
            add_annotations(session, project, int(links), pairs)
        else:
            raise ParaphrastError("choose how to use the links in the file.")

    return _add(request, database, person, project_id, read, change)


@router.post("/{project_id}/outputs")
def import_outputs(
    request: Request,
    database: Db,
    person: SignedIn,
    project_id: int,
    files: Annotated[list[UploadFile], File()],
    source: Annotated[UploadFile | None, File()] = None,
    target: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Add outputs to judge: tables, or text files parallel to a source."""

    def read() -> tuple[list[Output], dict[exchange.Known, dict[str, int]]]:
        with ExitStack() as stack:
            paths = stack.enter_context(exchange.saved(*_uploads(files)))
            own = source if source is not None and source.filename else None
            (text,) = (
                stack.enter_context(exchange.saved(*_uploads([own]))) if own else [None]
            )
            outputs = exchange.read_outputs(paths, target=target, source=text)
            return outputs, exchange.read_gold(paths) if text is None else {}

    def change(session: Session, project: Project, table: Any) -> None:
        if project.kind == ALIGN:
            raise ParaphrastError(
                "this is an alignment project: add pairs, not outputs."
            )
        add_outputs(session, project, *table)

    return _add(request, database, person, project_id, read, change)


@router.get("/{project_id}/export")
def export(
    database: Db,
    person: SignedIn,
    project_id: int,
    format: str = "jsonl",
    annotator: str = "",
) -> Response:
    """Export finished work: alignments in any format, judgments for ``study``.

    Without an annotator, alignments are the adjudicated ones, or else those that the
    annotators agree on. The format ``log`` has every event of the project, and
    ``project`` the whole project, for importing.
    """
    with database.read() as session:
        project = authorise(session, person, "lead", project=project_id)
        if format == LOG:
            name, content = "log.jsonl", results.write_log(session, project).encode()
        elif format == WHOLE:
            name = project_file.NAME
            content = project_file.write_project(session, project)
        elif project.kind == ALIGN:
            pairs = results.choose_alignments(session, project, annotator)
            name, content = exchange.write_pairs(pairs, format)
        else:
            rows = results.read_finished(session, project)
            kind = project.settings["questions"]["report"]
            first = [row for row in rows if row.round == 1]
            files = results.write_judgments(first, kind)
            name, content = "judgments.zip", exchange.make_zip(files)
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.get("/{project_id}/work")
def work(database: Db, person: SignedIn, project_id: int, after: int = 0) -> Response:
    """Redirect to the person's next item."""
    with database.read() as session:
        project = authorise(session, person, "see", project=project_id)
        assignment = projects.find_next(session, project, person, after=after)
        more = assignment is None and projects.adjudicates(session, project, person)
    if more:  # to write takes a turn, and few have to
        with database.write() as session:
            project = authorise(session, person, "see", project=project_id)
            projects.give_adjudications(session, project, person)
            assignment = projects.find_next(session, project, person, after=after)
    where = f"/assignments/{assignment}" if assignment else f"/projects/{project_id}"
    return RedirectResponse(where, 303)


def _uploads(files: list[UploadFile]) -> list[exchange.Upload]:
    return [exchange.Upload(file.filename or "file", file.file) for file in files]


def _add(
    request: Request,
    database: Database,
    person: Person,
    project_id: int,
    read: Callable[[], Any],
    change: Callable[[Session, Project, Any], None],
) -> Response:
    """Import files into a project; they are read before the transaction."""
    try:
        with database.read() as session:
            authorise(session, person, "lead", project=project_id)
        content = read()
    except ParaphrastError as error:
        return _show(request, database, person, project_id, error=str(error))
    return _lead(
        request,
        database,
        person,
        project_id,
        lambda session, project: change(session, project, content),
    )


def _lead(
    request: Request,
    database: Database,
    person: Person,
    project_id: int,
    change: Callable[[Session, Project], None],
) -> Response:
    """Change a project as its lead, or show it again with errors."""
    try:
        with database.write() as session:
            change(session, authorise(session, person, "lead", project=project_id))
    except ParaphrastError as error:
        return _show(request, database, person, project_id, error=str(error))
    return RedirectResponse(f"/projects/{project_id}", 303)


def _show_list(
    request: Request,
    database: Database,
    person: Person,
    *,
    title: str = "",
    error: str = "",
) -> HTMLResponse:
    with database.read() as session:
        listed = projects.list_projects(session, person)
        context = {
            "projects": listed,
            "protocols": load_protocols(protocol_folder(request)),
            "title": title,
            "detail": error,
        }
        status = 400 if error else 200
        return templates.TemplateResponse(
            request, "projects.html", context, status_code=status
        )


def _show(
    request: Request,
    database: Database,
    person: Person,
    project_id: int,
    *,
    link: str = "",
    error: str = "",
) -> HTMLResponse:
    with database.read() as session:
        project = authorise(session, person, "see", project=project_id)
        role = find_standing(session, person, project_id)
        overview = describe_project(session, project)
        items = session.scalars(
            select(Item)
            .where(Item.project_id == project_id)
            .order_by(Item.number)
            .limit(SHOWN_ITEMS)
        ).all()
        invitations = session.scalars(
            select(Invitation).where(
                Invitation.project_id == project_id,
                Invitation.account_id.is_(None),
                Invitation.expires > accounts.now(),
            )
        ).all()
        context = {
            "project": project,
            "role": role,
            "settings": projects.read_settings(project),
            "overview": overview,
            "mine": next(
                (p for p in overview.people if p.account_id == person.id), None
            ),
            "items": items,
            "invitations": invitations,
            "formats": exchange.PAIR_FORMATS,
            "roles": ROLES,
            "longest_guideline": projects.LONGEST_GUIDELINE,
            "link": link,
            "detail": error,
        }
        name = "project.html" if role == "lead" else "project_work.html"
        status = 400 if error else 200
        return templates.TemplateResponse(request, name, context, status_code=status)


def protocol_folder(request: Request) -> Any:
    """Return the folder of custom protocols."""
    return request.app.state.settings.folder / "protocols"
