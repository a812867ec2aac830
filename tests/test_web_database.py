"""The studio's database and its accounts, on SQLite and on PostgreSQL."""

import sqlite3
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, inspect, select, text
from sqlalchemy.exc import IntegrityError

from paraphrast.errors import ParaphrastError
from paraphrast.web import accounts, projects
from paraphrast.web.annotation import log
from paraphrast.web.annotation.log import add_event, rebuild
from paraphrast.web.authorisation import Person
from paraphrast.web.database import open_database
from paraphrast.web.database.tables import (
    Account,
    Annotation,
    Assignment,
    Item,
    Member,
    Project,
    Table,
)
from paraphrast.web.overview import describe_project

PASSWORD = "correct horse battery"
SECRET = "a secret of the server"
# One database of every version, as SQL; none is ever changed.
DUMPS = sorted(Path(__file__).with_name("data").glob("studio-*.sql"))


def add_project(session, title="Pairs"):
    project = Project(title=title, kind="align", settings={}, created=accounts.now())
    session.add(project)
    session.flush()
    return project


def test_migrations_make_the_tables_that_the_code_knows(database):
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Table.metadata) == []


def test_a_database_opens_again_with_what_was_written(database, url):
    with database.write() as session:
        accounts.create_account(session, "Ada", PASSWORD)
    again = open_database(url)
    with again.read() as session:
        assert accounts.find_account(session, "ada").name == "Ada"
    again.close()


def test_a_database_of_a_newer_version_is_refused_in_one_line(database, url):
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ParaphrastError, match=r"newer paraphrast.*Upgrade"):
        open_database(url)


@pytest.mark.parametrize(
    "bad", ["nonsense", "mysql://host/name", "sqlite://", "oracle://x"]
)
def test_other_databases_are_refused_in_one_line(bad):
    with pytest.raises(ParaphrastError, match="Give sqlite:///PATH"):
        open_database(bad)


def test_a_server_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(ParaphrastError, match="cannot open the database") as refused:
        open_database("postgresql://me:hush@127.0.0.1:1/none")
    assert "hush" not in str(refused.value)


def test_an_error_leaves_nothing_behind(database):
    with pytest.raises(RuntimeError), database.write() as session:
        accounts.create_account(session, "Ada", PASSWORD)
        raise RuntimeError
    with database.read() as session:
        assert not accounts.has_accounts(session)


def test_transactions_that_read_and_then_write_do_not_fail_each_other(database):
    with database.write() as session:
        number = add_project(session, title="0").id

    def count_up():
        for _ in range(10):
            with database.write() as session:
                project = session.get(Project, number, with_for_update=True)
                project.title = str(int(project.title) + 1)

    threads = [threading.Thread(target=count_up) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert session.get(Project, number).title == "60"


def test_the_database_itself_refuses_unknown_roles_and_projects(database):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD).id
        project = add_project(session).id
    for bad in (
        Member(project_id=project, account_id=ada, role="king"),
        Member(project_id=project + 1, account_id=ada, role="lead"),
    ):
        with pytest.raises(IntegrityError), database.write() as session:
            session.add(bad)


def test_nothing_is_deleted_by_cascade(database):
    inspector = inspect(database.engine)
    for table in inspector.get_table_names():
        for key in inspector.get_foreign_keys(table):
            assert not key["options"].get("ondelete")


def test_names_are_compared_without_case_and_spaces(database):
    with database.write() as session:
        accounts.create_account(session, "  Ada   Lovelace ", PASSWORD)
        with pytest.raises(ParaphrastError, match="is taken"):
            accounts.create_account(session, "ada lovelace", PASSWORD)


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\x00b"])
def test_names_that_nobody_could_type_are_refused(database, name):
    with database.write() as session, pytest.raises(ParaphrastError, match="name"):
        accounts.create_account(session, name, PASSWORD)


def test_a_short_password_is_refused(database):
    with database.write() as session, pytest.raises(ParaphrastError, match="longer"):
        accounts.create_account(session, "Ada", "short")


def test_a_password_is_kept_as_argon2id_and_checked(database):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        assert ada.password.startswith("$argon2id$")
        assert accounts.check_password(session, "ADA", PASSWORD) is ada
        assert accounts.check_password(session, "Ada", PASSWORD + "!") is None
        assert accounts.check_password(session, "Bob", PASSWORD) is None
        ada.active = False
        assert accounts.check_password(session, "Ada", PASSWORD) is None


def test_a_session_ends_by_request_by_idleness_and_by_age(database, monkeypatch):
    clock = [accounts.now()]
    monkeypatch.setattr(accounts, "now", lambda: clock[0])
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        first, second = (
            accounts.sign_in(session, ada, secret=SECRET) for _ in range(2)
        )
        accounts.sign_out(session, first, secret=SECRET)
        assert accounts.find_session(session, first, secret=SECRET) is None
        opened = accounts.find_session(session, second, secret=SECRET)
        assert opened.account is ada
        clock[0] += accounts.IDLE + 1
        assert accounts.find_session(session, second, secret=SECRET) is None
        opened.seen = clock[0]
        assert accounts.find_session(session, second, secret=SECRET) is opened
        opened.created -= accounts.LONGEST_SESSION
        assert accounts.find_session(session, second, secret=SECRET) is None


