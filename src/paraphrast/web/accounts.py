"""Accounts, sessions, keys for programs, and invitations.

Every function takes the database session of the caller's transaction. Secrets are
generated here, shown once and stored only as sha256, those of sessions keyed with the
server's secret; passwords are stored as argon2id.
"""

import hashlib
import hmac
import secrets
import time
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, joinedload

from paraphrast.errors import ParaphrastError
from paraphrast.web.database.tables import (
    Account,
    ApiKey,
    Invitation,
    Member,
    Project,
    SignIn,
)

LONGEST_NAME = 100
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 1_000
HOUR, DAY = 3_600_000, 86_400_000
IDLE, LONGEST_SESSION = 12 * HOUR, 30 * DAY
INVITATION = 14 * DAY
KEY_PREFIX = "para_"
LOCAL = "you"  # who works in a studio without accounts

_SEEN_EVERY = 60_000  # how exactly it is known when a session was last used

# Asked by every request: written once, so that SQLAlchemy knows them again at once.
_SESSION = (
    select(SignIn)
    .options(joinedload(SignIn.account, innerjoin=True))
    .where(SignIn.token == bindparam("token"))
)
_KEY = (
    select(ApiKey)
    .options(joinedload(ApiKey.account, innerjoin=True))
    .where(ApiKey.secret == bindparam("secret"))
)


def now() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def digest(secret: str) -> str:
    """Return the stored hash of a secret that is too long to be guessed."""
    return hashlib.sha256(secret.encode()).hexdigest()


@cache
def hasher() -> PasswordHash:
    """Return the password hasher."""
    return PasswordHash((Argon2Hasher(),))


@cache
def _nobody() -> str:
    return hasher().hash(secrets.token_hex())


def create_account(
    session: Session, name: str, password: str, *, administrator: bool = False
) -> Account:
    """Create an account; the name must be available."""
    return _add_account(session, name, _hash(password), administrator=administrator)


def create_absent(session: Session, name: str) -> Account:
    """Create an account without a usable password, for imported projects."""
    return _add_account(session, name, _nobody())


def _add_account(
    session: Session, name: str, password: str, *, administrator: bool = False
) -> Account:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise ParaphrastError(
            f"a name must have 1 to {LONGEST_NAME} printable characters. Choose "
            "another."
        )
    if find_account(session, name) is not None:
        raise ParaphrastError(f"the name {name!r} is taken. Choose another.")
    account = Account(
        name=name,
        key=name.casefold(),
        password=password,
        administrator=administrator,
        created=now(),
    )
    session.add(account)
    session.flush()
    return account


def find_account(session: Session, name: str) -> Account | None:
    """Return the account of that name, upper or lower case."""
    key = " ".join(name.split()).casefold()
    return session.scalar(select(Account).where(Account.key == key))


def has_accounts(session: Session) -> bool:
    """Say whether anybody can sign in; the local account of a studio cannot."""
    others = select(func.count()).select_from(Account).where(Account.key != LOCAL)
    return session.scalar(others) != 0


def local_account(session: Session) -> Account:
    """Return the account of a single-user studio, created if necessary."""
    account = find_account(session, LOCAL)
    if account is None:
        account = create_account(
            session, LOCAL, secrets.token_urlsafe(), administrator=True
        )
    return account


def check_password(session: Session, name: str, password: str) -> Account | None:
    """Return the account if the password is correct; a wrong name takes as long."""
    account = find_account(session, name)
    right = hasher().verify(
        password[:LONGEST_PASSWORD], account.password if account else _nobody()
    )
    return account if account is not None and right and account.active else None


def change_password(session: Session, account: Account, password: str) -> None:
    """Set a new password, and end every session of the account."""
    account.password = _hash(password)
    for opened in session.scalars(
        select(SignIn).where(SignIn.account_id == account.id, SignIn.revoked.is_(None))
    ):
        opened.revoked = now()


def sign_in(session: Session, account: Account, *, secret: str) -> str:
    """Start a session, and return the new token for its cookie.

    It is signed with the server's secret: without that, database contents cannot open a
    session, and changing it ends every session.
    """
    token = secrets.token_urlsafe(32)
    moment = now()
    session.add(
        SignIn(
            account_id=account.id,
            token=_sign(token, secret),
            created=moment,
            seen=moment,
        )
    )
    return token


def find_session(session: Session, token: str, *, secret: str) -> SignIn | None:
    """Return the session of a cookie, if it is still valid."""
    opened = session.scalar(_SESSION, {"token": _sign(token, secret)})
    moment = now()
    if (
        opened is None
        or opened.revoked is not None
        or not opened.account.active
        or moment - opened.seen > IDLE
        or moment - opened.created > LONGEST_SESSION
    ):
        return None
    return opened


def is_stale(seen: int) -> bool:
    """Say whether the last use of a session or key should be recorded again."""
    return abs(now() - seen) > _SEEN_EVERY


def sign_out(session: Session, token: str, *, secret: str) -> None:
    """End a session."""
    opened = find_session(session, token, secret=secret)
    if opened is not None:
        opened.revoked = now()


def create_key(session: Session, account: Account, label: str) -> tuple[ApiKey, str]:
    """Create an API key; the secret is returned and not stored."""
    secret = KEY_PREFIX + secrets.token_urlsafe(32)
    key = ApiKey(
        account_id=account.id,
        label=" ".join(label.split())[:LONGEST_NAME] or "key",
        prefix=secret[: len(KEY_PREFIX) + 6],
        secret=digest(secret),
        created=now(),
    )
    session.add(key)
    session.flush()
    return key, secret


def find_key(session: Session, secret: str) -> ApiKey | None:
    """Return an API key, if it is still valid."""
    key = session.scalar(_KEY, {"secret": digest(secret)})
    if key is None or key.revoked is not None or not key.account.active:
        return None
    return key


def invite(
    session: Session, project: Project | None, role: str, note: str = ""
) -> tuple[Invitation, str]:
    """Create a single-use invitation; without a project, for an administrator."""
    token = secrets.token_urlsafe(24)
    moment = now()
    invitation = Invitation(
        project_id=project.id if project else None,
        role=role,
        note=" ".join(note.split())[:200],
        token=digest(token),
        created=moment,
        expires=moment + INVITATION,
    )
    session.add(invitation)
    session.flush()
    return invitation, token


def find_invitation(session: Session, token: str) -> Invitation | None:
    """Return an invitation that can still be accepted."""
    invitation = session.scalar(
        select(Invitation).where(Invitation.token == digest(token)).with_for_update()
    )
    if (
        invitation is None
        or invitation.account_id is not None
        or invitation.expires < now()
    ):
        return None
    return invitation


def accept(session: Session, invitation: Invitation, account: Account) -> None:
    """Accept an invitation: the account becomes a member, or an administrator."""
    invitation.account_id = account.id
    if invitation.project_id is None:
        account.administrator = True
        return
    member = session.get(Member, (invitation.project_id, account.id))
    if member is None:
        member = Member(project_id=invitation.project_id, account_id=account.id)
        session.add(member)
    member.role, member.active = invitation.role, True


def _sign(token: str, secret: str) -> str:
    return hmac.new(secret.encode(), token.encode(), "sha256").hexdigest()


def _hash(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise ParaphrastError(
            f"a password has at least {SHORTEST_PASSWORD} characters. Choose a longer "
            "one: four unrelated words are easy to remember."
        )
    return hasher().hash(password)
