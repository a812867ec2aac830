"""Identify the sender of a request, by a session cookie or an API key.

Without accounts there is one person, who used the link that ``paraphrast studio``
printed. `require_person` runs before every handler of the application except those in
`PUBLIC`; a handler that needs the person takes a `SignedIn`.
"""

import secrets
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from paraphrast.web import accounts
from paraphrast.web.authorisation import Person
from paraphrast.web.database import Database
from paraphrast.web.database.tables import Account, ApiKey, SignIn
from paraphrast.web.problems import Problem
from paraphrast.web.settings import Settings, is_loopback

COOKIE = "paraphrast_session"
# Without accounts any program on this machine may ask here: nothing private is kept.
PROGRAMS = ("/v1/", "/v2/")
LOCAL = Person(0, accounts.LOCAL)
# Routes that anybody may ask for.
PUBLIC = frozenset(
    (
        *("/healthz", "/readyz", "/theme", "/start"),
        *("/sign-in", "/invitations/{token}"),
    )
)


# Both only look something up: as plain functions each would be sent to a thread.
async def get_database(request: Request) -> Database:
    """Return the application's database."""
    database: Database = request.app.state.database
    return database


Db = Annotated[Database, Depends(get_database)]


async def require_person(request: Request, database: Db) -> None:
    """Accept a request if its sender is known, or need not be."""
    if getattr(request.scope.get("route"), "path", "") in PUBLIC:
        return
    person = getattr(request.app.state, "local_person", None)
    if person is None:
        person = await run_in_threadpool(find_person, request, database)
    if person is not None:
        request.state.person = person
        return
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        target = request.url.path
        target += f"?{request.url.query}" if request.url.query else ""
        where = f"/sign-in?next={quote(target, safe='/')}"
        raise Problem(303, "sign in first.", headers={"Location": where})
    raise Problem(
        401,
        "sign in, or send an API key as Authorization: Bearer KEY.",
        headers={"WWW-Authenticate": "Bearer"},
    )


async def get_person(request: Request) -> Person:
    """Return the sender of a request that `require_person` accepted."""
    person: Person = request.state.person
    return person


SignedIn = Annotated[Person, Depends(get_person)]


def find_person(request: Request, database: Database) -> Person | None:
    """Return the sender of a request, if known."""
    settings: Settings = request.app.state.settings
    if not settings.accounts and not settings.start_token:
        return _find_local(request, database)
    if not settings.accounts and request.url.path.startswith(PROGRAMS):
        return LOCAL
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and secret:
        with database.read() as session:
            key = accounts.find_key(session, secret.strip())
            if key is None:
                return None
            person = _as_person(key.account, key=key.id)
            stale = key.used is None or accounts.is_stale(key.used)
            number = key.id
        if stale:
            with database.write() as session:
                session.get_one(ApiKey, number).used = accounts.now()
        return person
    token = request.cookies.get(COOKIE, "")
    if not token:
        return None
    with database.read() as session:
        opened = accounts.find_session(session, token, secret=settings.secret)
        if opened is None:
            return None
        person, number = _as_person(opened.account), opened.id
        stale = accounts.is_stale(opened.seen)
    if stale:
        with database.write() as session:
            session.get_one(SignIn, number).seen = accounts.now()
    return person


def start_session(
    request: Request, response: Response, database: Database, account_id: int
) -> None:
    """Start a session and set its cookie, ending the previous one."""
    secret: str = request.app.state.settings.secret
    with database.write() as session:
        accounts.sign_out(session, request.cookies.get(COOKIE, ""), secret=secret)
        account = session.get_one(Account, account_id)
        token = accounts.sign_in(session, account, secret=secret)
    response.set_cookie(
        COOKIE,
        token,
        max_age=accounts.LONGEST_SESSION // 1_000,
        httponly=True,
        samesite="lax",
        secure=not is_loopback(request.url.hostname or ""),
    )


def is_start_token(request: Request, token: str) -> bool:
    """Say whether the studio's link is valid and unused, and mark it as used."""
    expected: str = request.app.state.settings.start_token
    if not expected or getattr(request.app.state, "started", False):
        return False
    right = secrets.compare_digest(token.encode(), expected.encode())
    request.app.state.started = right
    return right


def _find_local(request: Request, database: Database) -> Person:
    with database.write() as session:
        person = _as_person(accounts.local_account(session))
    request.app.state.local_person = person
    return person


def _as_person(account: Account, *, key: int | None = None) -> Person:
    return Person(account.id, account.name, account.administrator, key)