def test_another_secret_of_the_server_ends_every_session(database):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        token = accounts.sign_in(session, ada, secret=SECRET)
        assert accounts.find_session(session, token, secret=SECRET) is not None
        assert accounts.find_session(session, token, secret=SECRET + "x") is None


def test_a_new_password_ends_every_session(database):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        token = accounts.sign_in(session, ada, secret=SECRET)
        accounts.change_password(session, ada, "another good password")
        assert accounts.find_session(session, token, secret=SECRET) is None


def test_secrets_are_not_in_the_database(database):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        token = accounts.sign_in(session, ada, secret=SECRET)
        key, secret = accounts.create_key(session, ada, "laptop")
        _, invitation = accounts.invite(session, None, "lead")
        assert secret.startswith(key.prefix)
        assert len(secret) > 2 * len(key.prefix)
    with database.engine.connect() as connection:
        everything = str(
            [
                connection.execute(select(table)).all()
                for table in Table.metadata.sorted_tables
            ]
        )
    for hidden in (PASSWORD, token, secret, invitation):
        assert hidden not in everything


def test_a_key_works_until_it_is_revoked(database):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        key, secret = accounts.create_key(session, ada, "laptop")
        assert accounts.find_key(session, secret) is key
        assert accounts.find_key(session, secret + "x") is None
        key.revoked = accounts.now()
        assert accounts.find_key(session, secret) is None


def test_an_invitation_makes_a_member_once(database):
    with database.write() as session:
        project = add_project(session)
        ada = accounts.create_account(session, "Ada", PASSWORD)
        _, token = accounts.invite(session, project, "adjudicator", "for Ada")
        accounts.accept(session, accounts.find_invitation(session, token), ada)
        session.flush()
        assert session.get(Member, (project.id, ada.id)).role == "adjudicator"
        assert accounts.find_invitation(session, token) is None


def test_an_old_invitation_is_refused(database):
    with database.write() as session:
        invitation, token = accounts.invite(session, None, "lead")
        invitation.expires = accounts.now() - 1
        assert accounts.find_invitation(session, token) is None


def test_the_local_account_is_made_once(database):
    with database.write() as session:
        first = accounts.local_account(session)
        assert accounts.local_account(session) is first
        assert session.scalar(select(func.count()).select_from(Account)) == 1


def test_a_lone_user_is_still_asked_to_make_the_first_account(database):
    with database.write() as session:
        accounts.local_account(session)
        assert not accounts.has_accounts(session)
        accounts.create_account(session, "Ada", PASSWORD)
        assert accounts.has_accounts(session)


def test_the_overview_counts_items_and_seconds(database, monkeypatch):
    with database.write() as session:
        ada = accounts.create_account(session, "Ada", PASSWORD)
        project = projects.create_project(session, Person(ada.id, "Ada"), title="Pairs")
        words = {"source": ["a"], "target": ["b"], "links": []}
        items = [Item(name=name, content=words) for name in "123"]
        projects.add_items(session, project, items[:2])
        projects.assign(session, project)
        projects.add_items(session, project, items[2:])
        number, first = project.id, session.scalars(select(Assignment)).first()
        for at, kind in ((0, "accept"), (8_000, "done")):
            monkeypatch.setattr(log, "now", lambda at=at: 10**12 + at)
            add_event(session, first, key=kind, kind=kind, content={})
            session.flush()
    with database.read() as session:
        found = describe_project(session, session.get(Project, number))
    assert (found.items, found.unassigned, found.finished) == (3, 1, 1)
    assert (found.people[0].done, found.people[0].assigned) == (1, 2)
    assert found.people[0].seconds == 8.0


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.stem)
def test_a_database_of_every_version_opens_with_its_work(tmp_path, dump):
    path = tmp_path / "old.sqlite3"
    with sqlite3.connect(path) as old:
        old.executescript(dump.read_text("utf-8"))
    old.close()
    opened = open_database(f"sqlite:///{path}")
    with opened.write() as session:
        assert accounts.check_password(session, "Ann", PASSWORD).name == "Ann"
        (annotation,) = session.scalars(select(Annotation))
        links = [link[:3] for link in annotation.state["links"]]
        assert links == [[0, 0, "sure"], [1, 0, "sure"]]
        assignment = session.get(Assignment, annotation.assignment_id)
        assert rebuild(session, assignment) == annotation.state
    opened.close()


def test_others_on_the_machine_cannot_read_the_file(tmp_path):
    open_database(f"sqlite:///{tmp_path}/new/studio.sqlite3").close()
    assert (tmp_path / "new" / "studio.sqlite3").stat().st_mode & 0o077 == 0
