"""The account page with password and keys; and, for administrators, all accounts."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import select

from paraphrast.errors import ParaphrastError
from paraphrast.web import accounts
from paraphrast.web.authorisation import Person, authorise
from paraphrast.web.database import Database
from paraphrast.web.database.tables import Account, ApiKey
from paraphrast.web.identity import Db, SignedIn, start_session
from paraphrast.web.pages.templates import templates
from paraphrast.web.problems import Problem

router = APIRouter()


@router.get("/account", response_class=HTMLResponse)
def show_account(request: Request, database: Db, person: SignedIn) -> Response:
    """Show the person's account."""
    return _show(request, database, person)


@router.post("/account/password")
def change_password(
    request: Request,
    database: Db,
    person: SignedIn,
    old: Annotated[str, Form(max_length=10_000)] = "",
    new: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    """Set a new password; every other session ends."""
    address = request.client.host if request.client else ""
    request.app.state.guesses.check(person.name, address)
    try:
        with database.write() as session:
            account = accounts.check_password(session, person.name, old)
            if account is None:
                request.app.state.guesses.count(person.name, address)
                raise ParaphrastError("the old password is wrong. Try again.")
            accounts.change_password(session, account, new)
    except ParaphrastError as error:
        return _show(request, database, person, error=str(error))
    response = RedirectResponse("/account", 303)
    start_session(request, response, database, person.id)
    return response


@router.post("/account/keys")
def create_key(
    request: Request,
    database: Db,
    person: SignedIn,
    label: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Create an API key and show it once."""
    with database.write() as session:
        account = session.get_one(Account, person.id)
        _, secret = accounts.create_key(session, account, label)
    return _show(request, database, person, secret=secret)


@router.post("/account/keys/{key_id}/revoke")
def revoke_key(database: Db, person: SignedIn, key_id: int) -> Response:
    """Revoke an API key."""
    with database.write() as session:
        key = session.get(ApiKey, key_id)
        if key is None or key.account_id != person.id:
            raise Problem(404, "you have no such key.")
        key.revoked = key.revoked or accounts.now()
    return RedirectResponse("/account", 303)


@router.get("/people", response_class=HTMLResponse)
def show_people(request: Request, database: Db, person: SignedIn) -> Response:
    """List all accounts."""
    return _show_people(request, database, person)


@router.post("/people/invitations")
def invite_administrator(request: Request, database: Db, person: SignedIn) -> Response:
    """Create an invitation for another administrator, and show it once."""
    with database.write() as session:
        authorise(session, person, "administer")
        _, token = accounts.invite(session, None, "lead")
    link = f"{request.base_url}invitations/{token}"
    return _show_people(request, database, person, link=link)


@router.post("/people/{account_id}/active")
def set_active(
    database: Db,
    person: SignedIn,
    account_id: int,
    active: Annotated[bool, Form()] = False,
) -> Response:
    """Activate or deactivate an account; its work is kept."""
    with database.write() as session:
        authorise(session, person, "administer")
        account = session.get(Account, account_id)
        if account is None or account.id == person.id:
            raise Problem(400, "there is no other account with that number.")
        account.active = active
    return RedirectResponse("/people", 303)


@router.post("/people/{account_id}/password")
def reset_password(
    request: Request, database: Db, person: SignedIn, account_id: int
) -> Response:
    """Reset a forgotten password, and show the new one once."""
    new = secrets.token_urlsafe(12)
    with database.write() as session:
        authorise(session, person, "administer")
        account = session.get(Account, account_id)
        if account is None or account.id == person.id:
            raise Problem(400, "there is no other account with that number.")
        accounts.change_password(session, account, new)
        name = account.name
    return _show_people(request, database, person, password=(name, new))


def _show(
    request: Request,
    database: Database,
    person: Person,
    *,
    secret: str = "",
    error: str = "",
) -> HTMLResponse:
    with database.read() as session:
        keys = session.scalars(
            select(ApiKey)
            .where(ApiKey.account_id == person.id, ApiKey.revoked.is_(None))
            .order_by(ApiKey.id)
        ).all()
    return templates.TemplateResponse(
        request,
        "account.html",
        {
            "keys": keys,
            "secret": secret,
            "detail": error,
            "shortest": accounts.SHORTEST_PASSWORD,
        },
        status_code=400 if error else 200,
    )


def _show_people(
    request: Request,
    database: Database,
    person: Person,
    *,
    link: str = "",
    password: tuple[str, str] | None = None,
) -> HTMLResponse:
    with database.read() as session:
        authorise(session, person, "administer")
        people = session.scalars(select(Account).order_by(Account.key)).all()
    return templates.TemplateResponse(
        request, "people.html", {"people": people, "link": link, "password": password}
    )
