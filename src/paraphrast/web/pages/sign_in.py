"""Signing in: by password, by an invitation, or by the studio's link."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from paraphrast.errors import ParaphrastError
from paraphrast.web import accounts
from paraphrast.web.database import Database
from paraphrast.web.database.tables import Account
from paraphrast.web.guessing import Guesses
from paraphrast.web.identity import (
    COOKIE,
    Db,
    find_person,
    is_start_token,
    start_session,
)
from paraphrast.web.pages.templates import templates
from paraphrast.web.problems import Problem

FIRST = "/projects"  # where people go who came from nowhere

router = APIRouter()


@router.get("/start")
def start(request: Request, database: Db, token: str = "") -> Response:
    """Sign in by the single-use link that ``paraphrast studio`` printed."""
    if find_person(request, database) is not None:
        return RedirectResponse("/", 303)
    if not is_start_token(request, token):
        raise Problem(
            403,
            "this link is old or was used before. Stop `paraphrast studio` and start "
            "it again for a new one.",
        )
    with database.write() as session:
        number = accounts.local_account(session).id
    response = RedirectResponse("/", 303)
    start_session(request, response, database, number)
    return response


@router.get("/sign-in", response_class=HTMLResponse)
def show_sign_in(request: Request, next: str = "") -> Response:
    """Ask for a name and a password."""
    return _ask(request, next=next)


@router.post("/sign-in")
def sign_in(
    request: Request,
    database: Db,
    name: Annotated[str, Form(max_length=1_000)] = "",
    password: Annotated[str, Form(max_length=10_000)] = "",
    next: Annotated[str, Form(max_length=2_000)] = "",
) -> Response:
    """Start a session; a page that signs in without leaving gets no page back."""
    if not request.app.state.settings.accounts:
        return _ask(request, next=next)
    guesses: Guesses = request.app.state.guesses
    address = request.client.host if request.client else ""
    try:
        guesses.check(name, address)
    except Problem as problem:
        if not _wants_page(request):
            raise
        page = _ask(request, next=next, name=name, error=problem.detail)
        page.status_code = problem.status_code
        page.headers.update(problem.headers or {})
        return page
    with database.read() as session:
        account = accounts.check_password(session, name, password)
        number = account.id if account else None
    if number is None:
        guesses.count(name, address)
        error = "wrong name or password. Check both and try again."
        if not _wants_page(request):
            raise Problem(401, error)
        return _ask(request, next=next, name=name, error=error)
    response = (
        RedirectResponse(_safe(next), 303)
        if _wants_page(request)
        else Response(status_code=204)
    )
    start_session(request, response, database, number)
    return response


@router.post("/sign-out")
def sign_out(request: Request, database: Db) -> Response:
    """End the session."""
    secret: str = request.app.state.settings.secret
    with database.write() as session:
        accounts.sign_out(session, request.cookies.get(COOKIE, ""), secret=secret)
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE)
    return response


@router.get("/invitations/{token}", response_class=HTMLResponse)
def show_invitation(request: Request, database: Db, token: str) -> Response:
    """Show an invitation."""
    return _show_invitation(request, database, token)


@router.post("/invitations/{token}")
def accept_invitation(
    request: Request,
    database: Db,
    token: str,
    name: Annotated[str, Form(max_length=1_000)] = "",
    password: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    """Accept an invitation, with the current or a new account."""
    person = find_person(request, database)
    try:
        with database.write() as session:
            invitation = accounts.find_invitation(session, token)
            if invitation is None:
                raise _expired()
            account = (
                session.get_one(Account, person.id)
                if person
                else accounts.create_account(session, name, password)
            )
            accounts.accept(session, invitation, account)
            number, project = account.id, invitation.project_id
    except ParaphrastError as error:
        return _show_invitation(request, database, token, name=name, error=str(error))
    response = RedirectResponse(f"{FIRST}/{project}" if project else FIRST, 303)
    if person is None:
        start_session(request, response, database, number)
    return response


def _ask(
    request: Request, *, next: str, name: str = "", error: str = ""
) -> HTMLResponse:
    return templates.TemplateResponse(
        request,
        "sign_in.html",
        {"next": _safe(next), "name": name, "detail": error},
        status_code=401 if error else 200,
    )


def _show_invitation(
    request: Request, database: Database, token: str, *, name: str = "", error: str = ""
) -> HTMLResponse:
    person = find_person(request, database)
    with database.read() as session:
        invitation = accounts.find_invitation(session, token)
        if invitation is None:
            raise _expired()
        project = invitation.project.title if invitation.project else ""
        role = invitation.role
    return templates.TemplateResponse(
        request,
        "invitation.html",
        {
            "project": project,
            "role": role,
            "name": name,
            "detail": error,
            "guest": person,
            "shortest": accounts.SHORTEST_PASSWORD,
        },
        status_code=400 if error else 200,
    )


def _expired() -> Problem:
    return Problem(404, "this invitation was used or has expired. Ask for a new one.")


def _wants_page(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _safe(target: str) -> str:
    """Return a path on this server, to prevent redirects to other sites."""
    plain = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if plain and target.isprintable() else FIRST
