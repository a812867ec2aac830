"""Databases for tests: a new SQLite file, and a new schema of a PostgreSQL server.

The server is started once for a test run, on a socket of its own, as the user
``postgres`` where the tests run as root, whom PostgreSQL refuses. Alembic makes the
tables of an SQLite file once; every other new file of this process is a copy.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

NUMBERS = count()


def postgres_folder():
    """Return where PostgreSQL's programs are, or nothing."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    folders += [Path(found).parent] if found else []
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@contextmanager
def postgres_server():
    """Run a server; yield its URL."""
    programs = postgres_folder()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    as_user = {}
    folder = Path(tempfile.mkdtemp(prefix="paraphrast-postgres-"))
    if os.geteuid() == 0:
        as_user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        entry = pwd.getpwnam("postgres")
        os.chown(folder, entry.pw_uid, entry.pw_gid)

    def run(*command):
        subprocess.run(
            command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **as_user
        )

    data = folder / "data"
    run(
        programs / "initdb",
        *("--no-sync", "--username=studio", "--auth=trust"),
        *("--encoding=UTF8", "--locale=C", "--pgdata", data),
    )
    options = f"-c fsync=off -c listen_addresses='' -c unix_socket_directories={folder}"
    log = folder / "log"
    run(programs / "pg_ctl", "start", "-w", "-D", data, "-l", log, "-o", options)
    try:
        yield f"postgresql://studio@/postgres?host={folder}"
    finally:
        run(programs / "pg_ctl", "stop", "-w", "-D", data, "-m", "immediate")
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres():
    """Return a function that makes an empty schema and gives back its URL."""
    import psycopg

    with postgres_server() as url:

        def create():
            name = f"test{next(NUMBERS)}"
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {name}")
            return f"{url}&options=-csearch_path%3D{name}"

        yield create


@pytest.fixture(scope="session", autouse=True)
def tables_made_once(tmp_path_factory):
    """Copy the first new SQLite database whenever another is to be made."""
    if "sqlalchemy" not in sys.modules:  # no test that was collected needs a database
        yield
        return
    from paraphrast.web.database import migrations

    template = tmp_path_factory.mktemp("database") / "template.sqlite3"
    upgrade = migrations.upgrade

    def copy_or_upgrade(engine, revision="head"):
        path = Path(engine.url.database or "")
        new = path.is_file() and path.stat().st_size == 0 and os.access(path, os.W_OK)
        if engine.dialect.name != "sqlite" or revision != "head" or not new:
            upgrade(engine, revision)
        elif template.exists():
            shutil.copyfile(template, path)
        else:
            upgrade(engine)
            engine.dispose()  # the last connection moves the log into the file
            shutil.copyfile(path, template)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "upgrade", copy_or_upgrade)
        yield


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def url(request, tmp_path):
    """Return the URL of a new database, on both systems."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres")()
    return f"sqlite:///{tmp_path}/studio.sqlite3"


@pytest.fixture
def database(url, quick_passwords):
    """Open a new database, on both systems."""
    from paraphrast.web.database import open_database

    opened = open_database(url)
    yield opened
    opened.close()


@pytest.fixture
def quick_passwords():
    """Hash passwords as always, but at the least cost."""
    with hash_quickly():
        yield


@contextmanager
def hash_quickly():
    """Hash passwords at the least cost within this context."""
    from pwdlib import PasswordHash
    from pwdlib.hashers.argon2 import Argon2Hasher

    from paraphrast.web import accounts

    quick = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "hasher", lambda: quick)
        yield
