"""Open a database by its URL, and read from it or write to it in transactions.

SQLite runs in WAL mode, and every transaction that writes begins with ``BEGIN
IMMEDIATE``: a transaction that reads first and writes later would fail at once when
another wrote in between, however long it is allowed to wait. A commit is on disk before
it returns (``synchronous=FULL``), so that whatever was acknowledged survives a crash.

Writers of this process queue before SQLite, which would make waiting writers sleep for
longer and longer, and let others in meanwhile.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from paraphrast.errors import ParaphrastError
from paraphrast.extras import explain

WAIT_SECONDS = 30
_DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


class Database:
    """A database with the current schema; transactions are short and explicit."""

    def __init__(self, engine: Engine) -> None:
        """Take an engine that `open_database` made."""
        self.engine = engine
        self._writing = engine.execution_options(write=True)
        one_writer = engine.dialect.name == "sqlite"
        turn: AbstractContextManager[Any] = Lock() if one_writer else nullcontext()
        self._turn = turn

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Yield a session that sees one state of the database and changes nothing."""
        with Session(self.engine) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Yield a session that is committed at the end, or rolled back by an error."""
        with self._turn, Session(self._writing) as session, session.begin():
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_database(url: str) -> Database:
    """Open the database and bring its tables up to date.

    ``sqlite:///PATH`` makes the file, and ``postgresql://…`` needs the database to
    exist.
    """
    from paraphrast.web.database.migrations import upgrade

    engine = _make_engine(_parse(url))
    try:
        upgrade(engine)
    except DBAPIError as error:
        engine.dispose()
        reason = str(error.orig).strip().splitlines()[0]
        raise ParaphrastError(
            f"cannot open the database {engine.url.render_as_string()}: {reason}. "
            "Check that it exists, is running, and may be written to."
        ) from error
    return Database(engine)


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise _unknown_url(url) from None
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise _unknown_url(parsed.render_as_string())
    return parsed


def _unknown_url(url: str) -> ParaphrastError:
    return ParaphrastError(
        f"{url!r} is not a database. Give sqlite:///PATH or "
        "postgresql://USER:PASSWORD@HOST/NAME."
    )


def _make_engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return _make_sqlite(url)
    try:
        return create_engine(url, pool_pre_ping=True)
    except NoSuchModuleError:
        raise _unknown_url(url.render_as_string()) from None
    except ModuleNotFoundError as error:
        raise explain(error) from error


def _make_sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise ParaphrastError("the database must be a file. Give sqlite:///PATH.")
    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # the engine says what is wrong
        Path(url.database).touch(mode=0o600)
    engine = create_engine(url, connect_args={"timeout": WAIT_SECONDS})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: Any) -> None:
    # The driver would begin transactions on its own, and only before it writes.
    connection.isolation_level = None
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
