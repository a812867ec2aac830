"""A server with accounts, its people, and small projects, for the studio's tests."""

from contextlib import contextmanager

from starlette.testclient import TestClient

from paraphrast.web import accounts
from paraphrast.web.app import create_app
from paraphrast.web.database.tables import Assignment, Item, Member
from paraphrast.web.settings import Settings
from web_databases import hash_quickly

PASSWORD = "correct horse battery"
SECRET = "a secret of the server"
HOST = "https://studio.test"
PAIRS = (
    "a\tI'm gonna be late .\tI am going to be late .\n"
    "b\tthe cat sat\tthe cat was sitting\n"
    "c\twe left\twe went away\n"
)


class Studio:
    """A server in this process; everybody has a browser of their own."""

    def __init__(self, folder, **settings):
        given = {"accounts": True, "secret": SECRET, "host": "0.0.0.0"} | settings
        self.app = create_app(Settings(data=folder, **given))
        self.database = self.app.state.database
        self.browsers = {}

    def add(self, name, *, administrator=False, project=None, role=None):
        """Make an account unless there is one; give it a role in a project, if any."""
        with self.database.write() as session:
            account = accounts.find_account(session, name)
            account = account or accounts.create_account(
                session, name, PASSWORD, administrator=administrator
            )
            if project:
                session.add(
                    Member(project_id=project, account_id=account.id, role=role)
                )
            return account.id

    def browser(self, name=""):
        """Return the browser of somebody who has signed in, or of nobody."""
        if name not in self.browsers:
            client = TestClient(self.app, base_url=HOST, follow_redirects=False)
            client.headers["accept"] = "text/html"
            if name:
                with self.database.write() as session:
                    account = accounts.find_account(session, name)
                    secret = self.app.state.settings.secret
                    token = accounts.sign_in(session, account, secret=secret)
                client.cookies.set("paraphrast_session", token)
            self.browsers[name] = client
        return self.browsers[name]

    def id_of(self, name):
        with self.database.read() as session:
            return accounts.find_account(session, name).id

    def close(self):
        self.database.close()


@contextmanager
def open_studio(folder, **settings):
    """Make a server whose administrator is Lea; passwords are hashed quickly."""
    with hash_quickly():
        studio = Studio(folder, **settings)
        studio.add("Lea", administrator=True)
        yield studio
        studio.close()


def create_project(studio, kind="align", title="Pairs"):
    """Make a project by the page, as Lea."""
    answer = studio.browser("Lea").post(
        "/projects", data={"title": title, "kind": kind}
    )
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rsplit("/", 1)[1])


def multimwa(lines=PAIRS):
    """Return pairs without links, in a format that names them."""
    rows = (line.split("\t") for line in lines.splitlines())
    return "".join(
        f"{name}\t{source}\tN/A\t{target}\tN/A\t1\t1\t\t\n"
        for name, source, target in rows
    )


def add_pairs(studio, project, text=None, **form):
    """Upload pairs by the page, as Lea."""
    answer = studio.browser("Lea").post(
        f"/projects/{project}/pairs",
        files={"file": ("pairs.tsv", (text or multimwa()).encode())},
        data={"format": "multimwa"} | form,
    )
    assert answer.status_code == 303, answer.text


def assign(studio, project):
    """Deal the items out by the page, as Lea."""
    answer = studio.browser("Lea").post(f"/projects/{project}/assign")
    assert answer.status_code == 303, answer.text


def find_work(studio, name, project):
    """Return the number of the assignment that somebody is sent to, or None."""
    answer = studio.browser(name).get(f"/projects/{project}/work")
    assert answer.status_code == 303
    where = answer.headers["location"]
    return int(where.rsplit("/", 1)[1]) if "/assignments/" in where else None


def items_of(session, project):
    """Return the items of a project; the server may have others."""
    return session.query(Item).filter_by(project_id=project).all()


def assignments_of(session, project):
    """Return the assignments of a project; the server may have others."""
    return session.query(Assignment).join(Item).filter_by(project_id=project).all()


COUNT = iter(range(10**9))


def send(studio, name, assignment, kind, key=None, **content):
    """Send an event as the page does; return the answer."""
    return studio.browser(name).post(
        f"/assignments/{assignment}/events",
        json={"key": key or f"k{next(COUNT)}", "kind": kind, "content": content},
        headers={"accept": "application/json"},
    )


def act(studio, name, assignment, kind, **content):
    """Send an event that must be accepted; return the new state."""
    answer = send(studio, name, assignment, kind, **content)
    assert answer.status_code == 200, answer.text
    return answer.json()
